import {
  type CoreCommand,
  dueBesideTurn,
  type HandlerRow,
  type Instant,
  invariant,
  isPassing,
  type NextWork,
  needsOfNextWork,
  nextWork,
  type RunReason,
  type RunRow,
  type Seq,
  type Side,
  type View,
} from "@holdfast/core";
import type { Executed } from "../workflow-owner.ts";
import { ActiveTime } from "./active-time.ts";
import { AwaitedExecutors } from "./awaited-executors.ts";
import { DeployedCode, noCode } from "./deployed-code.ts";
import { missedFirings } from "./firings.ts";
import { Habits } from "./habits.ts";
import { HeardSend } from "./heard-send.ts";
import { TurnOver } from "./item-calls.ts";
import type { LoopEnd, LoopParts } from "./loop-parts.ts";
import {
  activeHash,
  brokenBy,
  brokenUnlessSettled,
  endOf,
  hasOpenRun,
  isForgotten,
  nothingFound,
  type RunToStep,
  waitForCode,
} from "./loop-words.ts";
import { MachineLoop } from "./machine-loop.ts";
import type { Outcome } from "./outcome.ts";
import { Permissions } from "./permissions.ts";
import { PhaseSteps } from "./phase-steps.ts";
import { Reconciler } from "./reconciler.ts";
import { RecordedCalls } from "./recorded-calls.ts";
import { Sender } from "./sender.ts";
import { HostStops } from "./stop.ts";
import { firstCommands, storeNote } from "./store-note.ts";
import { oldestPending, reasonOf } from "./trigger.ts";

const inboxPerTurn = 100;

/**
 * Works for one owned workflow: folds its inbox, asks the core what is next, does it, makes the
 * outcome durable, and so on until there is nothing to do. One thing at a time.
 */
export class WorkflowLoop {
  readonly #parts: LoopParts;
  readonly #sender: Sender;
  readonly #reconciler: Reconciler;
  /** Head at which this owner began. */
  #firstSeq: Seq | null = null;
  /** What the store's clock has shown at least, whatever this host's own shows. */
  #hasComeBy: Instant = Number.NEGATIVE_INFINITY;
  #hasRested: boolean;
  /** The open run of a predecessor that died has not been judged yet. */
  #owesRecovery: boolean;
  /**
   * A predecessor died, and this owner has not yet done all there was to do and lived: until then
   * a run is written down before it begins, because a script that kills its host must leave a
   * trace of having begun, and it need not be the first.
   */
  #isWary: boolean;
  readonly #scripts: DeployedCode;
  readonly #habits = new Habits();
  readonly #activeTime = new ActiveTime();
  readonly #permissions: Permissions;
  readonly #recorded: RecordedCalls;
  readonly #machines: MachineLoop;
  readonly #executors: AwaitedExecutors;
  readonly #heard: HeardSend;
  /** Whose turn it is where runs and machines both have something to do. */
  #side: Side = "machines";

