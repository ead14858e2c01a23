import { describe, expect, test } from "vitest";
import {
  byHand,
  bytesOf,
  consumer,
  emptyCommit,
  kindsOf,
  producer,
  publication,
  Scenario,
  version,
} from "../testing/scenario.ts";
import { inputStatus } from "./events-of-input.ts";
import { inputIdOf } from "./input-id.ts";

const mail = (externalId: string) => ({ source: "imap", type: "mail", externalId });
const idOf = (externalId: string) => inputIdOf(mail(externalId));

function shop(policy = {}): Scenario {
  const scenario = new Scenario(policy);
  const handlers = [producer("poll"), consumer("book", ["orders"])];
  const manifest = { topics: ["orders"], observed: ["booked", "sent"], handlers };
  scenario.do(version(1, 0, manifest));
  return scenario;
}

/** The producer sees mails and publishes one order for each pair of (mail, messageId). */
function receive(s: Scenario, pairs: readonly (readonly [mail: string, order: string])[]): void {
  s.produce("poll", {
    inputs: pairs.map(([id]) => ({ ...mail(id), title: `Mail ${id}` })),
    publishes: pairs.map(([id, order]) => publication("orders", order, { inputId: idOf(id) })),
  });
}

describe("registering", () => {
  test("[R19] the same source, type and id is one input, and its first title stays", () => {
    const s = shop();
    s.produce("poll", { inputs: [{ ...mail("1"), title: "first" }] });
    const again = s.produce("poll", { inputs: [{ ...mail("1"), title: "second" }] });
    expect(kindsOf(again)).toEqual(["run_committed"]);
    expect([...s.view.rows("inputs")].map(({ inputId, title }) => [inputId, title])).toEqual([
      [idOf("1"), "first"],
    ]);
  });

  test.each([
    ["source", { source: "smtp" }],
    ["type", { type: "draft" }],
    ["id", { externalId: "2" }],
  ])("[R19] another %s is another input", (_, other) => {
    expect(inputIdOf({ ...mail("1"), ...other })).not.toBe(idOf("1"));
  });

  test("[R21] a producer's event is caused by exactly the input it names", () => {
    const s = shop();
    receive(s, [["1", "o1"]]);
    expect(s.event("orders", "o1").causedBy).toEqual([idOf("1")]);
  });

  test("[R21] an input nobody registered cannot be named", () => {
    const s = shop();
    const runId = s.start("poll");
    const publishes = [publication("orders", "o1", { inputId: idOf("1") })];
    expect(s.refused(emptyCommit(runId, { publishes }))).toBe("input_not_found");
  });

  test("an input registered by an earlier run may be named later", () => {
    const s = shop();
    s.produce("poll", { inputs: [{ ...mail("1"), title: "first" }] });
    s.produce("poll", { publishes: [publication("orders", "o1", { inputId: idOf("1") })] });
    expect(s.event("orders", "o1").causedBy).toEqual([idOf("1")]);
  });

  test.each([
    ["with a title", "Order 7", "Order 7"],
    ["without one", null, "o1"],
  ])("[R145] a producer that names no input registers the event itself, %s", (_, title, shown) => {
    const s = shop();
    s.produce("poll", { publishes: [publication("orders", "o1", { title })] });
    const key = { source: "system", type: "event", externalId: "orders/o1" };
    expect(s.view.load("inputs", inputIdOf(key))).toMatchObject({ ...key, title: shown });
    expect(s.event("orders", "o1").causedBy).toEqual([inputIdOf(key)]);
  });

  test("[R149] an event published by hand registers the input (system, manual)", () => {
    const s = shop();
    s.do(byHand("orders", "o1", { actor: "bob" }));
    const key = { source: "system", type: "manual", externalId: "orders/o1" };
    expect(s.view.load("inputs", inputIdOf(key)).title).toBe("o1, published by bob");
    expect(s.event("orders", "o1").causedBy).toEqual([inputIdOf(key)]);
  });

  test("an input's parts are admitted like any id", () => {
    const s = shop();
    const runId = s.start("poll");
    for (const bad of [{ source: "" }, { type: "a\nb" }, { externalId: "x".repeat(4_097) }]) {
      const inputs = [{ ...mail("1"), ...bad, title: "" }];
      expect(s.refused(emptyCommit(runId, { inputs }))).toBe("id_invalid");
    }
  });
});

