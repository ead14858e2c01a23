import {
  type Change,
  type CommitAnswer,
  HostError,
  type HostedScript,
  type Store,
} from "@holdfast/core";
import { Engine } from "@holdfast/host";
import type { Random, VirtualProcess } from "@holdfast/host/testing";
import type { Shop } from "./shop.ts";

export type SimHostParts = {
  readonly incarnation: string;
  readonly process: VirtualProcess;
  /** Goes on when the host does not. */
  readonly outside: VirtualProcess;
  readonly store: Store;
  readonly shop: Shop;
  readonly script: HostedScript;
  readonly random: Random;
  readonly wallClock: () => number;
  readonly onBroken: (workflow: string, note: string) => void;
  /** For planted bugs. */
  readonly spoil?: (options: Parameters<typeof Engine.start>[0]) => typeof options;
};

const leaseMs = 15_000;

/** One host process: everything it waits for waits with it when it stands still. */
export class SimHost {
  readonly incarnation: string;
  /** Share of commits that something happens to. */
  commitTrouble = 0.05;
  /** Share of all calls of the store that throw, and of wake-ups that are lost, late or doubled. */
  wayTrouble = 0.02;
  /** Nothing gets through to the store. */
  isCutOff = false;
  /** How far its wall clock is off. */
  clockErrorMs = 0;
  state: "living" | "stopped" | "dead" = "living";
  readonly #parts: SimHostParts;

  constructor(parts: SimHostParts) {
    this.incarnation = parts.incarnation;
    this.#parts = parts;
  }

  async join(): Promise<void> {
    const { incarnation, process, shop, script, random, wallClock, onBroken, spoil } = this.#parts;
    const options: Parameters<typeof Engine.start>[0] = {
      store: this.#way(),
      incarnation,
      leaseMs,
      capacity: 100,
      scripts: { load: async () => script },
      outside: () => shop.asSeenBy((ms) => this.#wait(ms)),
      clock: { now: () => wallClock() + this.clockErrorMs },
      monotonic: process.clock,
      timers: process.timers,
      random: () => random.next(),
      observer: { onBroken },
    };
    await Engine.start(spoil === undefined ? options : spoil(options));
  }

  stop(): void {
    this.state = "stopped";
    this.#parts.process.stop();
  }

  continue(): void {
    this.state = "living";
    this.#parts.process.continue();
  }

  /** Like SIGKILL: nothing of it happens any more. */
  kill(): void {
    this.state = "dead";
    this.#parts.process.stop();
  }

  #wait(ms: number): Promise<void> {
    return new Promise((resolve) => this.#parts.process.timers.setTimer(ms, resolve));
  }

  /** Its way to the store: every call takes time, there and back. */
  #way(): Store {
    const { store, random } = this.#parts;
    return new Proxy(store, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name, target);
        if (typeof member !== "function") return member;
        if (name === "watch") return (onWake: Parameters<Store["watch"]>[0]) => this.#watch(onWake);
        if (name === "commit") return (changes: readonly Change[]) => this.#commit(changes);
        return async (...given: unknown[]) => {
          const fails = name !== "openHost" && this.#fails();
          await this.#wait(random.between(0, 5));
          if (fails && random.chance(0.5)) throw unreachable();
          const answer: unknown = await member.apply(target, given);
          await this.#wait(random.between(0, 5));
          if (fails) throw unreachable();
          return answer;
        };
      },
    });
  }

  #fails(): boolean {
    return this.isCutOff || this.#parts.random.chance(this.wayTrouble);
  }

  #watch(onWake: Parameters<Store["watch"]>[0]): () => void {
    const { random } = this.#parts;
    const tell = async (wake: Parameters<typeof onWake>[0], ms: number) => {
      await this.#wait(ms);
      onWake(wake);
    };
    return this.#parts.store.watch((wake) => {
      if (!this.#fails()) return void tell(wake, 1);
      const comesAfterMs = random.pick([[], [random.between(1, 30_000)], [1, 1], [1, 5_000]]);
      for (const ms of comesAfterMs) void tell(wake, ms);
    });
  }

  async #commit(changes: readonly Change[]): Promise<readonly CommitAnswer[]> {
    const { store, random, outside } = this.#parts;
    await this.#wait(random.between(0, 10));
    if (this.isCutOff) throw unreachable();
    if (!random.chance(this.commitTrouble)) {
      const answers = await store.commit(changes);
      await this.#wait(random.between(0, 10));
      return answers;
    }
    const fate = random.pick(["lost", "answer lost", "late"] as const);
    if (fate === "answer lost") await store.commit(changes);
    if (fate === "late") {
      outside.timers.setTimer(random.between(1, 2_000), () => void store.commit(changes));
    }
    await this.#wait(random.between(0, 10));
    if (random.chance(0.5)) throw unreachable();
    return changes.map(() => ({ kind: "unknown", cause: new Error(`simulated: ${fate}`) }));
  }
}

function unreachable(): HostError {
  return new HostError("STORE_UNREACHABLE", { what: "simulated", remedy: "none" });
}
