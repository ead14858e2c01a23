import {
  type CommandKind,
  type CoreCommand,
  encodeCanonical,
  type Instant,
  type MutationRow,
  type RunRow,
  type View,
} from "@holdfast/core";
import { askOf, grantsOf, verdictOf } from "./random-grants.ts";
import { itemMakers } from "./random-items.ts";
import { machineMakers } from "./random-machines.ts";
import { proposalMakers } from "./random-proposals.ts";
import { versionCommand } from "./random-version.ts";

/** Numbers a property-test run supplies; everything else comes from the state they meet. */
export type Choice = { readonly op: number; readonly a: number; readonly b: number };

type Situation = { readonly view: View; readonly now: Instant; readonly choice: Choice };

function pick<T>(values: readonly T[], index: number): T | undefined {
  return values[index % Math.max(values.length, 1)];
}

function openRun(view: View): RunRow | undefined {
  return [...view.rows("runs")].find((run) => run.open);
}

/** Mostly the run that is open, sometimes one that is not or never was. */
function someRun({ view, choice }: Situation): string {
  const open = openRun(view);
  if (open && choice.b % 8 !== 0) return open.runId;
  return pick([...view.rows("runs")], choice.a)?.runId ?? "r0";
}

function someMutation({ view, choice }: Situation): MutationRow | undefined {
  const all = [...view.rows("mutations")];
  return choice.b % 8 === 0 ? pick(all, choice.a) : all.at(-1);
}

function mutationId(situation: Situation): string {
  return someMutation(situation)?.mutationId ?? "m0";
}

function someEvent({ view, choice }: Situation): { topic: string; messageId: string } {
  const event = pick([...view.rows("events")], choice.a);
  return event ?? { topic: "orders", messageId: "none" };
}

function payload(choice: Choice): Uint8Array {
  const large = choice.b % 5 === 0 ? "x".repeat(600) : "";
  return encodeCanonical({ n: choice.a % 7, large });
}

const failureOf = (choice: Choice) => {
  const classes = ["transient", "logic", "auth", "internal", "precondition"] as const;
  const failure = pick(classes, choice.a) ?? "logic";
  return { class: failure, message: "it broke", location: "book.mutate" };
};

const jitterOf = (choice: Choice) => (choice.b % 10) / 10;

function prepareCommand(situation: Situation): CoreCommand {
  const { view, now, choice } = situation;
  const runId = someRun(situation);
  const handler = view.find("runs", runId)?.handler;
  const subscribed = handler ? (view.find("handlers", handler)?.subscribe ?? []) : [];
  const pending = [...view.rows("events")].filter(
    (event) => event.status === "pending" && subscribed.includes(event.topic),
  );
  const wanted = choice.b % 9 === 0 ? [someEvent(situation)] : pending.slice(0, choice.a % 4);
  return {
    kind: "finish_prepare",
    runId,
    asOf: view.head.seq,
    reservations: wanted.map(({ topic, messageId }) => ({ topic, messageId, revision: null })),
    prepareResult: payload(choice),
    selectionId: null,
    uiTitle: choice.a % 2 === 0 ? "Book it" : null,
    trigger: null,
    wakeAt: choice.b % 3 === 0 ? now + choice.a * 1_000 : null,
  };
}

function commitCommand(situation: Situation): CoreCommand {
  const { view, now, choice } = situation;
  const runId = someRun(situation);
  const producer = view.find("runs", runId)?.kind === "producer";
  const topic = producer ? "orders" : "bookings";
  const publishes = Array.from({ length: choice.a % 3 }, (_, index) => ({
    topic,
    messageId: choice.b % 4 === 0 ? null : `e${(choice.a + index) % 9}`,
    payload: payload(choice),
    title: null,
    inputId: null,
  }));
  return {
    kind: "commit_run",
    runId,
    inputs: [],
    publishes,
    state: choice.b % 2 === 0 ? payload(choice) : null,
    nextRunAt: producer ? now + 60_000 : null,
    kv: producer && choice.a % 2 === 0 ? [{ key: `k${choice.b % 3}`, value: payload(choice) }] : [],
    deliveries: takenBy(situation, runId),
  };
}

