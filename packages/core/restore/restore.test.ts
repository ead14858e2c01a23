import { expect, test } from "vitest";
import { decodeCanonical } from "../canonical/index.ts";
import type { CommitFrame } from "../frame/commit-frame.ts";
import {
  byHand,
  bytesOf,
  call,
  consumer,
  emptyCommit,
  producer,
  publication,
  Scenario,
  version,
} from "../testing/scenario.ts";
import { mayHaveHappened } from "./restore-point.ts";

const actor = "ada";

/** Orders are booked, and every booking is billed; one producer polls, one waits for pushes. */
function deployed(): Scenario {
  const s = new Scenario();
  const handlers = [
    consumer("book", ["orders"]),
    consumer("bill", ["booked"]),
    producer("poll"),
    producer("hook", { webhook: true, scheduled: false }),
  ];
  s.do(version(1, 0, { topics: ["orders", "booked"], handlers }));
  return s;
}

function noteRestore(s: Scenario, storeIncarnation = "store-2"): void {
  s.do({ kind: "note_store", storeIncarnation, restored: true });
}

function openKinds(s: Scenario): string[] {
  return [...s.view.rows("attentions")]
    .filter(({ closedAt }) => closedAt === null)
    .map(({ kind }) => kind);
}

function goOn(s: Scenario): void {
  const asked = [...s.view.rows("attentions")].find(
    ({ kind, closedAt }) => kind === "ledger_may_be_older_than_world" && closedAt === null,
  );
  s.do({ kind: "continue_restored", attentionId: asked?.attentionId ?? "", actor });
}

/** Restored, looked at, and going on. */
function restored(s: Scenario): Scenario {
  noteRestore(s);
  goOn(s);
  return s;
}

test("[R160] a restore brakes everything and asks once, however often it is noted", () => {
  const s = deployed();
  noteRestore(s);
  expect(s.refused({ kind: "note_store", storeIncarnation: "store-2", restored: true })).toBe(
    "store_noted_already",
  );
  noteRestore(s, "store-3");
  expect(openKinds(s)).toEqual(["ledger_may_be_older_than_world"]);
  expect(s.view.load("brakes", "*")).toMatchObject({ setBy: "host" });
  expect(s.refused({ kind: "release_brake", operation: "*", actor })).toBe("restore_not_answered");
  goOn(s);
  expect([...s.view.rows("brakes")]).toEqual([]);
});

test("[R160] a brake that a person had set stays when they let the restored store go on", () => {
  const s = deployed();
  s.do({ kind: "set_brake", operation: "*", reason: "look", actor });
  restored(s);
  expect(s.view.load("brakes", "*")).toMatchObject({ setBy: actor });
});

test("[R160] a brake that a person sets on a restored store stays when they let it go on", () => {
  const s = deployed();
  noteRestore(s);
  s.do({ kind: "set_brake", operation: "*", reason: "look", actor });
  expect(s.refused({ kind: "set_brake", operation: "*", reason: "twice", actor: "eve" })).toBe(
    "brake_is_on",
  );
  expect(s.refused({ kind: "release_brake", operation: "*", actor })).toBe("restore_not_answered");
  goOn(s);
  expect(s.view.load("brakes", "*")).toMatchObject({ setBy: actor, reason: "look" });
  s.do({ kind: "release_brake", operation: "*", actor });
  expect([...s.view.rows("brakes")]).toEqual([]);
});

test("[R160] an input from before the restore asks before it is sent, a later one does not", () => {
  const s = deployed();
  s.do(byHand("orders", "o1"));
  noteRestore(s);
  s.do(byHand("orders", "o2"));
  goOn(s);
  s.do(byHand("orders", "o3"));
  for (const [messageId, state] of [
    ["o1", "ready"],
    ["o2", "ready"],
    ["o3", "in_flight"],
  ] as const) {
    const runId = s.prepared("book", [["orders", messageId]]);
    const { mutationId } = s.send(runId);
    expect(s.view.load("mutations", mutationId).state).toBe(state);
    if (state === "in_flight") continue;
    expect(s.nextWork()).toMatchObject({ kind: "wait", until: null });
    s.do({ kind: "resolve_mutation", mutationId, answer: { says: "skip" }, actor });
    s.do(emptyCommit(runId));
    expect(s.event("orders", messageId).status).toBe("skipped");
  }
});

