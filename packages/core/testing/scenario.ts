import { type CanonicalValue, encodeCanonical, type Schema } from "../canonical/index.ts";
import type { CoreCommand } from "../command.ts";
import { decideAll } from "../decide.ts";
import type { Verdict } from "../grant/grant.ts";
import { foldCommand } from "../inbox/fold-command.ts";
import type { InboxKind } from "../inbox/parse-command.ts";
import type { Action } from "../journal/action.ts";
import { apply } from "../journal/apply.ts";
import type { Decision } from "../journal/decision.ts";
import type { Fact, FactKind } from "../journal/fact.ts";
import type { JournalRecord } from "../journal/record.ts";
import type { Refusal } from "../journal/refusal.ts";
import type { Ask } from "../mutation/mutation-facts.ts";
import type { RecordMutation } from "../mutation/record-mutation.ts";
import type { SendOutcome } from "../mutation/settle-mutation.ts";
import { type Policy, policyDefaults } from "../policy/policy.ts";
import { invariant } from "../ports/invariant.ts";
import type { CommitRun } from "../run/commit-run.ts";
import type { FinishPrepare } from "../run/finish-prepare.ts";
import type { PublishedEvent } from "../run/run-publications.ts";
import { dueAt, type NextWork, nextWork } from "../schedule/next-work.ts";
import type { PublishEvent } from "../topic/publish-event.ts";
import type { Blob } from "../view/payload.ts";
import type { HandlerRow, Instant, MutationRow, RunRow, VerdictRow } from "../view/rows.ts";
import { keyOf, tableNames } from "../view/tables.ts";
import { View } from "../view/view.ts";
import type { ActivateVersion, DeclaredHandler } from "../workflow/activate-version.ts";
import { decidePartially, foldPartially, partialView } from "./partial-view.ts";

export const bytesOf = (value: CanonicalValue): Uint8Array => encodeCanonical(value);

const declared = {
  subscribe: [],
  publishes: null,
  onMutationFailed: "prepare",
  catchUp: "once",
  webhook: false,
  start: "manual",
  scheduled: false,
} as const;

export function consumer(
  name: string,
  subscribe: readonly string[],
  more: Partial<DeclaredHandler> = {},
): DeclaredHandler {
  return { ...declared, name, kind: "consumer", subscribe, ...more };
}

export function producer(name: string, more: Partial<DeclaredHandler> = {}): DeclaredHandler {
  return { ...declared, name, kind: "producer", scheduled: true, ...more };
}

/** Topic names; a name in `observed` is born consumed. Subscribers follow from the handlers. */
export function version(
  major: number,
  minor: number,
  manifest: {
    readonly topics: readonly string[];
    readonly observed?: readonly string[];
    readonly schemas?: Readonly<Record<string, Schema>>;
    readonly handlers: readonly DeclaredHandler[];
  },
): ActivateVersion {
  const { topics, observed = [], schemas = {}, handlers } = manifest;
  return {
    kind: "activate_version",
    major,
    minor,
    scriptHash: `script ${major}.${minor}`,
    script: null,
    connections: [],
    grants: null,
    progress: "keep",
    topics: [...topics, ...observed].map((name) => ({
      name,
      subscriber: handlers.find((handler) => handler.subscribe.includes(name))?.name ?? null,
      observed: observed.includes(name),
      schema: schemas[name] ?? null,
    })),
    handlers,
    actor: "ada",
  };
}

export function emptyCommit(runId: string, more: Partial<CommitRun> = {}): CommitRun {
  const nothing = {
    inputs: [],
    publishes: [],
    state: null,
    nextRunAt: null,
    kv: [],
    deliveries: [],
  };
  return { kind: "commit_run", runId, ...nothing, ...more };
}

export function publication(
  topic: string,
  messageId: string | null,
  more: Partial<PublishedEvent> = {},
): PublishedEvent {
  return { topic, messageId, payload: bytesOf({ messageId }), title: null, inputId: null, ...more };
}

export function byHand(
  topic: string,
  messageId: string,
  more: Partial<PublishEvent> = {},
): PublishEvent {
  const payload = bytesOf({ messageId });
  return { kind: "publish_event", topic, messageId, payload, title: null, actor: "ada", ...more };
}

/** What a person is asked, until then. */
export function asking(expiresAt: Instant, more: Partial<Ask> = {}): Ask {
  return { previewHash: "p", preview: "book 1", fourEyes: false, expiresAt, ...more };
}

