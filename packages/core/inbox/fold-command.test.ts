import { describe, expect, test } from "vitest";
import { InvariantError } from "../ports/invariant.ts";
import {
  byHand,
  bytesOf,
  consumer,
  dump,
  producer,
  Scenario,
  version,
} from "../testing/scenario.ts";
import { foldCommand } from "./fold-command.ts";

function shop(): Scenario {
  const s = new Scenario();
  const handlers = [producer("poll"), consumer("book", ["orders"])];
  s.do(version(1, 0, { topics: ["orders"], handlers }));
  s.do(byHand("orders", "o1"));
  return s;
}

const o1 = { topic: "orders", messageId: "o1" };

describe("the verdict", () => {
  test("[R127, R158] of an accepted command: who, what, when, and what came of it", () => {
    const s = shop();
    s.now += 7;
    expect(s.fold("reset_producer", { handler: "poll" }, "bob")).toEqual({
      commandId: "c1",
      position: 1,
      kind: "reset_producer",
      actor: "bob",
      accepted: true,
      refusal: null,
      note: "events it has published before will not run again without a topic reset",
      answeredAt: s.now,
    });
  });

  test("[R127, R158] of a refused one: the same, with the reason, and nothing else changes", () => {
    const s = shop();
    const { workflows: _, verdicts: __, ...before } = dump(s.view);
    const verdict = s.fold("skip_event", { topic: "orders", messageId: "o9" }, "bob");
    expect(verdict).toMatchObject({
      actor: "bob",
      accepted: false,
      refusal: "event_not_found",
      note: "There is no such event.",
      answeredAt: s.now,
    });
    expect(s.factKinds().at(-1)).toBe("command_answered");
    expect(dump(s.view)).toMatchObject(before);
  });

  test("[R158] a rule that refuses half way leaves nothing of its first half", () => {
    const s = shop();
    const body = { topic: "nowhere", messageId: "o1", payload: bytesOf(1), title: null };
    expect(s.fold("publish_event", body)).toMatchObject({ refusal: "topic_not_declared" });
    expect(s.records.slice(-1)).toMatchObject([{ fact: { kind: "command_answered" } }]);
    expect([...s.view.rows("inputs")]).toHaveLength(1);
  });

  test("[R158] of a malformed one is an answer too, and the inbox moves on", () => {
    const s = shop();
    expect(s.fold("skip_event", { topic: "orders" })).toMatchObject({
      accepted: false,
      refusal: "command_malformed",
      note: "skip_event.messageId: expected text",
    });
    expect(s.fold("no_such_command", {})).toMatchObject({ refusal: "command_malformed" });
    expect(s.fold("skip_event", o1)).toMatchObject({ accepted: true, position: 3 });
    expect(s.event("orders", "o1").status).toBe("skipped");
  });

  test("[R158] facts and verdict are one change, the verdict last", () => {
    const s = shop();
    const body = bytesOf(o1);
    const entry = { commandId: "c1", workflow: "orders", actor: "ada", at: 1, position: 1 };
    const decision = foldCommand(s.view, { ...entry, kind: "skip_event", body }, s.now);
    expect(decision.ok && decision.records.map(({ fact }) => fact.kind)).toEqual([
      "event_skipped",
      "command_answered",
    ]);
  });

  test("[R127] the actor comes from the envelope into the fact", () => {
    const s = shop();
    s.fold("skip_event", o1, "eve");
    const skipped = s.records.find(({ fact }) => fact.kind === "event_skipped");
    expect(skipped?.fact).toMatchObject({ actor: "eve" });
  });
});

describe("the order", () => {
  const entry = {
    commandId: "c9",
    workflow: "orders",
    actor: "ada",
    kind: "run_now",
    body: bytesOf({}),
    at: 1,
  };

  test("[R158] entries are folded one after the other: a gap stops the process", () => {
    const s = shop();
    expect(() => foldCommand(s.view, { ...entry, position: 2 }, s.now)).toThrow(InvariantError);
    s.fold("run_now", {});
    expect(s.view.load("workflows").inboxThrough).toBe(1);
    expect(() => foldCommand(s.view, { ...entry, position: 1 }, s.now)).toThrow(InvariantError);
    expect(foldCommand(s.view, { ...entry, position: 2 }, s.now).ok).toBe(true);
  });

  test("[R74] of two people who answer the same question, one wins and the other is told", () => {
    const s = shop();
    const { mutationId } = s.send(s.prepared("book", [["orders", "o1"]]));
    s.settle(mutationId, { says: "unknown", note: "timeout" });
    const first = s.fold("resolve_mutation", { mutationId, answer: { says: "skip" } }, "ada");
    const happened = { says: "happened", result: null };
    const second = s.fold("resolve_mutation", { mutationId, answer: happened }, "bob");
    expect([first.accepted, second.accepted, second.refusal]).toEqual([
      true,
      false,
      "mutation_resolved",
    ]);
  });
});