  constructor(parts: LoopParts) {
    const clock = { now: () => Math.max(parts.clock.now(), this.#hasComeBy) };
    this.#parts = { ...parts, clock };
    this.#owesRecovery = parts.ownership.unclean;
    this.#isWary = parts.ownership.unclean;
    this.#hasRested = parts.isNamed === true;
    this.#sender = new Sender(this.#parts, () => this.#machines);
    this.#reconciler = new Reconciler(this.#parts);
    this.#scripts = new DeployedCode(parts.scripts);
    const activeTime = this.#activeTime;
    this.#permissions = new Permissions({ ...this.#parts, activeTime });
    const own = { scripts: this.#scripts, permissions: this.#permissions };
    this.#recorded = new RecordedCalls({ ...this.#parts, ...own });
    this.#machines = new MachineLoop(this.#parts, own);
    this.#executors = new AwaitedExecutors(parts);
    const nowFor = (view: View) => this.#nowFor(view);
    const [sender, machines] = [this.#sender, this.#machines];
    this.#heard = new HeardSend({ sender, machines, owner: parts.owner, nowFor });
  }

  /** May be called again after any end but a lost or broken one. */
  async work(): Promise<LoopEnd> {
    const { ownership, isStopping } = this.#parts;
    for (let turnCount = 0; ; turnCount++) {
      if (!ownership.mayAct()) return { kind: "lost" };
      if (isStopping?.() === true && !this.#sender.owesReport) return { kind: "resting" };
      const end = await this.#turn().catch((error: unknown) => this.#troubled(error, turnCount));
      if (end !== null) return end;
    }
  }

  /** It does not work any more: nobody hears what is still under way. */
  end(): void {
    this.#machines.end();
  }

  /** What was decided is forgotten, what is known of a send is not. */
  #troubled(error: unknown, turnCount: number): LoopEnd {
    this.#parts.owner.dropView();
    if (error instanceof HostStops) return { kind: "resting" };
    if (!isPassing(error)) throw error;
    return { kind: "troubled", cause: error, turnCount };
  }

  /** Null = there may be more to do. */
  async #turn(): Promise<LoopEnd | null> {
    const { owner, store } = this.#parts;
    const before = await owner.loadView();
    this.#firstSeq ??= before.head.seq;
    this.#parts.knownTimes.saw(owner.workflow, this.#nowFor(before), this.#parts.monotonicMs());
    if (before.find("workflows") === null) {
      return this.#execute(firstCommands(store, owner.workflow, owner.epoch));
    }
    const report = this.#sender.reportFor(before);
    if (report !== null) return this.#say(report);
    // Before the inbox: somebody may ask for something in every life of a host that keeps dying.
    if (this.#owesRecovery && hasOpenRun(before)) return this.#recover();
    this.#owesRecovery = false;
    const folded = await this.#fold();
    if (folded.length > 0) return this.#endOfAll(folded);
    const view = await owner.loadView();
    // A clock that was set back does not make anything due twice.
    const now = this.#nowFor(view);
    const stale = await owner.loadNeeds(view, needsOfNextWork(view, now));
    if (stale !== null) return endOf(stale);
    // After the commands that were restored with it: what they bring in is from before as well.
    const note = storeNote(store, view);
    if (note !== null) return this.#execute([note]);
    const left = this.#machines.leftBehind(view);
    if (left.length > 0) return this.#execute(left);
    const knows = { ...this.#executors.knows, machinesRestUntil: this.#machines.restUntil(now) };
    const work = nextWork(view, now, this.#side, knows);
    // Until both sides had their turn, or one would take all of it.
    if (this.#side === "machines" || work.kind === "serve_machines") this.#machines.endRest();
    this.#side = this.#side === "machines" ? "runs" : "machines";
    return this.#do(work, view);
  }

  #fold(): Promise<readonly Executed[]> {
    this.#machines.looksNow();
    return this.#parts.owner.foldInbox(this.#parts.clock.now(), inboxPerTurn, this.#recorded);
  }

  /** Of what others asked for. */
  #endOfAll(folded: readonly Executed[]): LoopEnd | null {
    return folded.map(endOf).find((end) => end !== null) ?? null;
  }

  async #do(work: NextWork, view: View): Promise<LoopEnd | null> {
    const { incarnation } = this.#parts;
    switch (work.kind) {
      case "stopped":
      case "wait":
        return this.#rest(view, work.kind === "wait" ? work.until : null);
      case "start_run":
        return this.#startRun(view, work);
      case "continue_run":
        return this.#continueRun(view, view.load("runs", work.runId));
      case "start_retry":
      case "expire_approval":
        return this.#execute([work]);
      case "resume_run":
        return this.#execute([{ ...work, actor: "host" }]);
      case "send":
        return this.#send(view, work.mutationId);
      case "recover_run":
        return this.#execute([{ kind: "recover_run", incarnation }]);
      case "reconcile":
        return this.#reconcile(view, work.mutationId);
      case "resend":
        return this.#resend(view, work.mutationId);
      case "recover_intent":
        return this.#execute([{ ...work, incarnation }]);
      case "serve_machines":
        return this.#serveMachines(view);
    }
  }

  async #serveMachines(view: View): Promise<LoopEnd | null> {
    const { owner } = this.#parts;
    const stale = await owner.loadNeeds(view, [{ kind: "machine_inputs" }]);
    if (stale !== null) return endOf(stale);
    const now = this.#nowFor(view);
    const elsewhereAt = () => dueBesideTurn(view, now, this.#executors.knows);
    const commands = await this.#machines.turn(view, now, { isWary: this.#isWary, elsewhereAt });
    if (commands === null) {
      owner.dropView();
      return null;
    }
    if (commands.length === 0) return null;
    // Reads may have taken their time.
    const executed = await owner.execute(commands, this.#nowFor(view));
    this.#machines.heard(executed.kind === "done");
    return executed.kind === "refused" ? brokenBy(executed.refusal) : endOf(executed);
  }

  /** The workflow's time never goes back, whatever this host's clock does. */
  #nowFor(view: View): Instant {
    return Math.max(this.#parts.clock.now(), view.head.at);
  }

  async #send(view: View, mutationId: string): Promise<LoopEnd | null> {
    // What may be sent, and where to, is said by the version that is active.
    const code = await this.#scripts.load(view, activeHash(view));
    if ("fault" in code) return this.#execute([waitForCode(view, mutationId, code.fault)]);
    const now = this.#nowFor(view);
    const instead = await this.#machines.insteadOfSending(view, mutationId, now);
    if (instead !== null) return this.#execute(instead);
    const judged = await this.#recorded.judge(view, mutationId, now);
    if ("instead" in judged) return this.#execute([judged.instead]);
    const executor = this.#executors.absentFor(view, mutationId);
    if (executor !== null) return this.#execute([{ kind: "await_executor", mutationId, executor }]);
    const outcome = this.#sender.outcomeToSend(view, mutationId, { now, ...judged });
    return outcome === null ? { kind: "lost" } : this.#run(outcome);
  }

  /** Who may be asked is said by the active version, as with sending. */
  async #reconcile(view: View, mutationId: string): Promise<LoopEnd | null> {
    const code = await this.#scripts.load(view, activeHash(view));
    if ("fault" in code)
      return this.#execute([this.#recorded.notSentAgain(mutationId, code.fault)]);
    return this.#execute([await this.#reconciler.ask(view, mutationId)]);
  }

  async #resend(view: View, mutationId: string): Promise<LoopEnd | null> {
    const code = await this.#scripts.load(view, activeHash(view));
    if ("fault" in code) return this.#reconcile(view, mutationId);
    const now = this.#nowFor(view);
    const judged = await this.#recorded.judgeAgain(view, mutationId, now);
    if ("instead" in judged) return this.#execute([judged.instead]);
    const outcome = this.#sender.outcomeToResend(view, mutationId, { now, ...judged });
    return outcome === null ? { kind: "lost" } : this.#run(outcome);
  }

  /** Once; a run that only waits has nothing to be recovered from. */
  async #recover(): Promise<LoopEnd | null> {
    const { owner, clock, incarnation } = this.#parts;
    const executed = await owner.execute([{ kind: "recover_run", incarnation }], clock.now());
    if (executed.kind !== "lost") this.#owesRecovery = false;
    return endOf(executed);
  }

  /** An unclean workflow stays due until its owner has said something. */
  async #rest(view: View, until: Instant | null): Promise<LoopEnd | null> {
    this.#isWary = false;
    const isUnclean = this.#parts.ownership.unclean && view.head.seq === this.#firstSeq;
    if (!isUnclean) return this.#isDueByStore(view, until) ? null : { kind: "resting" };
    const end = endOf(await this.#parts.owner.acknowledge(view));
    return end ?? { kind: "resting" };
  }

  /**
   * A store gives out what has a command, lost its owner or is due. If nothing was done for it
   * since, it is due, and this host's clock is behind the store's, which is the one that counts:
   * to give it back would be to get it again at once.
   */
  #isDueByStore(view: View, until: Instant | null): boolean {
    const isGivenOut = view.head.seq === this.#firstSeq && !this.#hasRested;
    this.#hasRested = true;
    if (!isGivenOut || until === null) return false;
    this.#hasComeBy = until;
    return true;
  }