/** Now and then one that does not wait, which is refused. */
function takenBy({ view, choice }: Situation, runId: string): readonly string[] {
  if (view.find("runs", runId)?.kind !== "producer") return [];
  const wanted = choice.a % 7 === 0 ? "taken" : "waiting";
  const found = [...view.rows("deliveries")].filter(({ status }) => status === wanted);
  return found.slice(0, choice.b % 4).map(({ inputId }) => inputId);
}

function callCommand(situation: Situation): Extract<CoreCommand, { kind: "record_mutation" }> {
  const { now, choice } = situation;
  const asks = choice.b % 5 === 0;
  return {
    kind: "record_mutation",
    runId: someRun(situation),
    connector: "http",
    connection: "shop",
    connectorVersion: "1",
    operation: choice.a % 2 === 0 ? "post" : "put",
    target: "/orders",
    identity: encodeCanonical({ ref: choice.a % 3 }),
    payload: payload(choice),
    canReconcile: choice.a % 3 !== 0,
    retentionMs: choice.b % 3 === 0 ? 3_600_000 : null,
    visibilityDelayMs: choice.b % 2 === 0 ? 1_000 : null,
    timeoutMs: 1_000,
    verdict: verdictOf(situation, asks ? "ask" : "allow"),
    amount: amountOf(situation),
    ask: asks ? askOf(now + 5_000) : null,
  };
}

function settleCommand(situation: Situation): CoreCommand {
  const { now, choice } = situation;
  const outcomes = [
    { says: "applied", result: payload(choice) },
    { says: "failed", failure: failureOf(choice), jitter: jitterOf(choice) },
    { says: "rate_limited", until: now + 1_000 },
    { says: "unknown", note: "no answer in time" },
  ] as const;
  const outcome = pick(outcomes, choice.b) ?? outcomes[0];
  return { kind: "settle_mutation", mutationId: mutationId(situation), outcome };
}

function reconcileCommand(situation: Situation): CoreCommand {
  const { choice } = situation;
  const answers = [
    { says: "applied", result: null },
    { says: "failed", note: "not found", quietForMs: choice.a * 500 },
    { says: "retry", note: "busy" },
    { says: "unreachable", note: "down" },
  ] as const;
  const answer = pick(answers, choice.b) ?? answers[0];
  const id = mutationId(situation);
  return { kind: "answer_reconcile", mutationId: id, answer, jitter: jitterOf(choice) };
}

function resolveCommand(situation: Situation): CoreCommand {
  const { choice } = situation;
  const answers = [
    { says: "try_again" },
    // biome-ignore lint/suspicious/noThenProperty: the word of the contract; never awaited
    { says: "did_not_happen", then: null },
    { says: "happened", result: null },
    { says: "skip" },
    { says: "send" },
  ] as const;
  const answer = pick(answers, choice.b) ?? answers[0];
  return { kind: "resolve_mutation", mutationId: mutationId(situation), answer, actor: "ann" };
}

function pauseCommand(situation: Situation): CoreCommand {
  const { now, choice } = situation;
  const failure = failureOf(choice);
  const reasons = [
    { reason: "backoff", failure, jitter: jitterOf(choice) },
    { reason: "rate_limit", until: now + 2_000 },
    { reason: "user" },
    { reason: "auth", failure },
    { reason: "budget", failure, until: now + 3_000 },
    { reason: "permission", failure },
  ] as const;
  const because = pick(reasons, choice.b) ?? reasons[2];
  return { kind: "pause_run", runId: someRun(situation), because };
}

function amountOf({ choice }: Situation): number | null {
  return choice.b % 4 === 0 ? choice.a : null;
}

