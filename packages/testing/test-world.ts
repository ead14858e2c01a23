import type { HostedScript, Instant, LogLine, Store } from "@holdfast/core";
import {
  KnownTimes,
  type LoopEnd,
  QuietTimes,
  realTimers,
  WorkflowLoop,
  WorkflowOwner,
} from "@holdfast/host";
import { Random } from "@holdfast/host/testing";
import { openMemoryStore } from "@holdfast/store/memory";
import { HostDied, HostLife, type OnPass } from "./host-life.ts";
import type { ScriptedConnections } from "./operations.ts";
import { ScriptedOutside } from "./scripted-outside.ts";
import { TestError } from "./test-error.ts";

export type WorldOptions = {
  readonly connections: ScriptedConnections;
  readonly now: Instant;
  readonly seed: number;
  readonly phasesMax: number;
};

/** A takeover waits for the end of the dead host's lease, as everywhere. */
const leaseMs = 10_000;

/** Everything around one workflow: a store in memory, a clock, outside, and hosts that may die. */
export class TestWorld {
  readonly store: Store;
  readonly outside: ScriptedOutside;
  readonly scripts = new Map<string, HostedScript>();
  readonly logs = new Map<string, LogLine[]>();
  /** Incarnations of hosts that died. */
  readonly dead = new Set<string>();
  now: Instant;
  /** Asked at every boundary whether the host dies there. */
  onPass: OnPass = () => false;
  /** Begins anew when a host has died. */
  #quietTimes = new QuietTimes();
  readonly #random: Random;
  readonly #phasesMax: number;
  #lives = 0;
  #phases = 0;
  #failure: { readonly error: unknown } | null = null;

  constructor({ connections, now, seed, phasesMax }: WorldOptions) {
    this.now = now;
    this.#random = new Random(seed);
    this.#phasesMax = phasesMax;
    const clock = () => this.now;
    this.store = openMemoryStore({ clock, newIncarnation: () => "test" });
    this.outside = new ScriptedOutside(connections, clock);
  }

  /**
   * Hosts work, one after the other, until there is nothing to do now or it is enough. Answers how
   * many of them found something to do.
   */
  async work(isEnough: (life: HostLife) => boolean = () => false): Promise<number> {
    this.#phases = 0;
    for (let lives = 0; ; lives++) {
      this.#lives += 1;
      const life = new HostLife(`host-${this.#lives}`, (boundary) => this.onPass(boundary));
      const end = await this.#live(life, isEnough);
      if (end === "nothing") return lives;
      if (end === "enough") return lives + 1;
    }
  }

  async #live(
    life: HostLife,
    isEnough: (life: HostLife) => boolean,
  ): Promise<"worked" | "nothing" | "enough"> {
    const { incarnation } = life;
    await this.store.openHost({ incarnation, leaseMs });
    const claim = (await this.store.claim(incarnation, 1)).claims[0];
    if (claim === undefined) {
      await this.store.closeHost(incarnation);
      return "nothing";
    }
    const loop = this.#loopOf(life, claim, () => isEnough(life));
    try {
      this.#judge(await loop.work());
    } catch (error) {
      if (!(error instanceof HostDied)) throw error;
    }
    const failure = life.failure ?? this.#failure;
    if (failure !== null) throw failure.error;
    if (life.isDead) {
      this.dead.add(incarnation);
      this.#quietTimes = new QuietTimes();
      this.now += leaseMs;
    } else await this.store.closeHost(incarnation);
    return isEnough(life) ? "enough" : "worked";
  }

  #judge(end: LoopEnd): void {
    if (end.kind === "broken") throw new TestError("workflow_broken", end.note);
    if (this.#phases <= this.#phasesMax) return;
    const text = `${this.#phases} phases were run and there is still something to do; is there a`;
    throw new TestError(
      "never_rests",
      `${text} consumer that publishes to its own topic, or a machine that asks for ever?`,
    );
  }

  #loopOf(
    life: HostLife,
    claim: { readonly workflow: string; readonly epoch: number; readonly unclean: boolean },
    isEnough: () => boolean,
  ): WorkflowLoop {
    const store = life.wayTo(this.store);
    const mayActUntil = Number.POSITIVE_INFINITY;
    return new WorkflowLoop({
      store,
      ownership: { ...claim, mayAct: () => !life.isDead, mayActUntil },
      owner: new WorkflowOwner(store, claim),
      scripts: { load: async (_, hash) => this.#scriptOf(hash) },
      outside: this.outside.asSeenBy(life),
      clock: { now: () => this.now },
      monotonicMs: () => this.now,
      timers: realTimers,
      quietTimes: this.#quietTimes,
      knownTimes: new KnownTimes(),
      random: () => this.#random.next(),
      incarnation: life.incarnation,
      observer: {
        onPhase: ({ runId, outcome }) => this.#notePhase(runId, outcome.record.logs),
      },
      isStopping: () => isEnough() || this.#phases > this.#phasesMax,
    });
  }

  /** Ends the test, whatever becomes of the error where it was thrown. */
  fail(error: unknown): void {
    this.#failure ??= { error };
  }

  /** Of machines; they count as phases do. */
  noteSteps(count: number): void {
    this.#phases += count;
  }

  #notePhase(runId: string, logs: readonly LogLine[]): void {
    this.#phases += 1;
    this.logs.set(runId, [...(this.logs.get(runId) ?? []), ...logs]);
  }

  #scriptOf(hash: string): HostedScript {
    const script = this.scripts.get(hash);
    if (script === undefined) throw new Error(`no script ${hash} was deployed`);
    return script;
  }
}