export function call(runId: string, more: Partial<RecordMutation> = {}): RecordMutation {
  return {
    kind: "record_mutation",
    runId,
    connector: "http",
    connection: "shop",
    connectorVersion: "1",
    operation: "book",
    target: "orders",
    identity: bytesOf({ id: 1 }),
    payload: bytesOf({ id: 1, amount: 5 }),
    canReconcile: false,
    retentionMs: null,
    visibilityDelayMs: null,
    timeoutMs: 1_000,
    verdict: { envelope: 0, grant: 0, says: "allow" },
    amount: null,
    ask: null,
    ...more,
  };
}

/** Every row of every table, in key order: equal dumps are equal states. */
export function dump(view: View): Readonly<Record<string, readonly unknown[]>> {
  return Object.fromEntries(
    tableNames.map((table) => [
      table,
      [...view.rows(table)]
        .map((row) => [keyOf(table, row), row] as const)
        .sort(([a], [b]) => (a < b ? -1 : 1)),
    ]),
  );
}

type Accepted = Extract<Decision, { ok: true }>;
export type EventName = readonly [topic: string, messageId: string];

/**
 * One workflow driven command by command. Every decision is made twice, on the whole state and on
 * what a store would load for it, and both must agree: a forgotten need cannot hide.
 */
export class Scenario {
  readonly view: View;
  readonly records: JournalRecord[] = [];
  readonly blobs: Blob[] = [];
  readonly actions: Action[] = [];
  readonly commandKinds = new Set<string>();
  now: Instant = 1_000_000;

  constructor(policy: Partial<Policy> = {}) {
    this.view = View.empty("orders", { ...policyDefaults, ...policy });
    this.do({ kind: "create_workflow", name: "orders" });
  }

  decide(commands: readonly CoreCommand[]): Decision {
    for (const { kind } of commands) this.commandKinds.add(kind);
    const decision = decideAll(this.view, commands, this.now);
    agree(decision, decidePartially(this.view, commands, this.now));
    return decision;
  }

  /** One change; must be accepted. */
  do(...commands: readonly CoreCommand[]): Accepted {
    const decision = this.decide(commands);
    if (!decision.ok) throw new Error(`refused: ${decision.refusal.code} ${decision.refusal.note}`);
    return this.keep(decision);
  }

  /** Must be refused, and then nothing has changed. */
  refusal(...commands: readonly CoreCommand[]): Refusal {
    const before = JSON.stringify(dump(this.view), showBytes);
    const decision = this.decide(commands);
    if (decision.ok) throw new Error("expected a refusal");
    invariant(before === JSON.stringify(dump(this.view), showBytes), "a refusal changed the view");
    return decision.refusal;
  }

  refused(...commands: readonly CoreCommand[]): string {
    return this.refusal(...commands).code;
  }

  private keep(decision: Accepted): Accepted {
    for (const record of decision.records) apply(this.view, record);
    this.records.push(...decision.records);
    this.blobs.push(...decision.blobs);
    this.actions.push(...decision.actions);
    return decision;
  }

  /** Folds the next inbox entry; `body` is encoded as the caller would. */
  fold(kind: InboxKind | string, body: CanonicalValue | Uint8Array, actor = "ada"): VerdictRow {
    this.commandKinds.add(kind);
    const position = this.view.load("workflows").inboxThrough + 1;
    const bytes = body instanceof Uint8Array ? body : bytesOf(body);
    const commandId = `c${position}`;
    const entry = { commandId, workflow: "orders", actor, kind, body: bytes, at: 1, position };
    const decision = foldCommand(this.view, entry, this.now);
    agree(decision, foldPartially(this.view, entry, this.now));
    invariant(decision.ok, "an inbox entry always gets an answer");
    this.keep(decision);
    return this.view.load("verdicts", commandId);
  }

  nextWork(now: Instant = this.now): NextWork {
    const work = nextWork(this.view, now);
    const partial = partialView(this.view, [{ kind: "base" }, { kind: "oldest_pending" }]);
    agree(work, nextWork(partial, now));
    agree(dueAt(this.view, now), dueAt(partialView(this.view), now));
    return work;
  }

  openRun(): RunRow {
    const run = [...this.view.rows("runs")].find((row) => row.open);
    invariant(run, "no run is open");
    return run;
  }

  start(handler: string, asOf = this.view.head.seq): string {
    this.do({ kind: "start_run", handler, asOf, trigger: null });
    return this.openRun().runId;
  }

