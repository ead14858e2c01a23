import { describe, expect, test } from "vitest";
import type { CanonicalValue, Schema } from "../canonical/index.ts";
import {
  byHand,
  bytesOf,
  consumer,
  emptyCommit,
  producer,
  publication,
  Scenario,
  version,
} from "../testing/scenario.ts";

const order: Schema = {
  type: "record",
  fields: {
    id: { type: "text" },
    lines: {
      type: "list",
      item: { type: "record", fields: { qty: { type: "nat" } } },
    },
    note: { type: "option", inner: { type: "text" } },
  },
};
const good = { id: "o1", lines: [{ qty: 1 }] };
const bad = { id: "o1", lines: [{ qty: 1 }, { qty: -1 }] };
const where = "orders/m1: payload.lines[1].qty: expected nat, got -1.";

function shop(schemas: Readonly<Record<string, Schema>> = { orders: order }): Scenario {
  const s = new Scenario();
  const handlers = [producer("poll"), consumer("book", ["orders"])];
  s.do(version(1, 0, { topics: ["orders"], observed: ["booked"], schemas, handlers }));
  return s;
}

const byHandOf = (value: CanonicalValue, messageId = "m1") =>
  byHand("orders", messageId, { payload: bytesOf(value) });

describe("[R152] a payload is checked against its topic's schema before anything is stored", () => {
  test("one that fits is published as it came, with its options left out", () => {
    const s = shop();
    s.do(byHandOf(good));
    expect(s.event("orders", "m1").payload.inline).toEqual(bytesOf(good));
  });

  test("by hand: refused with the event, the path and the reason", () => {
    const s = shop();
    expect(s.refusal(byHandOf(bad))).toEqual({ code: "payload_not_in_schema", note: where });
    const body = { topic: "orders", messageId: "m1", payload: bytesOf(bad), title: null };
    expect(s.fold("publish_event", body)).toMatchObject({ accepted: false, note: where });
    expect([...s.view.rows("events")]).toEqual([]);
    expect([...s.view.rows("inputs")]).toEqual([]);
  });

  test("in a commit: refused as a whole, and the run goes on to fail", () => {
    const s = shop();
    const runId = s.start("poll");
    const publishes = [
      publication("orders", "m0", { payload: bytesOf(good) }),
      publication("orders", "m1", { payload: bytesOf(bad) }),
    ];
    expect(s.refusal(emptyCommit(runId, { publishes })).note).toBe(where);
    expect([...s.view.rows("events")]).toEqual([]);
  });

  test("a republish is checked too, and the event stays what it was", () => {
    const s = shop();
    s.do(byHandOf(good));
    expect(s.refused(byHandOf(bad))).toBe("payload_not_in_schema");
    expect(s.event("orders", "m1").payload.inline).toEqual(bytesOf(good));
  });

  test("bytes that are no value are refused like any other payload", () => {
    const s = shop();
    const command = byHand("orders", "m1", { payload: Uint8Array.of(0xff) });
    expect(s.refused(command)).toBe("payload_not_in_schema");
  });

  test("a topic without a schema takes anything, and one topic's schema is not another's", () => {
    const s = shop({ booked: { type: "text" } });
    s.do(byHandOf(bad));
    s.do(byHand("booked", "b1", { payload: bytesOf("yes") }));
    expect(s.refused(byHand("booked", "b2", { payload: bytesOf(1) }))).toBe(
      "payload_not_in_schema",
    );
  });

  test("a new version's schema holds from then on and leaves older events alone", () => {
    const s = shop();
    s.do(byHandOf(good));
    const handlers = [producer("poll"), consumer("book", ["orders"])];
    const schemas: Readonly<Record<string, Schema>> = { orders: { type: "text" } };
    s.do(version(2, 0, { topics: ["orders"], observed: ["booked"], schemas, handlers }));
    expect(s.event("orders", "m1").status).toBe("pending");
    expect(s.refused(byHandOf(good, "m2"))).toBe("payload_not_in_schema");
    s.do(byHandOf("text", "m3"));
    s.do(version(3, 0, { topics: ["orders"], observed: ["booked"], handlers }));
    s.do(byHandOf(good, "m4"));
  });

  test("[R141] a schema has a size limit", () => {
    const s = new Scenario({ schemaBytesMax: 40 });
    const handlers = [consumer("book", ["orders"])];
    const schemas = { orders: order };
    const refusal = s.refusal(version(1, 0, { topics: ["orders"], schemas, handlers }));
    expect(refusal.code).toBe("limit_exceeded");
    expect(refusal.note).toContain("schema of orders in bytes");
  });
});
