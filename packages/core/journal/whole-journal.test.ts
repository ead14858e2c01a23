import { describe, expect, test } from "vitest";
import { rules } from "../decide.ts";
import { plainGrants } from "../grant/grant.ts";
import { encodeGrants } from "../grant/read-grants.ts";
import { itemChapter } from "../testing/item-chapter.ts";
import { machineChapter } from "../testing/machine-chapter.ts";
import {
  asking,
  byHand,
  bytesOf,
  call,
  consumer,
  dump,
  type EventName,
  emptyCommit,
  producer,
  publication,
  Scenario,
  version,
} from "../testing/scenario.ts";
import { inputIdOf } from "../topic/input-id.ts";
import { View } from "../view/view.ts";
import { apply } from "./apply.ts";
import type { FactKind } from "./fact.ts";
import { isKnownFact, project } from "./project.ts";
import { type ChainPoint, genesisHash, openRecord, sealRecords } from "./record.ts";

const actor = "ada";
const order = (id: string): EventName => ["orders", id];
const big = bytesOf("x".repeat(600));
const bigText = new TextEncoder().encode("x".repeat(600));

function open(s: Scenario): void {
  const handlers = [
    producer("poll"),
    producer("clock", { catchUp: "skip" }),
    producer("hook", { scheduled: false, webhook: true }),
    consumer("book", ["orders"]),
  ];
  s.do(version(1, 0, { topics: ["orders"], observed: ["booked"], handlers }));
  for (const id of ["o1", "o2", "o3", "o4", "o5"]) s.do(byHand("orders", id));
  s.do(byHand("orders", "o1", { payload: big }));
  pushed(s);
  const dueAt = s.now;
  s.now += 120_000;
  const nextRunAt = s.now + 1e6;
  s.do({ kind: "skip_firing", handler: "clock", dueAt, firingCount: 1, nextRunAt });
  s.produce("poll", {
    publishes: [publication("orders", "o6", { payload: big }), publication("orders", null)],
    state: bytesOf({ since: 1 }),
    kv: [
      { key: "a", value: bytesOf(1) },
      { key: "b", value: big },
    ],
    nextRunAt: s.now + 1e6,
  });
  s.produce("poll", { kv: [{ key: "b", value: null }] });
}

/** Two deliveries: one is taken by a run, one a person skips. */
function pushed(s: Scenario): void {
  const input = (deliveryId: string) =>
    inputIdOf({ source: "webhook", type: "hook", externalId: deliveryId });
  for (const deliveryId of ["d1", "d2"]) {
    s.do({
      kind: "receive_delivery",
      handler: "hook",
      deliveryId,
      body: bigText,
      title: null,
      actor,
    });
  }
  s.do({ kind: "skip_input", inputId: input("d2"), actor });
  s.produce("hook", { deliveries: [input("d1")] });
}

/** Asked, approved, not sent, sent, failed for now, sent again, applied; next fails once. */
function approvedChange(s: Scenario): void {
  const runId = s.prepared("book", [order("o1")], { uiTitle: "Book o1", wakeAt: s.now + 60_000 });
  s.do(call(runId, { payload: big, ask: asking(s.now + 1e6) }));
  const mutationId = s.view.load("runs", runId).mutationId ?? "";
  const { payloadHash } = s.view.load("mutations", mutationId);
  s.fold("approve_mutation", { mutationId, payloadHash, previewHash: "p" });
  s.do(s.sending(mutationId));
  s.do({ kind: "report_unsent", mutationId, incarnation: "h1", note: "too late" });
  s.do(s.sending(mutationId));
  const failure = { class: "transient", message: "refused", location: "book" } as const;
  s.settle(mutationId, { says: "failed", failure, jitter: 0 });
  s.now += 10_000;
  s.do({ kind: "resume_run", runId, actor: "host" });
  s.do(s.sending(mutationId));
  s.settle(mutationId, { says: "applied", result: big });
  s.failLogic(runId);
  s.do({ kind: "retry_run", runId, actor });
  const publishes = [publication("booked", "b1"), publication("booked", null)];
  s.do(emptyCommit(s.retry(runId), { publishes, state: bytesOf(1) }));
}

