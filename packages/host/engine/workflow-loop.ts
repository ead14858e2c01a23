import {
  type CoreCommand,
  type HandlerRow,
  type HostedHandler,
  type HostedScript,
  invariant,
  type NextWork,
  nextWork,
  type RunReason,
  type RunRow,
  type Seq,
  type Store,
  type View,
} from "@holdfast/core";
import type { Ownership } from "../membership/ownership.ts";
import type { Executed, WorkflowOwner } from "../workflow-owner.ts";
import { missedFirings } from "./firings.ts";
import type { Outcome } from "./outcome.ts";
import { PhaseSteps } from "./phase-steps.ts";
import type { EngineClock, EngineObserver, OutsideWorld, ScriptLibrary } from "./ports.ts";
import { Sender } from "./sender.ts";
import { reasonOf, type TriggerReason } from "./trigger.ts";

/** The right to work for one workflow, for as long as it lasts. */
export type HeldWorkflow = Pick<
  Ownership,
  "workflow" | "epoch" | "unclean" | "mayAct" | "mayActUntil"
>;

export type LoopParts = {
  readonly store: Store;
  readonly ownership: HeldWorkflow;
  readonly owner: WorkflowOwner;
  readonly scripts: ScriptLibrary;
  readonly outside: OutsideWorld;
  readonly clock: EngineClock;
  /** On the host's monotonic clock, as the ownership's own times are. */
  readonly monotonicMs: () => number;
  readonly random: () => number;
  readonly incarnation: string;
  readonly observer: EngineObserver;
  /** Asked between two turns, when everything is durable: whether to leave it at that. */
  readonly isStopping?: () => boolean;
};

/** Why a loop has come to its end. */
export type LoopEnd =
  /** Nothing to do now. */
  | { readonly kind: "resting" }
  /** Somebody else owns the workflow, or this host has lost its lease. */
  | { readonly kind: "lost" }
  /** The database refused what the core decided: nothing of this workflow may go on here. */
  | { readonly kind: "broken"; readonly note: string };

const inboxPerTurn = 100;

/**
 * Works for one owned workflow: folds its inbox, asks the core what is next, does it, makes the
 * outcome durable, and so on until there is nothing to do. One thing at a time.
 */