  retry(runId: string): string {
    this.do({ kind: "start_retry", runId });
    return this.openRun().runId;
  }

  preparing(
    runId: string,
    events: readonly EventName[],
    more: Partial<FinishPrepare> = {},
  ): FinishPrepare {
    return {
      kind: "finish_prepare",
      runId,
      // As the run began to look, unless a test lets it look anew.
      asOf: this.view.find("runs", runId)?.asOf ?? this.view.head.seq,
      reservations: events.map(([topic, messageId]) => ({ topic, messageId, revision: null })),
      prepareResult: bytesOf({ data: runId }),
      selectionId: null,
      uiTitle: null,
      trigger: null,
      wakeAt: null,
      ...more,
    };
  }

  /** A run of the consumer up to `prepared`. */
  prepared(
    handler: string,
    events: readonly EventName[],
    more: Partial<FinishPrepare> = {},
  ): string {
    const runId = this.start(handler);
    this.do(this.preparing(runId, events, more));
    return runId;
  }

  /** Records the run's one call and sends it. */
  send(runId: string, more: Partial<RecordMutation> = {}): MutationRow {
    this.do(call(runId, { verdict: this.verdict(), ...more }));
    const mutationId = this.view.load("runs", runId).mutationId ?? "";
    this.do(this.sending(mutationId));
    return this.view.load("mutations", mutationId);
  }

  sending(mutationId: string): Extract<CoreCommand, { kind: "send_mutation" }> {
    const lease = { incarnation: "h1", epoch: 1, sendBy: this.now + 5_000, timeoutMs: 1_000 };
    return { kind: "send_mutation", mutationId, ...lease, verdict: this.verdict() };
  }

  /** As of the grants in force, whatever they say. */
  verdict(says: Verdict["says"] = "allow"): Verdict {
    return { envelope: this.view.load("workflows").envelope, grant: 0, says };
  }

  settle(mutationId: string, outcome: SendOutcome): Accepted {
    return this.do({ kind: "settle_mutation", mutationId, outcome });
  }

  /** A consumer run whose outside change has happened; `next` is left to do. */
  mutated(handler: string, events: readonly EventName[]): string {
    const runId = this.prepared(handler, events);
    const { mutationId } = this.send(runId);
    this.settle(mutationId, { says: "applied", result: bytesOf({ booked: 1 }) });
    return runId;
  }

  /** A consumer run whose unknown outcome a person gave up on. */
  skippedOver(handler: string, events: readonly EventName[]): string {
    const runId = this.prepared(handler, events);
    const { mutationId } = this.send(runId);
    this.settle(mutationId, { says: "unknown", note: "timeout" });
    this.do({ kind: "resolve_mutation", mutationId, answer: { says: "skip" }, actor: "ada" });
    return runId;
  }

  failLogic(runId: string): Accepted {
    const message = "undefined is no function";
    const failure = { class: "logic", message, location: "next" } as const;
    return this.do({ kind: "fail_run", runId, failure });
  }

  /** One whole run of a producer. */
  produce(handler: string, more: Partial<CommitRun> = {}): Accepted {
    return this.do(emptyCommit(this.start(handler), more));
  }

  handler(name: string): HandlerRow {
    return this.view.load("handlers", name);
  }

  event(topic: string, messageId: string) {
    return this.view.load("events", topic, messageId);
  }

  factKinds(): FactKind[] {
    return this.records.map(({ fact }) => fact.kind);
  }
}

export function factsOf(decision: { readonly records: readonly JournalRecord[] }): Fact[] {
  return decision.records.map(({ fact }) => fact);
}

export function kindsOf(decision: { readonly records: readonly JournalRecord[] }): FactKind[] {
  return factsOf(decision).map(({ kind }) => kind);
}

export function phasesToRun(actions: readonly Action[]): string[] {
  return actions.flatMap((action) => (action.kind === "run_phase" ? [action.phase] : []));
}

function showBytes(_: string, value: unknown): unknown {
  return value instanceof Uint8Array ? [...value].join(",") : value;
}

function agree(whole: unknown, partial: unknown): void {
  const [a, b] = [whole, partial].map((value) => JSON.stringify(comparable(value), showBytes));
  invariant(a === b, `a partial view decides differently:\n${a}\n${b}`);
}

/** Views themselves differ in what they know; what was decided must not. */
function comparable(value: unknown): unknown {
  if (typeof value !== "object" || value === null || !("after" in value)) return value;
  const { after: _, ...rest } = value;
  return rest;
}