test("[R160] what comes of an older input is older too, and what is new beside it is not", () => {
  const s = deployed();
  s.do(byHand("orders", "o1"));
  restored(s);
  s.do(byHand("orders", "o2"));
  const runId = s.prepared("book", [["orders", "o1"]]);
  const { mutationId } = s.send(runId);
  const result = bytesOf({ number: 7 });
  s.do({ kind: "resolve_mutation", mutationId, answer: { says: "happened", result }, actor });
  expect(s.view.load("mutations", mutationId)).toMatchObject({
    state: "applied",
    sendCount: 0,
    result: { inline: result },
    resolution: { kind: "happened", actor },
  });
  s.do(emptyCommit(runId, { publishes: [publication("booked", "b1")] }));
  expect(s.event("booked", "b1").older).toBe(true);
  const billing = s.prepared("bill", [["booked", "b1"]]);
  expect(s.send(billing).state).toBe("ready");
  expect(openKinds(s)).toEqual(["may_have_happened"]);
  s.do({ kind: "stop_run", runId: billing, actor });
  s.do({ kind: "resume_workflow", actor });
  expect(s.send(s.prepared("book", [["orders", "o2"]])).state).toBe("in_flight");
});

const behind = (s: Scenario) => s.view.load("workflows").behindRestore;

function findOrder(s: Scenario, messageId: string): boolean {
  s.produce("poll", { publishes: [publication("orders", messageId)] });
  return s.event("orders", messageId).older;
}

test("[R160] what a producer finds is older, page by page, until it finds nothing new", () => {
  const s = restored(deployed());
  expect([findOrder(s, "o1"), findOrder(s, "o2"), findOrder(s, "o3")]).toEqual([true, true, true]);
  expect(openKinds(s)).toEqual(["ledger_may_be_older_than_world"]);
  // What it has seen already is nothing new.
  expect(findOrder(s, "o3")).toBe(true);
  expect(behind(s)).toEqual(["hook"]);
  expect(openKinds(s)).toEqual([]);
  expect(findOrder(s, "o4")).toBe(false);
});

test("[R160] an input that is only registered is something new as well", () => {
  const s = restored(deployed());
  const input = { source: "shop", type: "order", externalId: "7", title: "Order 7" };
  s.produce("poll", { inputs: [input] });
  expect(behind(s)).toEqual(["hook", "poll"]);
  s.produce("poll", { inputs: [input] });
  expect(behind(s)).toEqual(["hook"]);
});

test("[R160] of a producer that finds something every time a person says that it caught up", () => {
  const s = restored(deployed());
  findOrder(s, "o1");
  expect(s.refused({ kind: "continue_restored", attentionId: "a0", actor })).toBe(
    "attention_not_found",
  );
  goOn(s);
  expect([behind(s), openKinds(s)]).toEqual([["hook"], []]);
  expect(findOrder(s, "o2")).toBe(false);
});

test("[R160] a producer is not asked about before the restore itself was answered", () => {
  const s = deployed();
  noteRestore(s);
  findOrder(s, "o1");
  expect(openKinds(s)).toHaveLength(1);
  goOn(s);
  expect([behind(s), openKinds(s)]).toEqual([["hook", "poll"], []]);
  expect(findOrder(s, "o2")).toBe(true);
});

test("[R160] that a producer caught up with one restore says nothing of the next", () => {
  const s = restored(deployed());
  findOrder(s, "o1");
  noteRestore(s, "store-3");
  const kinds = [...s.view.rows("attentions")].filter(({ closedAt }) => closedAt === null);
  expect(kinds.map(({ subject }) => subject)).toEqual([null]);
  goOn(s);
  expect(behind(s)).toEqual(["hook", "poll"]);
});