  async #startRun(
    view: View,
    { handler, why }: { readonly handler: string; readonly why: RunReason },
  ): Promise<LoopEnd | null> {
    const row = view.load("handlers", handler);
    const missed = why === "schedule" ? await this.#missedFirings(view, row) : [];
    if (missed.length > 0) return this.#execute(missed);
    const asOf = view.head.seq;
    const event = why === "event" && row.kind === "job" ? oldestPending(view, row) : null;
    const start: CoreCommand = { kind: "start_run", handler, asOf, trigger: why, event };
    if (why === "event" && row.kind === "job" && event === null) {
      return this.#execute([start, nothingFound(`r${asOf + 1}`)]);
    }
    if (this.#isWary || isForgotten(row, why)) return this.#execute([start]);
    const runId = `r${asOf + 1}`;
    const scriptHash = activeHash(view);
    const run = { runId, rootRunId: runId, opening: [start], asOf, reason: why, scriptHash };
    const steps = await this.#steps(view, row, run);
    if (!(steps instanceof PhaseSteps)) return this.#instead(steps);
    const outcome = row.kind === "consumer" ? await steps.prepare() : await steps.execute();
    return outcome instanceof TurnOver ? outcome.end : this.#run(outcome);
  }

  async #missedFirings(view: View, row: HandlerRow): Promise<readonly CoreCommand[]> {
    if (row.catchUp !== "skip") return [];
    const { firingLateMsMax: lateMsMax } = view.policy;
    const code = await this.#scripts.find(view, activeHash(view), row.name);
    // Without code the run that is due says what is missing.
    if ("fault" in code) return [];
    return missedFirings(code.handler, row, { now: this.#nowFor(view), lateMsMax });
  }

  async #continueRun(view: View, run: RunRow): Promise<LoopEnd | null> {
    const row = view.load("handlers", run.handler);
    const { runId, rootRunId, scriptHash } = run;
    invariant(scriptHash !== null, `run ${runId} has the script it began with`);
    const asOf = view.head.seq;
    const again = { runId, rootRunId, opening: [], asOf, reason: reasonOf(run), scriptHash };
    const steps = await this.#steps(view, row, again);
    if (!(steps instanceof PhaseSteps)) return this.#instead(steps);
    const outcome = await steps.goOn(run);
    return outcome instanceof TurnOver ? outcome.end : this.#run(outcome);
  }

  async #steps(
    view: View,
    row: HandlerRow,
    run: RunToStep,
  ): Promise<PhaseSteps | Executed | Outcome> {
    if (row.webhook) {
      const need = { kind: "waiting_deliveries", handler: row.name } as const;
      const stale = await this.#parts.owner.loadNeeds(view, [need]);
      if (stale !== null) return stale;
    }
    const code = await this.#scripts.find(view, run.scriptHash, row.name);
    if ("fault" in code) return noCode(run, row.name, code.fault, this.#nowFor(view));
    const [permissions, activeTime] = [this.#permissions, this.#activeTime];
    const job = {
      persist: (outcome: Outcome) => this.#run(outcome),
      fold: async () => this.#endOfAll(await this.#fold()),
    };
    const own = { sender: this.#sender, habits: this.#habits, permissions, activeTime, job };
    return new PhaseSteps({ ...this.#parts, ...own, ...code, view, row, ...run });
  }

  /** The phase cannot be run now. */
  async #instead(came: Executed | Outcome): Promise<LoopEnd | null> {
    return "commands" in came ? this.#run(came) : endOf(came);
  }

  /** Makes what a phase came to durable, and sends what it ordered. */
  async #run({ commands, now, trace, onRefused }: Outcome): Promise<LoopEnd | null> {
    const { owner } = this.#parts;
    const told = this.#activeTime.toldBy(commands);
    const executed = await owner.execute(told.commands, now, trace);
    if (executed.kind === "done") told.durable();
    if (executed.kind === "refused") {
      if (executed.refusal.code === "prepare_again") return null;
      return this.#run(onRefused(executed.refusal));
    }
    return (await this.#perform(executed)) ?? endOf(executed);
  }

  async #execute(commands: readonly CoreCommand[]): Promise<LoopEnd | null> {
    const executed = await this.#parts.owner.execute(commands, this.#parts.clock.now());
    if (executed.kind === "refused") return brokenBy(executed.refusal);
    return (await this.#perform(executed)) ?? endOf(executed);
  }

  /** Only what the commit ordered, and only after it. */
  async #perform(executed: Executed): Promise<LoopEnd | null> {
    if (executed.kind !== "done") return null;
    for (const action of executed.actions) {
      if (action.kind !== "send") continue;
      const end = await this.#say(await this.#heard.send(action.mutationId));
      if (end !== null) return end;
    }
    return null;
  }

  /** What is known of a send is said, with every turn, until it is certain to be kept. */
  async #say(report: CoreCommand): Promise<LoopEnd | null> {
    const executed = await this.#parts.owner.execute([report], this.#parts.clock.now());
    if (executed.kind === "refused") return brokenUnlessSettled(executed.refusal);
    if (executed.kind === "done") this.#sender.reported();
    return endOf(executed);
  }
}