export class WorkflowLoop {
  readonly #parts: LoopParts;
  readonly #sender: Sender;
  /** Head at which this owner began. */
  #firstSeq: Seq | null = null;
  /** Whether the open run of a predecessor that died was judged. */
  #hasLooked = false;
  #script: {
    readonly hash: string;
    readonly active: string;
    readonly hosted: HostedScript;
  } | null = null;

  constructor(parts: LoopParts) {
    this.#parts = parts;
    this.#sender = new Sender(parts);
  }

  async work(): Promise<LoopEnd> {
    for (;;) {
      if (!this.#parts.ownership.mayAct()) return { kind: "lost" };
      if (this.#parts.isStopping?.() === true) return { kind: "resting" };
      const end = await this.#turn();
      if (end !== null) return end;
    }
  }

  /** Null = there may be more to do. */
  async #turn(): Promise<LoopEnd | null> {
    const { owner, clock } = this.#parts;
    const { workflow } = owner;
    const before = await owner.loadView();
    this.#firstSeq ??= before.head.seq;
    if (before.find("workflows") === null) {
      return this.#execute([{ kind: "create_workflow", name: workflow }]);
    }
    const folded = await owner.foldInbox(clock.now(), inboxPerTurn);
    for (const executed of folded) {
      const end = this.#endOf(executed);
      if (end !== null) return end;
    }
    if (folded.length > 0) return null;
    const view = await owner.loadView();
    const stale = await owner.loadNeeds(view, [{ kind: "oldest_pending" }]);
    if (stale !== null) return this.#endOf(stale);
    if (this.#isUnclean(view) && !this.#hasLooked && hasOpenRun(view)) return this.#recover();
    // A clock that was set back does not make anything due twice.
    return this.#do(nextWork(view, Math.max(clock.now(), view.head.at)), view);
  }

  async #do(work: NextWork, view: View): Promise<LoopEnd | null> {
    const { incarnation } = this.#parts;
    switch (work.kind) {
      case "stopped":
      case "wait":
        return this.#rest(view);
      case "start_run":
        return this.#startRun(view, work);
      case "continue_run":
        return this.#continueRun(view, view.load("runs", work.runId));
      case "start_retry":
        return this.#execute([{ kind: "start_retry", runId: work.runId }]);
      case "resume_run":
        return this.#execute([{ kind: "resume_run", runId: work.runId, actor: "host" }]);
      case "send":
        return this.#send(view, work.mutationId);
      case "recover_run":
        return this.#execute([{ kind: "recover_run", incarnation }]);
      case "expire_approval":
        return this.#execute([{ kind: "expire_approval", mutationId: work.mutationId }]);
      case "reconcile":
      case "resend":
        return { kind: "broken", note: `${work.kind} of ${work.mutationId} is not built yet` };
    }
  }

  async #send(view: View, mutationId: string): Promise<LoopEnd | null> {
    // What may be sent, and where to, is said by the version that is active.
    await this.#scriptOf(view, activeHash(view));
    const outcome = this.#sender.outcomeToSend(view, mutationId);
    return outcome === null ? { kind: "lost" } : this.#run(outcome);
  }

  /** Once; a run that only waits has nothing to be recovered from. */
  async #recover(): Promise<LoopEnd | null> {
    const { owner, clock, incarnation } = this.#parts;
    const executed = await owner.execute([{ kind: "recover_run", incarnation }], clock.now());
    if (executed.kind !== "lost") this.#hasLooked = true;
    return this.#endOf(executed);
  }

  /** An owner died, and nothing was committed since. */
  #isUnclean(view: View): boolean {
    return this.#parts.ownership.unclean && view.head.seq === this.#firstSeq;
  }

  /** An unclean workflow stays due until its owner has said something. */
  async #rest(view: View): Promise<LoopEnd | null> {
    if (!this.#isUnclean(view)) return { kind: "resting" };
    const end = this.#endOf(await this.#parts.owner.acknowledge(view));
    return end ?? { kind: "resting" };
  }

  async #startRun(
    view: View,
    { handler, why }: { readonly handler: string; readonly why: RunReason },
  ): Promise<LoopEnd | null> {
    const row = view.load("handlers", handler);
    const missed = why === "schedule" ? await this.#missedFirings(view, row) : [];
    if (missed.length > 0) return this.#execute(missed);
    const asOf = view.head.seq;
    const start: CoreCommand = { kind: "start_run", handler, asOf, trigger: why };
    // A script that kills its host must leave a trace of having begun.
    if (this.#isUnclean(view)) return this.#execute([start]);
    const runId = `r${asOf + 1}`;
    const scriptHash = activeHash(view);
    const run = { runId, rootRunId: runId, opening: [start], asOf, reason: why, scriptHash };
    const steps = await this.#steps(view, row, run);
    if (!(steps instanceof PhaseSteps)) return this.#endOf(steps);
    const outcome = row.kind === "consumer" ? await steps.prepare() : await steps.execute();
    return this.#run(outcome);
  }

  async #missedFirings(view: View, row: HandlerRow): Promise<readonly CoreCommand[]> {
    if (row.catchUp !== "skip") return [];
    const { firingLateMsMax: lateMsMax } = view.policy;
    const now = Math.max(this.#parts.clock.now(), view.head.at);
    const handler = await this.#handlerOf(view, row.name, activeHash(view));
    return missedFirings(handler, row, { now, lateMsMax });
  }

  async #continueRun(view: View, run: RunRow): Promise<LoopEnd | null> {
    const row = view.load("handlers", run.handler);
    const { runId, rootRunId, scriptHash } = run;
    invariant(scriptHash !== null, `run ${runId} has the script it began with`);
    const asOf = view.head.seq;
    const again = { runId, rootRunId, opening: [], asOf, reason: reasonOf(run), scriptHash };
    const steps = await this.#steps(view, row, again);
    if (!(steps instanceof PhaseSteps)) return this.#endOf(steps);
    return this.#run(await steps.goOn(run));
  }

  async #steps(
    view: View,
    row: HandlerRow,
    run: {
      readonly runId: string;
      readonly rootRunId: string;
      readonly opening: readonly CoreCommand[];
      readonly asOf: number;
      readonly reason: TriggerReason;
      readonly scriptHash: string;
    },
  ): Promise<PhaseSteps | Executed> {
    if (row.webhook) {
      const need = { kind: "waiting_deliveries", handler: row.name } as const;
      const stale = await this.#parts.owner.loadNeeds(view, [need]);
      if (stale !== null) return stale;
    }
    return new PhaseSteps({
      ...this.#parts,
      script: await this.#scriptOf(view, run.scriptHash),
      handler: await this.#handlerOf(view, row.name, run.scriptHash),
      view,
      row,
      sender: this.#sender,
      ...run,
    });
  }

  async #handlerOf(view: View, name: string, scriptHash: string): Promise<HostedHandler> {
    const handler = (await this.#scriptOf(view, scriptHash)).handlers.get(name);
    invariant(handler, `the script of ${view.workflow} has the handler ${name}`);
    return handler;
  }

  /**
   * A run is finished with the script it began with, whatever is active by now. What it may do
   * outside is said by the active version all the same, which is therefore loaded last.
   */
  async #scriptOf(view: View, hash: string): Promise<HostedScript> {
    const active = activeHash(view);
    if (this.#script?.hash === hash && this.#script.active === active) return this.#script.hosted;
    const hosted = await this.#parts.scripts.load(view.workflow, hash);
    if (hash !== active) await this.#parts.scripts.load(view.workflow, active);
    this.#script = { hash, active, hosted };
    return hosted;
  }

  /** Makes what a phase came to durable, and sends what it ordered. */
  async #run({ commands, now, trace, onRefused }: Outcome): Promise<LoopEnd | null> {
    const { owner } = this.#parts;
    const executed = await owner.execute(commands, now, trace);
    if (executed.kind === "refused") {
      if (executed.refusal.code === "prepare_again") return null;
      return this.#run(onRefused(executed.refusal));
    }
    return (await this.#perform(executed)) ?? this.#endOf(executed);
  }

  async #execute(commands: readonly CoreCommand[]): Promise<LoopEnd | null> {
    const executed = await this.#parts.owner.execute(commands, this.#parts.clock.now());
    if (executed.kind === "refused") {
      return { kind: "broken", note: `${executed.refusal.code}: ${executed.refusal.note}` };
    }
    return (await this.#perform(executed)) ?? this.#endOf(executed);
  }

  /** Only what the commit ordered, and only after it. */
  async #perform(executed: Executed): Promise<LoopEnd | null> {
    if (executed.kind !== "done") return null;
    for (const action of executed.actions) {
      if (action.kind !== "send") continue;
      const end = await this.#settle(await this.#sender.send(action.mutationId));
      if (end !== null) return end;
    }
    return null;
  }

  /**
   * What is known of a send is said until it is certain to be kept. If it was kept unheard, saying
   * it again is refused and changes nothing.
   */
  async #settle(command: CoreCommand): Promise<LoopEnd | null> {
    const { owner, clock, ownership } = this.#parts;
    for (;;) {
      const executed = await owner.execute([command], clock.now());
      const end = this.#endOf(executed);
      if (end !== null || executed.kind !== "lost" || !ownership.mayAct()) return end;
    }
  }

  #endOf(executed: Executed): LoopEnd | null {
    if (executed.kind !== "lost") return null;
    const { answer } = executed;
    switch (answer.kind) {
      case "lease_lost":
        return { kind: "lost" };
      case "refused":
        return { kind: "broken", note: `${answer.constraint}: ${answer.note}` };
      case "conflict":
      case "unknown":
        // The view is gone; what is there is loaded again.
        return null;
    }
  }
}

function activeHash(view: View): string {
  const { scriptHash } = view.load("workflows");
  invariant(scriptHash !== null, `${view.workflow} has a script before it runs`);
  return scriptHash;
}

function hasOpenRun(view: View): boolean {
  for (const run of view.rows("runs")) if (run.open) return true;
  return false;
}
