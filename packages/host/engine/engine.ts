import { type OperationName, type Policy, policyDefaults, type Store } from "@holdfast/core";
import { Membership } from "../membership/membership.ts";
import type { LostReason, Trouble } from "../membership/membership-options.ts";
import type { MembershipPolicy } from "../membership/membership-policy.ts";
import type { Ownership } from "../membership/ownership.ts";
import type { MonotonicClock, Timers } from "../membership/time.ts";
import { WorkflowOwner } from "../workflow-owner.ts";
import { AskedWork } from "./asked-work.ts";
import { BrakeWatch } from "./brake-watch.ts";
import { KnownTimes } from "./known-times.ts";
import type { LoopEnd } from "./loop-parts.ts";
import type { EngineClock, EngineObserver, OutsideWorld, ScriptLibrary } from "./ports.ts";
import { QuietTimes } from "./quiet-times.ts";
import { StaleSweep } from "./stale-sweep.ts";
import { TracePruning } from "./trace-pruning.ts";
import { troublePauseMs, type WorkTrouble } from "./trouble.ts";
import { Wakes } from "./wakes.ts";
import type { WorkDesk } from "./work-desk.ts";
import { WorkflowLoop } from "./workflow-loop.ts";

export type EngineOptions = {
  readonly store: Store;
  /** Never used before: the caller puts a random part into it. */
  readonly incarnation: string;
  readonly leaseMs: number;
  /** Workflows that are worked for at once. */
  readonly capacity: number;
  readonly scripts: ScriptLibrary;
  readonly outside: (workflow: string) => OutsideWorld;
  readonly clock: EngineClock;
  readonly monotonic: MonotonicClock;
  readonly timers: Timers;
  readonly random: () => number;
  /** Where executors in other processes ask for work; absent = there are none. */
  readonly desk?: WorkDesk;
  /** Executors that this host is itself, by their connectors' names. */
  readonly ownExecutors?: readonly string[];
  readonly policy?: Policy;
  /** Of one workflow, or of calls to an operation of it; absent = as all others. */
  readonly policyOf?: (workflow: string, call?: OperationName) => Policy;
  readonly membershipPolicy?: MembershipPolicy;
  readonly observer?: EngineObserver & {
    /** A call of the store failed; what it was for is tried again. */
    onTrouble?(trouble: Trouble | WorkTrouble | SideTrouble): void;
    onLost?(reason: LostReason): void;
    /** A workflow that cannot go on here; it stays owned, so that nobody tries again at once. */
    onBroken?(workflow: string, note: string): void;
    onTooNew?(workflows: readonly string[]): void;
  };
};

/** What is done beside the work could not be done; it will be tried again. */
type SideTrouble = {
  readonly doing: "pruneTraces" | "lookForBrake" | "lookForStaleInputs" | "lookForAskedWork";
  readonly cause: unknown;
};

/** So long a host that is to stop waits for answers to what it has sent. */
const stopMsMax = 30_000;

type Troubled = Extract<LoopEnd, { kind: "troubled" }>;

type Working = {
  readonly done: Promise<void>;
  isAgain: boolean;
  /** By an executor, which no command in its inbox tells of. */
  isAskedFor: boolean;
  readonly wakes: Wakes;
};

/** Works for every workflow this host owns, side by side, until it stops or loses its lease. */
export class Engine {
  readonly #options: EngineOptions;
  readonly #working = new Map<string, Working>();
  readonly #broken = new Set<string>();
  readonly #quietTimes = new QuietTimes();
  readonly #knownTimes = new KnownTimes();
  readonly #brakes: BrakeWatch;
  readonly #pruning: TracePruning;
  readonly #staleSweep: StaleSweep;
  readonly #askedWork: AskedWork | null;
  /** The first claim may come before joining has answered. */
  readonly #membership = Promise.withResolvers<Membership>();
  #joined: Membership | null = null;
  #failure: { readonly error: unknown } | null = null;
  readonly #asked = new AbortController();
  readonly #overdue = new AbortController();
  /** Ends the pauses of those that wait for the store. */
  readonly #pauses = new Set<() => void>();

