import {
  type Claim,
  type CoreCommand,
  contentHash,
  HostError,
  hashText,
  nextWork,
  payloadInlineBytesMax,
  policyDefaults,
  type RunRow,
  type Store,
  type View,
} from "@holdfast/core";
import { type Executed, type TraceSource, takeCheckpoint, WorkflowOwner } from "@holdfast/host";
import type { LifeClock } from "./life-clock.ts";
import {
  bytesOf,
  collect,
  commitRun,
  finishPrepare,
  ordersTopic,
  startRun,
} from "./life-commands.ts";
import type { Outside } from "./outside.ts";
import type { SendOutcome, SentCalls } from "./sent-calls.ts";

const eventsPerRunMax = 10;
const commandsPerFoldMax = 10;
const sendWithinMs = 1_000;
const requestTimeoutMs = 1_000;
const visibilityDelayMs = 1_000;

/** A workflow may meet more deaths in a row here than any policy would put up with. */
const policy = { ...policyDefaults, crashesInARowMax: Number.MAX_SAFE_INTEGER };

type Parts = {
  readonly store: Store;
  readonly claim: Claim;
  readonly incarnation: string;
  readonly clock: LifeClock;
  readonly outside: Outside;
  readonly sentCalls: SentCalls;
};

/**
 * The least host there can be: asks the core what to do next, does it, and says so, until there is
 * nothing left. It holds no state of its own, so that the next life goes on where this one ended,
 * and after a commit that is not certain it looks again and decides afresh.
 */
/** This driver judges nothing: no grants are in force. */
const verdict = { envelope: 0, grant: 0, says: "allow" } as const;