test("[R160] what is published of a delivery is older if it waited, or may be pushed again", () => {
  const s = deployed();
  const push = (deliveryId: string) => {
    const body = new TextEncoder().encode(deliveryId);
    s.do({ kind: "receive_delivery", handler: "hook", deliveryId, body, title: null, actor });
    const inputId = [...s.view.rows("deliveries")].at(-1)?.inputId ?? "";
    return [inputId];
  };
  const before = push("d1");
  restored(s);
  const after = push("d2");
  s.produce("hook", { deliveries: before, publishes: [publication("orders", "o1")] });
  s.produce("hook", { deliveries: after, publishes: [publication("orders", "o2")] });
  expect([s.event("orders", "o1").older, s.event("orders", "o2").older]).toEqual([true, true]);
  goOn(s);
  s.produce("hook", { deliveries: push("d3"), publishes: [publication("orders", "o3")] });
  expect(s.event("orders", "o3").older).toBe(false);
});

test("[R160] an uncertain call with an older input is not sent again by its key", () => {
  const s = deployed();
  s.do(byHand("orders", "o1"));
  const runId = s.prepared("book", [["orders", "o1"]]);
  const { mutationId } = s.send(runId, { canReconcile: false, retentionMs: 1e9 });
  s.settle(mutationId, { says: "unknown", note: "timeout" });
  expect(s.view.load("mutations", mutationId).state).toBe("needs_reconcile");
  restored(s);
  s.now += 1e6;
  expect(s.nextWork()).toEqual({ kind: "reconcile", mutationId });
  expect(s.refused({ ...s.sending(mutationId), kind: "resend_mutation" })).toBe("retention_over");
  const answer = { says: "retry", note: "there is no way to ask" } as const;
  s.do({ kind: "answer_reconcile", mutationId, answer, jitter: 0 });
  expect(s.view.load("mutations", mutationId).state).toBe("indeterminate");
});

/** A call that a person let go after the first restore, and what became of it. */
function letGo(s: Scenario): { readonly mutationId: string; readonly runId: string } {
  s.do(byHand("orders", "o1"));
  restored(s);
  const runId = s.prepared("book", [["orders", "o1"]]);
  const { mutationId } = s.send(runId, { retentionMs: 1e9 });
  s.do({ kind: "resolve_mutation", mutationId, answer: { says: "send" }, actor });
  expect(s.nextWork()).toEqual({ kind: "send", mutationId });
  return { mutationId, runId };
}

function restoredAgain(s: Scenario): void {
  noteRestore(s, "store-3");
  goOn(s);
}

test("[R160] a call let go after one restore asks again after the next", () => {
  const s = deployed();
  const { mutationId } = letGo(s);
  restoredAgain(s);
  s.do(s.sending(mutationId));
  expect(s.view.load("mutations", mutationId)).toMatchObject({ state: "ready", sendCount: 0 });
  expect(openKinds(s)).toEqual(["may_have_happened"]);
  s.do({ kind: "resolve_mutation", mutationId, answer: { says: "send" }, actor });
  s.do(s.sending(mutationId));
  expect(s.view.load("mutations", mutationId).state).toBe("in_flight");
});

test("[R160] a call let go after one restore is not sent again by its key after the next", () => {
  const s = deployed();
  const { mutationId } = letGo(s);
  s.do(s.sending(mutationId));
  s.settle(mutationId, { says: "unknown", note: "timeout" });
  s.now += 1e6;
  expect(s.nextWork()).toEqual({ kind: "resend", mutationId });
  restoredAgain(s);
  expect(s.nextWork()).toEqual({ kind: "reconcile", mutationId });
  expect(s.refused({ ...s.sending(mutationId), kind: "resend_mutation" })).toBe("retention_over");
});

test("[R160] a word that does not say in which store it was given lets nothing go", () => {
  const s = deployed();
  s.do(byHand("orders", "o1"));
  restored(s);
  const runId = s.prepared("book", [["orders", "o1"]]);
  const { mutationId } = s.send(runId);
  const row = s.view.load("mutations", mutationId);
  const resolution = { kind: "send", actor, at: s.now } as const;
  expect(mayHaveHappened(s.view, { ...row, resolution })).toBe(true);
  const here = { ...resolution, storeIncarnation: "store-2" };
  expect(mayHaveHappened(s.view, { ...row, resolution: here })).toBe(false);
});

const machine = "orders/order@1";

/** Orders go to a machine, which books them; bookings are billed by a consumer. */
function withMachine(): Scenario {
  const s = new Scenario();
  const topics = ["orders", "booked"];
  const activated = version(1, 0, { topics, handlers: [consumer("bill", ["booked"])] });
  const own = activated.topics.map((topic) => ({ ...topic, machines: topic.name === "orders" }));
  s.do({ ...activated, topics: own, machines: true, definitions: [`${machine} one`] });
  keepFrame(s);
  return s;
}

