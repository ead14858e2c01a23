import {
  type Claim,
  type CoreCommand,
  encodeCanonical,
  inputIdOf,
  nextWork,
  payloadInlineBytesMax,
  policyDefaults,
  type RunRow,
  type Store,
  type View,
} from "@holdfast/core";
import { type Executed, takeCheckpoint, WorkflowOwner } from "@holdfast/host";
import type { LifeClock } from "./life-clock.ts";
import type { Outside } from "./outside.ts";

export const ordersTopic = "orders";
export const reportTopic = "reports";

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
};

/**
 * The least host there can be: asks the core what to do next, does it, and says so, until there is
 * nothing left. It holds no state of its own, so that the next life goes on where this one ended.
 */
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

  async takeCheckpoint(): Promise<void> {
    const { store, clock } = this.#parts;
    mustBeDone(await takeCheckpoint(store, this.owner, clock.now()));
  }

  async #recover(): Promise<void> {
    const view = await this.owner.loadView();
    if (view.find("workflows") === null) return;
    // A refusal says that there is nothing to recover.
    const { incarnation, clock } = this.#parts;
    const recovered = await this.owner.execute([{ kind: "recover_run", incarnation }], clock.now());
    if (recovered.kind === "lost") mustBeDone(recovered);
  }

  /** False = at rest. */
  async #step(): Promise<boolean> {
    const view = await this.owner.loadView();
    if (view.find("workflows") === null) {
      return this.#execute({ kind: "create_workflow", name: this.workflow });
    }
    const folded = await this.owner.foldInbox(this.#parts.clock.now(), commandsPerFoldMax);
    for (const executed of folded) mustBeDone(executed);
    if (folded.length > 0) return true;
    await this.owner.loadNeeds(view, [{ kind: "oldest_pending" }]);
    return this.#work(view);
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
        await this.#execute(this.#sending(work.mutationId));
        return this.#perform(work.mutationId);
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
    if (wanted.length === 0) return this.#execute(...prepared, commitRun(runId));
    // The run's start, its preparation and its next phase come before the ledger row.
    const mutationId = `m${seq + 4}`;
    await this.#execute(...prepared, this.#recording(runId), this.#sending(mutationId));
    return this.#perform(mutationId);
  }

  async #continue(view: View, run: RunRow): Promise<boolean> {
    const { runId, phase } = run;
    if (phase === "executing") return this.#execute(collect(this.workflow, runId));
    if (phase !== "preparing") return this.#execute(commitRun(runId, view.head.seq));
    const wanted = await this.#pending();
    if (wanted.length === 0) return this.#execute(finishPrepare(runId, wanted), commitRun(runId));
    return this.#execute(finishPrepare(runId, wanted), this.#recording(runId));
  }

  /** Only ever after the commit that says "in flight" is durable. */
  async #perform(mutationId: string): Promise<boolean> {
    const view = await this.owner.loadView();
    this.#parts.outside.change(view.load("mutations", mutationId).mutationKey);
    const result = bytesOf({ answer: "yes".repeat(payloadInlineBytesMax) });
    const outcome = { says: "applied", result } as const;
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
      ask: null,
    };
  }

  #sending(mutationId: string): CoreCommand {
    const { incarnation, clock, claim } = this.#parts;
    const sendBy = clock.now() + sendWithinMs;
    const sending = { incarnation, epoch: claim.epoch, sendBy, timeoutMs: requestTimeoutMs };
    return { kind: "send_mutation", mutationId, ...sending };
  }

  async #execute(...commands: readonly CoreCommand[]): Promise<boolean> {
    mustBeDone(await this.owner.execute(commands, this.#parts.clock.now()));
    return true;
  }
}

function startRun(view: View, handler: string): CoreCommand {
  return { kind: "start_run", handler, asOf: view.head.seq, trigger: null };
}

type Wanted = Extract<CoreCommand, { kind: "finish_prepare" }>["reservations"];

function finishPrepare(runId: string, reservations: Wanted): CoreCommand {
  const prepareResult = bytesOf({ count: reservations.length });
  // Cut to the head: the run has looked at all there is.
  const asOf = Number.MAX_SAFE_INTEGER;
  const unset = { asOf, selectionId: null, uiTitle: null, trigger: null, wakeAt: null };
  return { kind: "finish_prepare", runId, reservations, prepareResult, ...unset };
}

/** `reportOf` null = there was nothing to do, so there is nothing to report. */
function commitRun(runId: string, reportOf: number | null = null): CoreCommand {
  const report = {
    topic: reportTopic,
    messageId: `after-${reportOf}`,
    payload: bytesOf({ runId }),
    title: null,
    inputId: null,
  };
  const publishes = reportOf === null ? [] : [report];
  return { kind: "commit_run", runId, inputs: [], publishes, state: null, nextRunAt: null, kv: [] };
}

/** The producer's only run: two events of one input, one of them too big for its fact. */
function collect(workflow: string, runId: string): CoreCommand {
  const input = { source: "mail", type: "order", externalId: workflow, title: "An order" };
  const inputId = inputIdOf(input);
  const payloads = [{ text: "short" }, { text: workflow.repeat(payloadInlineBytesMax) }];
  return {
    kind: "commit_run",
    runId,
    inputs: [input],
    publishes: payloads.map((payload, index) => ({
      topic: ordersTopic,
      messageId: `collected-${index}`,
      payload: bytesOf(payload),
      title: null,
      inputId,
    })),
    state: bytesOf({ seen: payloads.length }),
    nextRunAt: null,
    kv: [{ key: "last", value: bytesOf(inputId) }],
  };
}

export function bytesOf(value: Parameters<typeof encodeCanonical>[0]): Uint8Array {
  return encodeCanonical(value);
}

function mustBeDone(executed: Executed): void {
  if (executed.kind !== "done") throw new Error(`not done: ${JSON.stringify(executed)}`);
}