  private constructor(options: EngineOptions) {
    this.#options = options;
    this.#brakes = new BrakeWatch(options.store, (cause) =>
      options.observer?.onTrouble?.({ doing: "lookForBrake", cause }),
    );
    this.#pruning = new TracePruning({
      ...options,
      policy: options.policy ?? policyDefaults,
      onTrouble: (cause) => options.observer?.onTrouble?.({ doing: "pruneTraces", cause }),
    });
    const { policy: common = policyDefaults, policyOf = () => common } = options;
    this.#staleSweep = new StaleSweep({
      ...options,
      policy: common,
      policyOf,
      mayAct: () => this.#joined?.mayAct() === true,
      onTrouble: (cause) => options.observer?.onTrouble?.({ doing: "lookForStaleInputs", cause }),
    });
    const { desk } = options;
    this.#askedWork = desk === undefined ? null : this.#askedWorkOf(desk);
  }

  static async start(options: EngineOptions): Promise<Engine> {
    const engine = new Engine(options);
    const membership = await Membership.join({
      store: options.store,
      incarnation: options.incarnation,
      leaseMs: options.leaseMs,
      capacity: options.capacity,
      clock: options.monotonic,
      timers: options.timers,
      ...(options.membershipPolicy === undefined ? {} : { policy: options.membershipPolicy }),
      listener: {
        onClaim: (ownership, how) => engine.#claimed(ownership, how),
        onWake: (workflow) => engine.#wake(workflow),
        mayHandOver: () => false,
        onHandOver: () => {},
        onTooNew: (workflows) => options.observer?.onTooNew?.(workflows),
        onTrouble: (trouble) => options.observer?.onTrouble?.(trouble),
        onLost: (reason) => options.observer?.onLost?.(reason),
      },
    });
    engine.#joined = membership;
    engine.#membership.resolve(membership);
    engine.#staleSweep.begin();
    engine.#askedWork?.begin(options.ownExecutors ?? []);
    return engine;
  }

  /**
   * Brings what runs to where all is durable, hands everything over, throws what went wrong. Reads
   * and questions are broken off at once; what was sent is waited for, but not for ever: then
   * nobody knows what came of it, and that is recorded.
   */
  async stop(): Promise<void> {
    this.#asked.abort();
    const askedWork = this.#askedWork?.stop();
    const cancel = this.#options.timers.setTimer(stopMsMax, () => this.#overdue.abort());
    for (const endPause of this.#pauses) endPause();
    await Promise.all([...this.#working.values()].map(({ done }) => done));
    cancel();
    await this.#pruning.stop();
    await this.#staleSweep.stop();
    await askedWork;
    await (await this.#membership.promise).leave();
    if (this.#failure !== null) throw this.#failure.error;
  }

  /** Whether it may send now, and if not, why. */
  get state(): "starting" | "working" | "stopping" | "lost" {
    if (this.#asked.signal.aborted) return "stopping";
    if (this.#joined === null) return "starting";
    return this.#joined.mayAct() ? "working" : "lost";
  }

  get isIdle(): boolean {
    return this.#working.size === 0;
  }

  #claimed(ownership: Ownership, how: { readonly isNamed: boolean }): void {
    this.#pruning.maybeBegin();
    const wakes = new Wakes();
    const working: Working = { done: Promise.resolve(), isAgain: false, isAskedFor: false, wakes };
    const done = this.#work(ownership, working, how).catch((error: unknown) => {
      this.#failure ??= { error };
      this.#broken.add(ownership.workflow);
      this.#options.observer?.onBroken?.(ownership.workflow, String(error));
    });
    this.#working.set(ownership.workflow, Object.assign(working, { done }));
    void done.then(() => this.#forget(ownership.workflow, working));
  }

  #forget(workflow: string, working: Working): void {
    if (this.#working.get(workflow) === working) this.#working.delete(workflow);
  }

  #askedWorkOf(desk: WorkDesk): AskedWork {
    return new AskedWork({
      ...this.#options,
      desk,
      workFor: async (workflow) => {
        const working = this.#working.get(workflow);
        if (working === undefined) return this.#joined?.claimOne(workflow) ?? false;
        working.isAskedFor = true;
        this.#wake(workflow);
        return true;
      },
      onTrouble: (cause) =>
        this.#options.observer?.onTrouble?.({ doing: "lookForAskedWork", cause }),
    });
  }

  #wake(workflow: string): void {
    const working = this.#working.get(workflow);
    if (working === undefined) return;
    working.isAgain = true;
    working.wakes.add();
    this.#brakes.look(workflow);
  }

  async #work(
    ownership: Ownership,
    working: Working,
    how: { readonly isNamed: boolean },
  ): Promise<void> {
    const { workflow } = ownership;
    const watchBrake = (operation: string) =>
      this.#brakes.begin({ workflow, operation }, { isBehind: working.isAgain });
    const { wakes } = working;
    const loop = new WorkflowLoop({ ...this.#partsOf(ownership), ...how, watchBrake, wakes });
    try {
      await this.#workWith(loop, ownership, working);
    } finally {
      loop.end();
    }
  }

  async #workWith(loop: WorkflowLoop, ownership: Ownership, working: Working): Promise<void> {
    const { workflow } = ownership;
    let times = 0;
    for (;;) {
      working.isAgain = false;
      working.isAskedFor = false;
      const end: LoopEnd = await loop.work();
      if (end.kind === "troubled") {
        times = end.turnCount > 0 ? 1 : times + 1;
        await this.#waitOut(ownership.workflow, end, times);
        continue;
      }
      if (end.kind === "broken") {
        this.#broken.add(ownership.workflow);
        this.#options.observer?.onBroken?.(ownership.workflow, end.note);
        return;
      }
      if (end.kind === "lost") return;
      // What is given back now would be claimed again at once; leaving hands it over.
      if (this.#asked.signal.aborted) return;
      if (working.isAgain) continue;
      this.#options.scripts.letGo?.(workflow);
      const membership = await this.#membership.promise;
      loop.end();
      await membership.rest(ownership);
      // From here on a wake-up would reach nobody; until here it may have.
      this.#forget(workflow, working);
      if (working.isAskedFor) void membership.claimOne(workflow);
      else this.#options.desk?.forget(workflow);
      return;
    }
  }

  /** Goes on from what the store holds then; if the lease is lost by that time, not at all. */
  async #waitOut(workflow: string, { cause }: Troubled, times: number): Promise<void> {
    const { random, timers, observer } = this.#options;
    const pauseMs = troublePauseMs(times, random());
    observer?.onTrouble?.({ doing: "work", workflow, cause, times, pauseMs });
    const pause = Promise.withResolvers<void>();
    const cancel = timers.setTimer(pauseMs, pause.resolve);
    this.#pauses.add(pause.resolve);
    await pause.promise;
    cancel();
    this.#pauses.delete(pause.resolve);
  }

  #partsOf(ownership: Ownership) {
    const { store, scripts, outside, clock, monotonic, timers, random, incarnation, desk } =
      this.#options;
    const { policy: common = policyDefaults, policyOf = () => common } = this.#options;
    const { workflow } = ownership;
    const owner = new WorkflowOwner(store, ownership, policyOf(workflow), {
      policyOf: (call) => policyOf(workflow, call),
      onCommitted: (facts) => this.#options.observer?.onCommitted?.(workflow, facts),
      onQuestion: (attentionId) => this.#options.observer?.onQuestion?.({ workflow, attentionId }),
    });
    return {
      store,
      ownership,
      owner,
      scripts,
      outside: outside(ownership.workflow),
      clock,
      monotonicMs: () => monotonic.monotonicMs(),
      timers,
      quietTimes: this.#quietTimes,
      knownTimes: this.#knownTimes,
      random,
      ...(desk && { desk }),
      incarnation,
      observer: this.#options.observer ?? {},
      isStopping: () => this.#asked.signal.aborted,
      stop: { asked: this.#asked.signal, overdue: this.#overdue.signal },
    };
  }
}