function sendingOf(situation: Situation) {
  const { now, choice } = situation;
  const incarnation = `host${choice.a % 2}`;
  const verdict = verdictOf(situation, choice.b % 6 === 0 ? "ask" : "allow");
  const sending = { incarnation, epoch: 1, sendBy: now + 500, timeoutMs: 1_000, verdict };
  return { ...sending, sentAt: now + (choice.a % 3), amount: amountOf(situation) };
}

type Maker = (situation: Situation) => CoreCommand;
const actor = "ann";

/** One maker per command of the core; the compiler sees to it that none is forgotten. */
export const makers: { readonly [K in CommandKind]: Maker } = {
  create_workflow: ({ view }) => ({ kind: "create_workflow", name: view.workflow }),
  activate_version: versionCommand,
  pause_workflow: () => ({ kind: "pause_workflow", actor }),
  resume_workflow: () => ({ kind: "resume_workflow", actor }),
  archive_workflow: () => ({ kind: "archive_workflow", actor }),
  restore_workflow: () => ({ kind: "restore_workflow", actor }),
  publish_event: ({ choice }) => ({
    kind: "publish_event",
    topic: "orders",
    messageId: `e${choice.a % 9}`,
    payload: payload(choice),
    title: null,
    actor,
  }),
  receive_delivery: ({ choice }) => ({
    kind: "receive_delivery",
    handler: choice.a % 5 === 0 ? "book" : "poll",
    deliveryId: `d${choice.b % 12}`,
    body: new TextEncoder().encode(`body ${choice.a}`.repeat(choice.a % 200)),
    title: null,
    actor,
  }),
  skip_event: (situation) => ({ kind: "skip_event", ...ref(situation), actor }),
  reprocess_event: (situation) => ({ kind: "reprocess_event", ...ref(situation), actor }),
  skip_input: (situation) => ({ kind: "skip_input", inputId: someInput(situation), actor }),
  reprocess_input: (situation) => ({
    kind: "reprocess_input",
    inputId: someInput(situation),
    actor,
  }),
  reset_topic: () => ({ kind: "reset_topic", topic: "orders", actor }),
  reset_producer: () => ({ kind: "reset_producer", handler: "poll", actor }),
  run_now: () => ({ kind: "run_now", actor }),
  skip_firing: ({ view, now }) => {
    const dueAt = view.find("handlers", "poll")?.nextRunAt ?? now;
    return {
      kind: "skip_firing",
      handler: "poll",
      dueAt,
      firingCount: 1,
      nextRunAt: now + 60_000,
    };
  },
  start_run: ({ view, choice }) => {
    const handler = pick(["book", "poll", "digest", "tidy"], choice.a) ?? "book";
    return { kind: "start_run", handler, asOf: view.head.seq, trigger: null };
  },
  start_retry: (situation) => ({ kind: "start_retry", runId: someRun(situation) }),
  finish_prepare: prepareCommand,
  finish_mutate: (situation) => ({ kind: "finish_mutate", runId: someRun(situation) }),
  commit_run: commitCommand,
  pause_run: pauseCommand,
  resume_run: (situation) => {
    const who = situation.choice.a % 2 === 0 ? "host" : actor;
    return { kind: "resume_run", runId: someRun(situation), actor: who };
  },
  fail_run: (situation) => {
    const failure = { class: "logic", message: "undefined", location: "book.next" } as const;
    return { kind: "fail_run", runId: someRun(situation), failure };
  },
  retry_run: (situation) => ({ kind: "retry_run", runId: someRun(situation), actor }),
  stop_run: (situation) => ({ kind: "stop_run", runId: someRun(situation), actor }),
  recover_run: ({ choice }) => ({ kind: "recover_run", incarnation: `host${choice.a % 3}` }),
  record_mutation: callCommand,
  approve_mutation: (situation) => ({
    kind: "approve_mutation",
    mutationId: mutationId(situation),
    payloadHash: someMutation(situation)?.payloadHash ?? "",
    previewHash: "p",
    actor,
  }),
  reject_mutation: (situation) => ({
    kind: "reject_mutation",
    mutationId: mutationId(situation),
    reason: "no",
    // biome-ignore lint/suspicious/noThenProperty: the word of the contract; never awaited
    then: situation.choice.a % 2 === 0 ? "skip" : "stop",
    actor,
  }),
  edit_mutation: (situation) => {
    const { runId, kind, connection, operation, ...call } = callCommand(situation);
    const { mutationId = "m0", payloadHash: editedHash = "" } = someMutation(situation) ?? {};
    const edited = { ...call, ask: askOf(situation.now + 5_000), mutationId, editedHash };
    return { ...edited, kind: "edit_mutation", actor };
  },
  ask_approval: (situation) => ({
    kind: "ask_approval",
    mutationId: mutationId(situation),
    verdict: verdictOf(situation, "ask"),
    amount: amountOf(situation),
    ask: askOf(situation.now + 5_000),
    connectorVersion: situation.choice.a % 2 === 0 ? "1" : "2",
  }),
  expire_approval: (situation) => ({
    kind: "expire_approval",
    mutationId: mutationId(situation),
  }),
  send_mutation: (situation) => ({
    kind: "send_mutation",
    mutationId: mutationId(situation),
    ...sendingOf(situation),
  }),
  resend_mutation: (situation) => ({
    kind: "resend_mutation",
    mutationId: mutationId(situation),
    ...sendingOf(situation),
  }),
  report_unsent: (situation) => ({
    kind: "report_unsent",
    mutationId: mutationId(situation),
    incarnation: `host${situation.choice.a % 2}`,
    note: "too late",
    ...(situation.choice.b % 3 === 0 ? { tooSlow: { jitter: 0.5 } } : {}),
  }),
  settle_mutation: settleCommand,
  answer_reconcile: reconcileCommand,
  resolve_mutation: resolveCommand,
  record_late_answer: (situation) => ({
    kind: "record_late_answer",
    mutationId: mutationId(situation),
    says: situation.choice.a % 2 === 0 ? "applied" : "failed",
    result: null,
    note: "an answer came after all",
  }),
  acknowledge: ({ view, choice }) => {
    const attention = pick([...view.rows("attentions")], choice.a);
    return { kind: "acknowledge", attentionId: attention?.attentionId ?? "a0", actor };
  },
  note_stale: ({ view, choice }) => {
    const input = pick([...view.rows("inputs")], choice.a);
    return { kind: "note_stale", inputId: input?.inputId ?? "in_none", count: 1, isMore: false };
  },
  set_envelope: ({ choice }) => ({ kind: "set_envelope", grants: grantsOf(choice), actor }),
  set_brake: () => ({ kind: "set_brake", operation: "shop.post", reason: "stop", actor }),
  release_brake: () => ({ kind: "release_brake", operation: "shop.post", actor }),
  continue_restored: ({ view }) => {
    const asked = [...view.rows("attentions")].find(
      ({ kind, closedAt }) => kind === "ledger_may_be_older_than_world" && closedAt === null,
    );
    return { kind: "continue_restored", attentionId: asked?.attentionId ?? "a0", actor };
  },
  note_store: ({ choice }) => {
    const storeIncarnation = `store-${choice.a % 3}`;
    return { kind: "note_store", storeIncarnation, restored: choice.b % 2 === 0 };
  },
  take_checkpoint: () => ({ kind: "take_checkpoint", tables: [], chunks: [] }),
  ...itemMakers(someRun),
  ...machineMakers(callCommand),
  ...proposalMakers(versionCommand),
};

function ref(situation: Situation): { topic: string; messageId: string } {
  const { topic, messageId } = someEvent(situation);
  return { topic, messageId };
}
function someInput({ view, choice }: Situation): string {
  return pick([...view.rows("inputs")], choice.a)?.inputId ?? "in_none";
}