/** Rejected; then one nobody answers, which turns out uncertain and is found by looking. */
function askedChanges(s: Scenario): void {
  const first = s.prepared("book", [order("o2")]);
  const ask = asking(s.now + 1_000);
  s.do(call(first, { ask }));
  const rejected = s.view.load("runs", first).mutationId ?? "";
  // biome-ignore lint/suspicious/noThenProperty: the word of the contract; never awaited
  s.do({ kind: "reject_mutation", mutationId: rejected, reason: "no", then: "skip", actor });
  s.do(emptyCommit(first));
  const runId = s.prepared("book", [order("o3")]);
  s.do(call(runId, { ask }));
  s.now += 1_000;
  const expired = s.view.load("runs", runId).mutationId ?? "";
  s.do({ kind: "expire_approval", mutationId: expired });
  editAsked(s, runId);
  const asked = s.view.load("runs", runId).mutationId ?? "";
  // biome-ignore lint/suspicious/noThenProperty: the word of the contract; never awaited
  s.do({ kind: "reject_mutation", mutationId: asked, reason: "no", then: "skip", actor });
  s.do(emptyCommit(runId));
}

function editAsked(s: Scenario, runId: string): void {
  const mutationId = s.view.load("runs", runId).mutationId ?? "";
  const { payloadHash: editedHash } = s.view.load("mutations", mutationId);
  const { kind, runId: of, connection, operation, ...same } = call(runId);
  const edited = { ...same, payload: bytesOf("less"), ask: asking(s.now + 1_000) };
  s.do({ ...edited, kind: "edit_mutation", mutationId, editedHash, actor });
}

/** Allowed, then to be asked about; approved, uncertain, sent again and found by looking. */
function grantedChange(s: Scenario): void {
  s.do(byHand("orders", "o3b"));
  const runId = s.prepared("book", [order("o3b")]);
  s.do(call(runId, { operation: "change", canReconcile: true, retentionMs: 1e7 }));
  const grants = encodeGrants(plainGrants("ask", ["shop.change"]));
  s.do({ kind: "set_envelope", grants, actor });
  const verdict = { envelope: 1, grant: 0, says: "ask" } as const;
  const allowed = s.view.load("runs", runId).mutationId ?? "";
  const ask = asking(s.now + 1e7);
  s.do({ kind: "ask_approval", mutationId: allowed, verdict, ask, connectorVersion: "2" });
  const mutationId = s.view.load("runs", runId).mutationId ?? "";
  const { payloadHash } = s.view.load("mutations", mutationId);
  s.fold("approve_mutation", { mutationId, payloadHash, previewHash: "p" });
  s.do(s.sending(mutationId));
  s.settle(mutationId, { says: "unknown", note: "timeout" });
  const answer = { says: "retry", note: "not yet" } as const;
  s.do({ kind: "answer_reconcile", mutationId, answer, jitter: 0 });
  s.now += 10_000;
  s.do({ ...s.sending(mutationId), kind: "resend_mutation" });
  s.settle(mutationId, { says: "unknown", note: "timeout" });
  const found = { says: "applied", result: null } as const;
  s.do({ kind: "answer_reconcile", mutationId, answer: found, jitter: 0 });
  s.do(emptyCommit(runId));
}

/** A person gives up on knowing, and then it had happened after all. */
function lateChange(s: Scenario): void {
  const runId = s.skippedOver("book", [order("o4")]);
  const mutationId = s.view.load("runs", runId).mutationId ?? "";
  const late = { says: "applied", result: null, note: "webhook" } as const;
  s.do({ kind: "record_late_answer", mutationId, ...late });
  const asked = [...s.view.rows("attentions")].find((row) => row.kind === "happened_after_all");
  s.do({ kind: "acknowledge", attentionId: asked?.attentionId ?? "", actor });
  s.do({ kind: "release_brake", operation: "shop.book", actor });
  s.do({ kind: "set_brake", operation: "*", reason: "look", actor });
  s.do(emptyCommit(runId));
}

