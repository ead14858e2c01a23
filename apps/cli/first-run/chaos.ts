import { setTimeout as wait } from "node:timers/promises";
import type { OutputsAnswer } from "@holdfast/protocol";
import type { HostChild } from "../host-child.ts";
import { answerQuestions } from "./answer-questions.ts";
import { deployExample, example } from "./deploy-example.ts";
import { ignoreAbort } from "./ignore-abort.ts";
import type { ChaosOptions, FirstRunOptions } from "./options.ts";
import type { Tally } from "./order-book.ts";
import { OrderWorld } from "./order-world.ts";

const orderEveryMs = 200;
const lookEveryMs = 200;
/** How a host ends whose lease was over. */
const lostLease = 4;
const livesMax = 5;

/** Kills the host over and over, and counts what the service did. */
export async function runChaos(
  options: FirstRunOptions & { readonly chaos: ChaosOptions },
  stop: AbortSignal,
): Promise<number> {
  const world = await OrderWorld.open(options);
  const chaos = new Chaos(world, options.chaos, stop);
  try {
    return await chaos.run();
  } finally {
    await world.shop.stop();
  }
}

class Chaos {
  readonly #world: OrderWorld;
  readonly #options: ChaosOptions;
  readonly #stop: AbortSignal;
  readonly #startedAt = performance.now();
  #isDeployed = false;
  #killCount = 0;
  #answerCount = 0;

  constructor(world: OrderWorld, options: ChaosOptions, stop: AbortSignal) {
    this.#world = world;
    this.#options = options;
    this.#stop = stop;
  }

  async run(): Promise<number> {
    const { minutes, kills, everyMs } = this.#options;
    const length = minutes === null ? "" : ` for ${minutes} minutes`;
    const times = kills === null ? "" : `, ${kills} times`;
    console.log(
      `The host is killed about every ${everyMs / 1_000} s${length}${times}. Ctrl-C ends it.`,
    );
    const orders = this.#world.placeOrders(orderEveryMs);
    try {
      while (!this.#isOver()) {
        if (!(await this.#oneLife())) return 3;
      }
    } finally {
      clearInterval(orders);
    }
    return this.#judge();
  }

  #isOver(): boolean {
    const { minutes, kills } = this.#options;
    const elapsedMs = performance.now() - this.#startedAt;
    const isLate = minutes !== null && elapsedMs >= minutes * 60_000;
    return this.#stop.aborted || isLate || (kills !== null && this.#killCount >= kills);
  }

  /** False = the host does not start; it has said why. */
  async #oneLife(): Promise<boolean> {
    const host = this.#world.startHost();
    const beginning = await beginningOf(host);
    if (beginning !== "works") return beginning === "interrupted";
    const answering = this.#answerWhile(host);
    if (!this.#isDeployed) await deployExample(this.#world.client());
    this.#isDeployed = true;
    const lifeMs = this.#options.everyMs * (0.5 + Math.random());
    await wait(lifeMs, undefined, { signal: this.#stop }).catch(ignoreAbort);
    host.kill("SIGKILL");
    await answering;
    if ((await host.ended).signal === "SIGKILL") this.#killCount += 1;
    this.#tell(`kill ${this.#killCount}`, this.#world.book.tally);
    return true;
  }

  /** As somebody does who agrees to everything, until the host is gone. */
  async #answerWhile(host: HostChild): Promise<void> {
    const gone = new AbortController();
    void host.ended.then(() => gone.abort());
    const client = this.#world.client();
    while (!gone.signal.aborted) {
      this.#answerCount += await answerQuestions(client, gone.signal);
      await wait(lookEveryMs, undefined, { signal: gone.signal }).catch(ignoreAbort);
    }
  }

  /** Nobody is killed any more: what is not done by now is lost. */
  async #judge(): Promise<number> {
    const told = await this.#workOff();
    if (told === null) return 3;
    const isAsRecorded = await this.#world.verify();
    const { orders, applied, duplicates, missing } = this.#world.book.tally;
    const lost = this.#world.shop.lostCount;
    console.log(`
kills       ${this.#killCount}
orders      ${orders}
applied     ${applied}   (bookings and parcels, counted by the service)
duplicates  ${duplicates}
lost        ${missing}
answers     ${lost} of the service were lost, ${this.#answerCount} were given to the host
the host    ${told === applied ? "says the same" : `says ${told} were applied`}
verify      ${isAsRecorded ? "clean" : "NOT CLEAN"}`);
    return duplicates === 0 && missing === 0 && told === applied && isAsRecorded ? 0 : 1;
  }

  /** How many changes the host says were made in the end; null = it does not start. */
  async #workOff(): Promise<number | null> {
    for (let lives = 1; ; lives++) {
      const host = this.#world.startHost();
      const beginning = await beginningOf(host);
      if (beginning === "interrupted" && lives < livesMax) continue;
      if (beginning !== "works") return null;
      const answering = this.#answerWhile(host);
      try {
        await this.#settled();
        const told = await this.#outputCount();
        await host.stop();
        await answering;
        return told;
      } catch (error) {
        // A busy machine may cost a host its lease; then whoever runs it starts it again.
        const { code } = await host.stop();
        await answering;
        if (code !== lostLease || lives === livesMax) throw error;
      }
    }
  }

  async #settled(): Promise<void> {
    const { book } = this.#world;
    let [seen, since] = [book.tally.applied, performance.now()];
    while (performance.now() - since < this.#options.patienceMs) {
      const { applied, missing } = book.tally;
      if (missing === 0 && (await this.#outputCount()) >= applied) return;
      if (applied !== seen) [seen, since] = [applied, performance.now()];
      await wait(lookEveryMs);
    }
  }

  /** How many changes the host says were made. */
  async #outputCount(): Promise<number> {
    const client = this.#world.client();
    let [count, after]: [number, string | undefined] = [0, undefined];
    for (;;) {
      const query = { status: "mutation", limit: "500", after };
      const path = `/workflows/${example}/outputs`;
      const page: OutputsAnswer = await client.get<OutputsAnswer>(path, query);
      count += page.items.length;
      if (page.next === null) return count;
      after = page.next;
    }
  }

  #tell(what: string, { applied, duplicates, missing }: Tally): void {
    const seconds = Math.floor((performance.now() - this.#startedAt) / 1_000);
    const time = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
    console.log(
      `${time.padStart(6)}  ${what.padEnd(9)}  applied ${applied}  duplicates ${duplicates}  ` +
        `not done yet ${missing}`,
    );
  }
}

/**
 * Ctrl-C is for this process alone, but a child that is just being made has no group of its own
 * yet, and ends with it.
 */
async function beginningOf(host: HostChild): Promise<"works" | "interrupted" | "refused"> {
  if ((await host.url) !== null) return "works";
  return (await host.ended).signal === "SIGINT" ? "interrupted" : "refused";
}