/** All that waits is served; `more` is what the steps said. */
function keepFrame(s: Scenario, more: Partial<CommitFrame> = {}): void {
  const served = [...s.view.rows("machine_inputs")].map(({ position }) => position);
  const firstSeq = s.view.load("workflows").machineSeq + 1;
  const frame = { firstSeq, lastSeq: firstSeq, body: bytesOf("records"), snapshot: null };
  const nothing = { refused: [], publishes: [], cells: [], blobs: [], parts: [], dueAt: null };
  s.do({ kind: "commit_frame", frame, served, ...nothing, ...more });
}

/** A recorded call of a machine, about to be sent. */
function sendIntent(s: Scenario, digit: string, older: boolean): string {
  const { kind, runId, subkey, ...toRecord } = call("r0", { verdict: s.verdict() });
  const intentId = digit.repeat(64);
  const origin = { intentId, machine, cellKey: null, requestedKey: null, title: "Book it", older };
  s.do({ kind: "record_intent", ...toRecord, ...origin });
  const { mutationId } = [...s.view.rows("mutations")].find((each) => each.itemId === intentId) ?? {
    mutationId: "",
  };
  s.do(s.sending(mutationId));
  return s.view.load("mutations", mutationId).state;
}

test("[R160] an older call of a machine asks before it is sent, a newer one does not", () => {
  const s = restored(withMachine());
  expect(sendIntent(s, "1", true)).toBe("ready");
  expect(openKinds(s)).toEqual(["may_have_happened"]);
  expect(sendIntent(s, "2", false)).toBe("in_flight");
  const never = withMachine();
  expect(sendIntent(never, "1", false)).toBe("in_flight");
});

test("[R160] what a machine says of something older is older, and so is what comes of it", () => {
  const s = restored(withMachine());
  const said = (messageId: string, older: boolean) => {
    return { topic: "booked", messageId, payload: bytesOf({ messageId }), older, causedBy: [] };
  };
  keepFrame(s, { publishes: [said("b1", true), said("b2", false)] });
  const billing = s.prepared("bill", [["booked", "b1"]]);
  expect(s.send(billing).state).toBe("ready");
  s.do({ kind: "stop_run", runId: billing, actor });
  s.do({ kind: "resume_workflow", actor });
  expect(s.send(s.prepared("bill", [["booked", "b2"]])).state).toBe("in_flight");
});

test("[R160] the first frame since the restore says where it was, until the point moves", () => {
  const s = withMachine();
  const known = () => s.view.load("workflows").restoredMachineSeq;
  const marks = () => [...s.view.rows("older_cells")].map(({ mark }) => mark);
  keepFrame(s, { older: { added: ["c0"], removed: [] } });
  expect([known(), marks()]).toEqual([null, []]);
  noteRestore(s);
  keepFrame(s, { older: { added: ["c1", "c2"], removed: [] } });
  keepFrame(s, { older: { added: [], removed: ["c1"] } });
  expect([known(), marks()]).toEqual([2, ["c2"]]);
  goOn(s);
  expect([known(), marks()]).toEqual([null, ["c2"]]);
  keepFrame(s);
  keepFrame(s);
  expect([known(), marks()]).toEqual([4, ["c2"]]);
});

test("[R160] an older event waits for machines as an older one", () => {
  const s = new Scenario();
  const activated = version(1, 0, { topics: ["orders"], handlers: [producer("poll")] });
  const own = activated.topics.map((topic) => ({ ...topic, machines: true }));
  s.do({ ...activated, topics: own, machines: true, definitions: [`${machine} one`] });
  keepFrame(s);
  restored(s);
  s.produce("poll", { publishes: [publication("orders", "o1")] });
  s.do(byHand("orders", "o2"));
  const waiting = [...s.view.rows("machine_inputs")].map(({ body }) => {
    return decodeCanonical(body.inline ?? new Uint8Array()) as { messageId: string; older?: true };
  });
  expect(waiting.map(({ messageId, older }) => [messageId, older])).toEqual([
    ["o1", true],
    ["o2", undefined],
  ]);
});