function interrupted(s: Scenario): void {
  const quiet = s.prepared("book", [order("o5")]);
  s.do(byHand("orders", "o5", { payload: bytesOf("late") }));
  s.do({ kind: "finish_mutate", runId: quiet });
  s.do({ kind: "pause_run", runId: quiet, because: { reason: "user" } });
  s.do({ kind: "resume_run", runId: quiet, actor });
  s.do(emptyCommit(quiet));
  const first = s.prepared("book", [order("o6")]);
  s.do({ kind: "recover_run", incarnation: "h2" });
  s.retry(first);
  s.do({ kind: "recover_run", incarnation: "h3" });
  s.do({ kind: "resume_workflow", actor });
  const stopped = s.retry(s.openRun().runId);
  s.do({ kind: "stop_run", runId: stopped, actor });
  s.do({ kind: "archive_workflow", actor });
  s.do({ kind: "restore_workflow", actor });
  s.do({ kind: "resume_workflow", actor });
  s.do({ kind: "pause_workflow", actor });
  s.do({ kind: "resume_workflow", actor });
}

/** Nobody works it off for so long that a person is asked. */
function forgotten(s: Scenario): void {
  s.do(byHand("orders", "o99"));
  const inputId = inputIdOf({ source: "system", type: "manual", externalId: "orders/o99" });
  s.now += s.view.policy.staleInputMs + 1;
  s.do({ kind: "note_stale", inputId, count: 1, isMore: false });
  s.do({ kind: "skip_input", inputId, actor });
}

/** The store is restored; what was there asks before it is sent, once as not sent, once as sent. */
function restored(s: Scenario): void {
  s.do({ kind: "release_brake", operation: "*", actor });
  s.do(byHand("orders", "o7"));
  s.do(byHand("orders", "o8"));
  s.do({ kind: "note_store", storeIncarnation: "store-2", restored: true });
  const asked = [...s.view.rows("attentions")].find(
    (row) => row.kind === "ledger_may_be_older_than_world",
  );
  s.do({ kind: "continue_restored", attentionId: asked?.attentionId ?? "", actor });
  const first = s.prepared("book", [order("o7")]);
  const { mutationId } = s.send(first);
  s.do({ kind: "resolve_mutation", mutationId, answer: { says: "send" }, actor });
  s.do(s.sending(mutationId));
  s.settle(mutationId, { says: "applied", result: null });
  s.do(emptyCommit(first));
  const second = s.prepared("book", [order("o8")]);
  const happened = { says: "happened", result: null } as const;
  const held = s.send(second).mutationId;
  s.do({ kind: "resolve_mutation", mutationId: held, answer: happened, actor });
  s.do(emptyCommit(second));
}

function secondThoughts(s: Scenario): void {
  const inputId = inputIdOf({ source: "system", type: "manual", externalId: "orders/o1" });
  s.fold("reprocess_event", { topic: "orders", messageId: "o1" });
  s.fold("skip_event", { topic: "orders", messageId: "o6" });
  s.do({ kind: "skip_event", topic: "orders", messageId: "o1", actor });
  s.do({ kind: "reprocess_event", topic: "orders", messageId: "o1", actor });
  s.do({ kind: "skip_input", inputId, actor });
  s.do({ kind: "reprocess_input", inputId, actor });
  s.do({ kind: "reset_topic", topic: "orders", actor });
  s.do({ kind: "reset_producer", handler: "poll", actor });
  s.do({ kind: "run_now", actor });
  s.fold("no_such_command", {});
  const handlers = [consumer("book", ["orders"]), producer("fresh")];
  s.do(version(2, 0, { topics: ["orders"], handlers }));
}

function wholeLife(): Scenario {
  const s = new Scenario();
  const chapters = [open, approvedChange, askedChanges, grantedChange, lateChange, interrupted];
  for (const chapter of chapters) chapter(s);
  restored(s);
  forgotten(s);
  secondThoughts(s);
  itemChapter(s);
  machineChapter(s);
  s.do({ kind: "take_checkpoint", tables: [], chunks: [] });
  return s;
}

