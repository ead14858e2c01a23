import { randomUUID } from "node:crypto";
import type { Store } from "@holdfast/core";
import {
  type LostReason,
  Membership,
  type MembershipListener,
  type MonotonicClock,
  type Ownership,
  realClock,
  realTimers,
} from "@holdfast/host";
import type { ChildOptions } from "./child-options.ts";
import { nanos, nanosPerMs } from "./history-line.ts";
import type { HookStop } from "./hooks.ts";
import { LoadDriver } from "./load-driver.ts";
import type { OutsideLog } from "./outside-log.ts";
import { passingTrouble } from "./passing-trouble.ts";
import { say } from "./say.ts";
import { LostAnswer } from "./witnessed.ts";
import { WorkflowLoop } from "./workflow-loop.ts";

const capacity = 10_000;
const rejoinMs = 100;
/** The grace is long for a host that looks so often: on a busy machine the others are slow. */
const membershipPolicy = { pollMs: 250, graceMs: 1_000, claimsPerCallMax: 100 };
/** Of a host that believes too long: how much slower its clock runs. Outlasts any delay here. */
const slowness = 100;

type Parts = {
  readonly options: ChildOptions;
  readonly store: Store;
  readonly hooks: HookStop;
  readonly outside: OutsideLog;
};

/** One incarnation after the other, until it is told to leave. */
export class LoadHost {
  readonly #parts: Parts;
  readonly #loops = new Map<string, WorkflowLoop>();
  readonly #running = new Set<Promise<void>>();
  #membership: Membership | null = null;
  #noteBelief = (): void => {};
  #isLeaving = false;
  /** Ends the wait for something to happen to the membership. */
  #stir = (): void => {};

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async live(): Promise<void> {
    while (!this.#isLeaving) {
      await this.#join();
      if (this.#membership === null) await realPause(rejoinMs);
      else await new Promise<void>((resolve) => this.#whenStirred(resolve));
    }
    for (const loop of this.#loops.values()) loop.end();
    await Promise.all(this.#running);
    await this.#membership?.leave();
  }

  leave(): void {
    this.#isLeaving = true;
    this.#stir();
  }

  takeCheckpoint(): void {
    const [loop] = this.#loops.values();
    loop?.driver.wantCheckpoint();
    loop?.wake();
  }

  noteBelief(): void {
    this.#noteBelief();
  }

  #whenStirred(resolve: () => void): void {
    this.#stir = resolve;
    if (this.#isLeaving || this.#membership === null) resolve();
  }

  async #join(): Promise<void> {
    const { options, store } = this.#parts;
    const incarnation = `${options.name}-${randomUUID().slice(0, 8)}`;
    const clock = clockOf(options);
    const tenure = { incarnation, clock, performed: new Set<string>() };
    try {
      this.#membership = await Membership.join({
        store,
        incarnation,
        leaseMs: options.leaseMs,
        capacity,
        clock,
        timers: realTimers,
        policy: membershipPolicy,
        listener: this.#listener(tenure),
      });
    } catch (error) {
      say({ kind: "trouble", doing: "join", note: passingTrouble(error) });
      return;
    }
    say({ kind: "joined", incarnation, at: nanos() });
    this.#noteBelief = beliefNoter(this.#membership, incarnation, clock, options);
    this.#noteBelief();
    if (!this.#membership.mayAct()) this.#membership = null;
  }

  #listener(tenure: Tenure): MembershipListener {
    const { incarnation } = tenure;
    return {
      onClaim: (ownership) => this.#claimed(ownership, tenure),
      onWake: (workflow) => this.#loops.get(workflow)?.wake(),
      mayHandOver: (workflow) => this.#loops.get(workflow)?.isResting ?? true,
      onHandOver: (workflow) => this.#loops.get(workflow)?.end(),
      onTooNew: (workflows) => {
        throw new TypeError(`too new: ${workflows.join()}`);
      },
      onTrouble: ({ doing, cause }) => {
        const note = cause instanceof LostAnswer ? cause.message : passingTrouble(cause);
        say({ kind: "trouble", doing, note });
      },
      onLost: (reason) => this.#lost(incarnation, reason),
    };
  }

  #claimed(ownership: Ownership, tenure: Tenure): void {
    const { options, store, hooks, outside } = this.#parts;
    const { workflow } = ownership;
    // What comes while it is leaving is given back with all the rest.
    if (options.work === "owns" || this.#isLeaving) return;
    const driver = new LoadDriver({
      ...tenure,
      store,
      ownership,
      outside,
      hooks,
      periodMs: options.periodMs,
      noteBelief: () => this.#noteBelief(),
    });
    const rests = options.restEvery > 0 && numberOf(workflow) % options.restEvery === 0;
    const loop = new WorkflowLoop({
      ownership,
      driver,
      rest: rests ? () => this.#rest(ownership) : null,
    });
    this.#loops.set(workflow, loop);
    const run = loop.run().finally(() => {
      this.#running.delete(run);
      if (this.#loops.get(workflow) === loop) this.#loops.delete(workflow);
    });
    this.#running.add(run);
  }

  async #rest(ownership: Ownership): Promise<void> {
    this.#parts.hooks.pass("before rest");
    await this.#membership?.rest(ownership);
  }

  #lost(incarnation: string, { kind }: LostReason): void {
    say({ kind: "lost", incarnation, reason: kind, at: nanos() });
    for (const loop of this.#loops.values()) loop.end();
    this.#membership = null;
    this.#stir();
  }
}

/** What belongs to one incarnation. */
type Tenure = {
  readonly incarnation: string;
  readonly clock: MonotonicClock;
  readonly performed: Set<string>;
};

export function workflowName(number: number): string {
  return `w${number}`;
}

function numberOf(workflow: string): number {
  return Number(workflow.slice(1));
}

function clockOf({ breakage }: ChildOptions): MonotonicClock {
  if (breakage !== "slow-clock") return realClock;
  return { monotonicMs: () => realClock.monotonicMs() / slowness };
}

/** Says until when the host would act, as soon as it would do so longer than it said before. */
function beliefNoter(
  membership: Membership,
  incarnation: string,
  clock: MonotonicClock,
  { breakage }: ChildOptions,
): () => void {
  const nanosPerUnit = nanosPerMs * (breakage === "slow-clock" ? slowness : 1);
  let noted = Number.NEGATIVE_INFINITY;
  return () => {
    const { mayActUntil } = membership;
    if (mayActUntil <= noted) return;
    noted = mayActUntil;
    const leftNanos = (mayActUntil - clock.monotonicMs()) * nanosPerUnit;
    const at = nanos();
    say({ kind: "believes", incarnation, until: at + leftNanos, at });
  };
}

function realPause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
