import {
  type CoreCommand,
  type EventRow,
  nextWork,
  policyDefaults,
  type RunRow,
  type Store,
  type View,
} from "@holdfast/core";
import { takeCheckpoint, WorkflowOwner } from "@holdfast/host";
import { Delivery, type DeliveryParts } from "./delivery.ts";
import {
  collector,
  commitCollection,
  commitDelivery,
  finishPrepare,
  ordersTopic,
  recordMutation,
  startRun,
} from "./load-commands.ts";
import { NotDone, settled } from "./not-done.ts";

const commandsPerFoldMax = 10;
/** Facts of one workflow. */
const checkpointEvery = 2_000;

/**
 * What is uncertain is looked at often, and no number of deaths or retries makes a person be
 * asked. How long a host may stand still is left as it is: verification knows that number too.
 */
const policy = {
  ...policyDefaults,
  crashesInARowMax: Number.MAX_SAFE_INTEGER,
  transientDelayMs: 100,
  transientTriesMax: Number.MAX_SAFE_INTEGER,
  reconcileDelayMs: 2_000,
  reconcileDelayMsMax: 2_000,
  reconcileTriesMax: Number.MAX_SAFE_INTEGER,
};

type Parts = DeliveryParts & { readonly store: Store; readonly periodMs: number };

/** go_on: look again at once. gone: the workflow is somebody else's. */
export type StepEnd = "go_on" | "gone" | { readonly waitUntil: number | null };

/**
 * The work of one workflow in real time. It asks the core what to do next, does it, and says so;
 * after anything uncertain it loads afresh. Before a commit it does not look at its lease: that
 * late ones do no harm is the store's promise.
 */
export class LoadDriver {
  readonly #parts: Parts;
  readonly #owner: WorkflowOwner;
  readonly #delivery: Delivery;
  #isRecovered: boolean;
  #wantsCheckpoint = false;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#owner = new WorkflowOwner(parts.store, parts.ownership, policy);
    this.#delivery = new Delivery(this.#owner, parts);
    this.#isRecovered = !parts.ownership.unclean;
  }

  wantCheckpoint(): void {
    this.#wantsCheckpoint = true;
  }

  /** Throws what the store throws. */
  async step(): Promise<StepEnd> {
    this.#parts.hooks.pass("before step");
    try {
      return (await this.#step()) ?? "go_on";
    } catch (error) {
      if (!(error instanceof NotDone)) throw error;
      return error.answer === "lease_lost" ? "gone" : "go_on";
    }
  }

  async #step(): Promise<StepEnd | undefined> {
    const view = await this.#owner.loadView();
    if (view.find("workflows") === null) {
      await this.#execute({ kind: "create_workflow", name: this.#owner.workflow });
      return;
    }
    if (!this.#isRecovered) return void (await this.#recover());
    const folded = await this.#owner.foldInbox(Date.now(), commandsPerFoldMax);
    for (const executed of folded) settled(executed);
    if (folded.length > 0) return;
    if (this.#isCheckpointDue(view)) return void (await this.#takeCheckpoint());
    const stale = await this.#owner.loadNeeds(view, [{ kind: "oldest_pending" }]);
    if (stale !== null) settled(stale);
    const sent = this.#delivery.findSent(view);
    if (sent !== null) return void (await this.#delivery.end(sent));
    const work = nextWork(view, Date.now());
    if (work.kind === "wait") return { waitUntil: work.until };
    await this.#work(view, work);
    return;
  }

  async #recover(): Promise<void> {
    const recovery = { kind: "recover_run", incarnation: this.#parts.incarnation } as const;
    // A refusal says that there is nothing to recover.
    settled(await this.#owner.execute([recovery], Date.now()), { mayRefuse: true });
    this.#isRecovered = true;
  }

  async #work(view: View, work: ReturnType<typeof nextWork>): Promise<void> {
    switch (work.kind) {
      case "start_run":
        if (work.handler === collector) return this.#execute(startRun(view, collector));
        return this.#consume(view, work.handler);
      case "start_retry":
        return this.#execute({ kind: "start_retry", runId: work.runId });
      case "continue_run":
        return this.#continue(view, view.load("runs", work.runId));
      case "send":
        return this.#delivery.send([], work.mutationId);
      case "recover_run":
        return this.#execute({ kind: "recover_run", incarnation: this.#parts.incarnation });
      case "reconcile":
        return this.#delivery.reconcile(view.load("mutations", work.mutationId));
      default:
        throw new TypeError(`${this.#owner.workflow}: nobody expected ${JSON.stringify(work)}`);
    }
  }

  /** Start, prepare, record and send in one change, as a host does that need not ask anyone. */
  async #consume(view: View, handler: string): Promise<void> {
    const runId = `r${view.head.seq + 1}`;
    const events = await this.#pending();
    const prepared = [startRun(view, handler), finishPrepare(runId, events)];
    if (events.length === 0) return this.#execute(...prepared, commitDelivery(runId));
    const record = recordMutation(runId, view.workflow);
    // The run's start, its preparation and its next phase come before the ledger row.
    return this.#delivery.send([...prepared, record], `m${view.head.seq + 4}`);
  }

  async #continue(view: View, { runId, phase }: RunRow): Promise<void> {
    if (phase === "executing") {
      const nextRunAt = Math.round(Date.now() + this.#parts.periodMs * (0.5 + Math.random()));
      return this.#execute(commitCollection(view, runId, nextRunAt));
    }
    if (phase !== "preparing") return this.#execute(commitDelivery(runId));
    const events = await this.#pending();
    const prepared = finishPrepare(runId, events);
    if (events.length === 0) return this.#execute(prepared, commitDelivery(runId));
    return this.#execute(prepared, recordMutation(runId, view.workflow));
  }

  /** One order for each outside change; what is too big for the row is read as well. */
  async #pending(): Promise<readonly EventRow[]> {
    const { store } = this.#parts;
    const { workflow } = this.#owner;
    const { events, settledBelow } = await store.peek(workflow, ordersTopic, 1);
    if (settledBelow !== null) {
      this.#owner.noteSettled({ topic: ordersTopic, position: settledBelow });
    }
    for (const { payload } of events) {
      if (payload.inline === null) await store.loadBlob(workflow, payload.hash);
    }
    return events;
  }

  #isCheckpointDue(view: View): boolean {
    const { checkpointSeq } = view.load("workflows");
    return this.#wantsCheckpoint || view.head.seq - checkpointSeq > checkpointEvery;
  }

  async #takeCheckpoint(): Promise<void> {
    this.#wantsCheckpoint = false;
    settled(await takeCheckpoint(this.#parts.store, this.#owner, Date.now()));
  }

  async #execute(...commands: readonly CoreCommand[]): Promise<void> {
    settled(await this.#owner.execute(commands, Date.now()));
  }
}