/** The compiler asks for a new line with every new fact. */
const factKinds: Readonly<Record<FactKind, true>> = {
  workflow_created: true,
  version_activated: true,
  workflow_paused: true,
  workflow_resumed: true,
  workflow_archived: true,
  workflow_restored: true,
  workflow_errored: true,
  workflow_error_cleared: true,
  version_proposed: true,
  version_shadowed: true,
  version_decided: true,
  version_applied: true,
  apply_asked: true,
  apply_blocked: true,
  input_registered: true,
  input_skipped: true,
  input_reopened: true,
  delivery_received: true,
  delivery_skipped: true,
  event_published: true,
  event_replaced: true,
  republish_noted: true,
  event_skipped: true,
  event_reprocessed: true,
  topic_reset: true,
  run_started: true,
  run_prepared: true,
  run_advanced: true,
  run_paused: true,
  run_resumed: true,
  run_failed: true,
  run_crashed: true,
  run_retry_ordered: true,
  events_released: true,
  run_aborted: true,
  run_committed: true,
  envelope_set: true,
  mutation_recorded: true,
  mutation_approved: true,
  mutation_sent: true,
  mutation_applied: true,
  mutation_failed: true,
  mutation_requeued: true,
  mutation_uncertain: true,
  mutation_indeterminate: true,
  mutation_skipped: true,
  mutation_cleared: true,
  mutation_presumed_sent: true,
  mutation_unasked: true,
  evidence_recorded: true,
  producer_reset: true,
  producers_called: true,
  firing_skipped: true,
  command_answered: true,
  attention_opened: true,
  attention_closed: true,
  brake_set: true,
  brake_released: true,
  store_noted: true,
  restore_point_moved: true,
  events_reserved: true,
  item_entered: true,
  item_left: true,
  item_completed: true,
  item_failed: true,
  item_questioned: true,
  item_reopened: true,
  item_skipped: true,
  items_freshened: true,
  payload_questioned: true,
  payload_accepted: true,
  machine_input_received: true,
  machine_frame_committed: true,
  cell_holds_events: true,
  intent_opened: true,
  intent_settled: true,
  checkpoint_taken: true,
};

describe("a whole life of a workflow", () => {
  const s = wholeLife();

  test("uses every command and records every kind of fact", () => {
    const commands = new Set(s.commandKinds);
    expect(Object.keys(rules).filter((kind) => !commands.has(kind))).toEqual([]);
    const facts = new Set<string>(s.factKinds());
    expect(Object.keys(factKinds).filter((kind) => !facts.has(kind))).toEqual([]);
    expect(Object.keys(factKinds).every(isKnownFact)).toBe(true);
  });

  test("folded from nothing gives the state that was lived", () => {
    const folded = s.records.reduce(apply, View.empty("orders"));
    expect(dump(folded)).toEqual(dump(s.view));
    expect(folded.head).toMatchObject({ seq: s.view.head.seq, at: s.view.head.at });
  });

  test("sealed, opened and folded gives it too: nothing is lost in the bytes", () => {
    let previous: ChainPoint = { seq: 0, hash: genesisHash };
    const view = View.empty("orders");
    for (const stored of sealRecords("orders", previous, s.records)) {
      const opened = openRecord("orders", previous, stored);
      if (!opened.ok) throw new Error(opened.note);
      apply(view, opened.record);
      previous = stored;
    }
    expect(dump(view)).toEqual(dump(s.view));
  });

  test("folding one record less gives another state", () => {
    const last = s.records.findLast((record) => project(record).length > 0);
    const shorter = s.records.filter(({ seq }) => seq < (last?.seq ?? 0));
    expect(dump(shorter.reduce(apply, View.empty("orders")))).not.toEqual(dump(s.view));
  });

  test("the same record is projected to the same rows every time", () => {
    for (const record of s.records) expect(project(record)).toEqual(project(record));
  });

  test("every payload over the inline limit has its blob, stored once per change", () => {
    const hashes = new Set<string>(s.blobs.map(({ hash }) => hash));
    const payloads = [...s.view.rows("events"), ...s.view.rows("mutations")].map(
      (row) => row.payload,
    );
    const pinned = payloads.filter((payload) => payload.inline === null);
    expect(pinned.length).toBeGreaterThan(0);
    expect(pinned.every(({ hash }) => hashes.has(hash))).toBe(true);
  });

  test("a decision's own view of after is what the fold makes of its records", () => {
    const commands = [byHand("orders", "o9"), { kind: "run_now", actor }] as const;
    const decision = s.decide(commands);
    if (!decision.ok) throw new Error(decision.refusal.code);
    const folded = [...s.records, ...decision.records].reduce(apply, View.empty("orders"));
    expect(dump(decision.after)).toEqual(dump(folded));
  });
});