describe("the status of an input is derived", () => {
  test("[R22] without events it is pending", () => {
    const s = shop();
    s.produce("poll", { inputs: [{ ...mail("1"), title: "first" }] });
    expect(inputStatus(s.view, idOf("1"))).toBe("pending");
  });

  test("[R22] it is done when every event it caused is consumed or skipped, and not before", () => {
    const s = shop();
    receive(s, [
      ["1", "o1"],
      ["1", "o2"],
    ]);
    const status = () => inputStatus(s.view, idOf("1"));
    expect(status()).toBe("pending");
    const runId = s.mutated("book", [["orders", "o1"]]);
    s.do({ kind: "skip_event", topic: "orders", messageId: "o2", actor: "ada" });
    expect(status()).toBe("pending");
    s.do(emptyCommit(runId));
    expect(status()).toBe("done");
    s.do({ kind: "reprocess_event", topic: "orders", messageId: "o1", actor: "ada" });
    expect(status()).toBe("pending");
  });

  test("[R22] an input a person skipped is skipped, whatever its events are", () => {
    const s = shop();
    receive(s, [["1", "o1"]]);
    s.do({ kind: "skip_input", inputId: idOf("1"), actor: "ada" });
    expect(inputStatus(s.view, idOf("1"))).toBe("skipped");
    s.produce("poll", { publishes: [publication("orders", "o9", { inputId: idOf("1") })] });
    expect(inputStatus(s.view, idOf("1"))).toBe("skipped");
  });
});

describe("what next publishes inherits its causes", () => {
  const pairs = [
    ["2", "o1"],
    ["1", "o2"],
    ["3", "o3"],
  ] as const;
  const held = [
    ["orders", "o1"],
    ["orders", "o2"],
  ] as const;
  const union = [idOf("1"), idOf("2")].sort();
  const publishes = [publication("booked", "b1")];

  test("[R21] the union over the reserved events, and only over those", () => {
    const s = shop();
    receive(s, pairs);
    s.do(emptyCommit(s.mutated("book", held), { publishes }));
    expect(s.event("booked", "b1").causedBy).toEqual(union);
  });

  test("[R21] also in a retry run that takes over at next", () => {
    const s = shop();
    receive(s, pairs);
    const runId = s.mutated("book", held);
    s.failLogic(runId);
    s.do({ kind: "retry_run", runId, actor: "ada" });
    s.do(emptyCommit(s.retry(runId), { publishes }));
    expect(s.event("booked", "b1").causedBy).toEqual(union);
  });

  test("[R21] also when a person skipped the outside change", () => {
    const s = shop();
    receive(s, pairs);
    s.do(emptyCommit(s.skippedOver("book", held), { publishes }));
    expect(s.event("orders", "o1").status).toBe("skipped");
    expect(s.event("booked", "b1").causedBy).toEqual(union);
  });

  test("[R21] a cause that came by a republish after the reservation is inherited too", () => {
    const s = shop();
    receive(s, pairs);
    const runId = s.mutated("book", held);
    s.do(byHand("orders", "o1", { payload: bytesOf("late") }));
    s.do(emptyCommit(runId, { publishes }));
    expect(s.event("booked", "b1").causedBy).toHaveLength(3);
  });

  test("[R21] a consumer that names or registers an input is refused", () => {
    const s = shop();
    receive(s, pairs);
    const runId = s.mutated("book", held);
    const named = [publication("booked", "b1", { inputId: idOf("1") })];
    expect(s.refused(emptyCommit(runId, { publishes: named }))).toBe("input_not_allowed");
    const inputs = [{ ...mail("9"), title: "own" }];
    expect(s.refused(emptyCommit(runId, { inputs }))).toBe("input_not_allowed");
  });
});