export class WorkflowDriver {
  readonly owner: WorkflowOwner;
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.owner = new WorkflowOwner(parts.store, parts.claim, policy);
  }

  get workflow(): string {
    return this.owner.workflow;
  }

  async runToRest(): Promise<void> {
    if (this.#parts.claim.unclean) await this.#recover();
    while (await this.#step());
  }

  /** As with a snapshot of machines; it may have been kept before. */
  async keepPart(): Promise<void> {
    const bytes = bytesOf("a part");
    const parts = [{ hash: hashText(bytes), bytes }];
    const nothing = { frame: null, served: [], refused: [], publishes: [], cells: [], blobs: [] };
    await this.#execute({ kind: "commit_frame", ...nothing, parts, dueAt: null });
  }

  async takeCheckpoint(): Promise<void> {
    while (!(await this.#tryCheckpoint()));
  }

  /** False = what it is to be taken of moved meanwhile. */
  async #tryCheckpoint(): Promise<boolean> {
    const { store, clock } = this.#parts;
    try {
      return isDone(await takeCheckpoint(store, this.owner, clock.now()));
    } catch (error) {
      if (error instanceof HostError && error.code === "STORE_CHANGED") return false;
      throw error;
    }
  }

  async #recover(): Promise<void> {
    const view = await this.owner.loadView();
    if (view.find("workflows") === null) return;
    const { incarnation, clock } = this.#parts;
    for (;;) {
      const command = { kind: "recover_run", incarnation } as const;
      const recovered = await this.owner.execute([command], clock.now());
      // A refusal says that there is nothing to recover.
      if (recovered.kind === "refused" || isDone(recovered)) return;
    }
  }

  /** False = at rest. */
  async #step(): Promise<boolean> {
    const view = await this.owner.loadView();
    if (view.find("workflows") === null) {
      return this.#execute({ kind: "create_workflow", name: this.workflow });
    }
    const folded = await this.owner.foldInbox(this.#parts.clock.now(), commandsPerFoldMax);
    for (const executed of folded) isDone(executed);
    if (folded.length > 0) return true;
    const lost = await this.owner.loadNeeds(view, [{ kind: "oldest_pending" }]);
    if (lost !== null) return !isDone(lost);
    return (await this.#settleOwn(view)) || this.#work(view);
  }

  /** What is in flight in this process's own name, which no other can speak for. */
  async #settleOwn(view: View): Promise<boolean> {
    const { incarnation, sentCalls } = this.#parts;
    const own = [...view.rows("mutations")].find(
      ({ state, senderIncarnation }) => state === "in_flight" && senderIncarnation === incarnation,
    );
    if (own === undefined) return false;
    const { mutationId } = own;
    const outcome = sentCalls.find(this.workflow, own);
    if (outcome !== null) return this.#settle(mutationId, outcome);
    const note = "nobody knew that it was to be sent";
    return this.#execute({ kind: "report_unsent", mutationId, incarnation, note });
  }

  async #work(view: View): Promise<boolean> {
    const work = nextWork(view, this.#parts.clock.now());
    switch (work.kind) {
      case "wait":
        if (work.until !== null) this.#parts.clock.passTo(work.until);
        return work.until !== null;
      case "start_run":
        if (work.handler === "collect") return this.#execute(startRun(view, work.handler));
        return this.#consume(view);
      case "start_retry":
        return this.#execute({ kind: "start_retry", runId: work.runId });
      case "continue_run":
        return this.#continue(view, view.load("runs", work.runId));
      case "send":
        return this.#send({ ...work, runId: null }, this.#sending(work.mutationId));
      case "reconcile":
        return this.#reconcile(view, work.mutationId);
      default:
        throw new Error(`${this.workflow}: nobody expected ${JSON.stringify(work)}`);
    }
  }

  /** Start, prepare, record and send in one change, as a host does that need not ask anyone. */
  async #consume(view: View): Promise<boolean> {
    const { seq } = view.head;
    const runId = `r${seq + 1}`;
    const wanted = await this.#pending();
    const prepared = [startRun(view, "deliver"), finishPrepare(runId, wanted)];
    if (wanted.length === 0) return this.#executeOf(runId, ...prepared, commitRun(runId));
    // The run's start, its preparation and its next phase come before the ledger row.
    const mutationId = `m${seq + 4}`;
    const sending = [this.#recording(runId), this.#sending(mutationId)];
    return this.#send({ mutationId, runId }, ...prepared, ...sending);
  }

  async #continue(view: View, run: RunRow): Promise<boolean> {
    const { runId, phase } = run;
    if (phase === "executing") {
      if (!(await this.#countRead(view, runId))) return true;
      return this.#executeOf(runId, collect(this.workflow, runId));
    }
    if (phase !== "preparing") return this.#executeOf(runId, commitRun(runId, view.head.seq));
    const wanted = await this.#pending();
    const prepared = finishPrepare(runId, wanted);
    if (wanted.length === 0) return this.#executeOf(runId, prepared, commitRun(runId));
    return this.#executeOf(runId, prepared, this.#recording(runId));
  }

  /** As for a read that a grant limits. False = it may not have been counted: look again. */
  async #countRead(view: View, runId: string): Promise<boolean> {
    const read = { connection: "post", operation: "look", amount: 1, budget: null };
    const readId = this.owner.nextReadId();
    const at = this.#parts.clock.now();
    const answer = await this.owner.count(view, [{ ...read, readId, runId, at }]);
    if (answer === "committed") return this.#keepResult(view, runId);
    if (answer === "unknown" || answer === "conflict") return false;
    throw new Error(`not counted: ${answer}`);
  }

  /** As the answer to a metered call. */
  async #keepResult(view: View, chain: string): Promise<boolean> {
    const call = contentHash("look");
    const kept = [{ chain, call, at: this.#parts.clock.now(), result: "{}" }];
    return isDone(await this.owner.keep(view, { kept }));
  }

  /** Only ever after the commit that says "in flight" is durable, and known to be. */
  async #send(
    { mutationId, runId }: { readonly mutationId: string; readonly runId: string | null },
    ...commands: readonly CoreCommand[]
  ): Promise<boolean> {
    const { outside, sentCalls, clock } = this.#parts;
    const trace = runId === null ? null : traceOf(runId);
    if (!isDone(await this.owner.execute(commands, clock.now(), trace))) return true;
    const mutation = (await this.owner.loadView()).load("mutations", mutationId);
    outside.change(mutation.mutationKey);
    const result = bytesOf({ answer: "yes".repeat(payloadInlineBytesMax) });
    const outcome = { says: "applied", result } as const;
    sentCalls.note(this.workflow, mutation, outcome);
    return this.#settle(mutationId, outcome);
  }

  #settle(mutationId: string, outcome: SendOutcome): Promise<boolean> {
    return this.#execute({ kind: "settle_mutation", mutationId, outcome });
  }

  async #reconcile(view: View, mutationId: string): Promise<boolean> {
    const { mutationKey } = view.load("mutations", mutationId);
    const happened = this.#parts.outside.changes().includes(mutationKey);
    const answer = happened
      ? ({ says: "applied", result: null } as const)
      : ({ says: "failed", note: "it is not there", quietForMs: visibilityDelayMs } as const);
    return this.#execute({ kind: "answer_reconcile", mutationId, answer, jitter: 0 });
  }

  async #pending() {
    const { store } = this.#parts;
    const { events, settledBelow } = await store.peek(this.workflow, ordersTopic, eventsPerRunMax);
    if (settledBelow !== null) {
      this.owner.noteSettled({ topic: ordersTopic, position: settledBelow });
    }
    return events.map(({ topic, messageId, revision }) => ({ topic, messageId, revision }));
  }

  #recording(runId: string): CoreCommand {
    return {
      kind: "record_mutation",
      runId,
      connector: "post",
      connection: "post",
      connectorVersion: "1",
      operation: "deliver",
      target: this.workflow,
      identity: bytesOf({ to: this.workflow }),
      payload: bytesOf({ to: this.workflow, what: "parcel" }),
      canReconcile: true,
      retentionMs: null,
      visibilityDelayMs,
      timeoutMs: 1_000,
      verdict,
      amount: null,
      ask: null,
    };
  }

  #sending(mutationId: string): CoreCommand {
    const { incarnation, clock, claim } = this.#parts;
    const sendBy = clock.now() + sendWithinMs;
    const lease = { incarnation, epoch: claim.epoch, sendBy, timeoutMs: requestTimeoutMs };
    return { kind: "send_mutation", mutationId, ...lease, verdict };
  }

  /** A phase of the run came to this. */
  async #executeOf(runId: string, ...commands: readonly CoreCommand[]): Promise<boolean> {
    isDone(await this.owner.execute(commands, this.#parts.clock.now(), traceOf(runId)));
    return true;
  }

  async #execute(...commands: readonly CoreCommand[]): Promise<boolean> {
    isDone(await this.owner.execute(commands, this.#parts.clock.now()));
    return true;
  }
}

export function traceTextOf(runId: string): string {
  return `what ${runId} did`;
}

function traceOf(runId: string): TraceSource {
  return { runId, text: () => traceTextOf(runId) };
}

/** False = it may not have happened: look again. Anything else that is not done is a mistake. */
function isDone(executed: Executed): boolean {
  if (executed.kind === "done") return true;
  const isUncertain =
    executed.kind === "lost" && ["unknown", "conflict"].includes(executed.answer.kind);
  if (isUncertain) return false;
  throw new Error(`not done: ${JSON.stringify(executed)}`);
}
