import { join } from "node:path";
import { type Instant, nextWork, View } from "@holdfast/core";
import { WorkflowOwner } from "@holdfast/host";
import { openSqliteStore, type SqliteStore } from "@holdfast/store";
import type { BenchContext, Measured } from "../harness/bench.ts";
import { median, spreadOf } from "../harness/percentile.ts";
import { BenchWorkflow, reconcileLater, startOfTime } from "../store/bench-workflow.ts";

const [few, many, manyQuick] = [200, 10_000, 2_000] as const;
const [rounds, roundsQuick] = [7, 3] as const;
/** Due at once in a round. */
const due = 20;
/** Between the first questions of two workflows. */
const apartMs = 1_000;

/** Many calls wait to be asked for; what one costs that is due does not depend on the others. */
export async function measureDueQuestions(context: BenchContext): Promise<readonly Measured[]> {
  const count = context.quick ? manyQuick : many;
  const small = await Waiting.open(join(context.folder, "few"), few);
  const large = await Waiting.open(join(context.folder, "many"), count);
  context.progress(`${count} calls whose outcome is unknown`);
  const [beside, among]: [number[], number[]] = [[], []];
  for (let round = 0; round < (context.quick ? roundsQuick : rounds); round++) {
    beside.push(await small.timeDue());
    among.push(await large.timeDue());
  }
  await small.close();
  await large.close();
  const metric = `a question that is due, ${few} wait`;
  return [
    { metric, value: median(beside), unit: "ms", spread: spreadOf(beside) },
    {
      metric: `a question that is due, ${count} wait`,
      value: median(among),
      unit: "ms",
      spread: spreadOf(among),
      reference: median(beside),
      against: metric,
      ratio: median(among.map((each, round) => each / (beside[round] ?? Number.NaN))),
      must: { atMost: 1.3 },
    },
  ];
}

/** Workflows of which each waits to ask again, one second after the other. */
class Waiting {
  readonly #store: SqliteStore;
  readonly #clock: { now: Instant };
  #hosts = 0;

  private constructor(store: SqliteStore, clock: { now: Instant }) {
    this.#store = store;
    this.#clock = clock;
  }

  static async open(folder: string, count: number): Promise<Waiting> {
    const clock = { now: startOfTime };
    const newIncarnation = () => "bench";
    const store = await openSqliteStore({ folder, clock: () => clock.now, newIncarnation });
    for (let from = 0; from < count; from += 500) {
      const some = Array.from({ length: Math.min(500, count - from) }, (_, index) => from + index);
      await Promise.all(some.map((no) => loseOne(store, no)));
    }
    return new Waiting(store, clock);
  }

  close(): Promise<void> {
    return this.#store.close();
  }

  /** Claim, load, decide, persist and give back, per question. */
  async timeDue(): Promise<number> {
    this.#hosts += 1;
    const incarnation = `host-${this.#hosts}`;
    await this.#store.openHost({ incarnation, leaseMs: 3_600_000 });
    this.#clock.now = Math.max(this.#clock.now, startOfTime + 11_000) + due * apartMs;
    const startedAt = performance.now();
    const { claims } = await this.#store.claim(incarnation, due);
    for (const claim of claims) await this.#askAgain(incarnation, claim);
    const ms = (performance.now() - startedAt) / claims.length;
    await this.#store.closeHost(incarnation);
    return ms;
  }

  async #askAgain(
    incarnation: string,
    claim: { readonly workflow: string; readonly epoch: number },
  ): Promise<void> {
    const { now } = this.#clock;
    const owner = new WorkflowOwner(this.#store, claim);
    const work = nextWork(View.fromLoaded(await this.#store.load(claim.workflow, base)), now);
    if (work.kind !== "reconcile") throw new Error(`${claim.workflow} is to ${work.kind}`);
    const executed = await owner.execute([reconcileLater(work.mutationId)], now);
    if (executed.kind !== "done") throw new Error(JSON.stringify(executed));
    await this.#store.release(incarnation, claim);
  }
}

const base = [{ kind: "base" }] as const;

async function loseOne(store: SqliteStore, no: number): Promise<void> {
  const workflow = await BenchWorkflow.create(store, `w-${no}`);
  await workflow.sendMutation();
  await workflow.loseAnswer(startOfTime + no * apartMs);
}
