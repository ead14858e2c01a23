import { join } from "node:path";
import type { Store } from "@holdfast/core";
import { listQuestions } from "@holdfast/host";
import type { BenchContext, Measured } from "../harness/bench.ts";
import { median, spreadOf } from "../harness/percentile.ts";
import { BenchWorkflow } from "../store/bench-workflow.ts";
import { openBenchStore } from "../store/open-bench-store.ts";

const [few, many, manyQuick] = [100, 100_000, 5_000] as const;
const [rounds, roundsQuick] = [15, 5] as const;
const pageSize = 50;
/** Workflows that are brought to their question at the same time. */
const atOnce = 500;

/** A page of questions as a person sees it, with everything that is told of each. */
export async function measureDeskPage(context: BenchContext): Promise<readonly Measured[]> {
  const count = context.quick ? manyQuick : many;
  const small = await openDesk(context, "few", few);
  const large = await openDesk(context, "many", count);
  const [alone, among, last]: [number[], number[], number[]] = [[], [], []];
  const deep = await placeNearEnd(large);
  for (let round = 0; round < (context.quick ? roundsQuick : rounds); round++) {
    alone.push(await timePage(small, null));
    among.push(await timePage(large, null));
    last.push(await timePage(large, deep));
  }
  await small.close();
  await large.close();
  const metric = `a page of ${pageSize} out of ${few} open questions`;
  const against = (name: string, figures: readonly number[]): Measured => ({
    metric: name,
    value: median(figures),
    unit: "ms",
    spread: spreadOf(figures),
    reference: median(alone),
    against: metric,
    ratio: median(figures.map((each, round) => each / (alone[round] ?? Number.NaN))),
    must: { atMost: 3 },
  });
  return [
    { metric, value: median(alone), unit: "ms", spread: spreadOf(alone) },
    against(`the first page out of ${count}`, among),
    against(`one of the last pages out of ${count}`, last),
  ];
}

async function openDesk(context: BenchContext, name: string, count: number) {
  const store = await openBenchStore(join(context.folder, `desk-${name}`));
  for (let from = 0; from < count; from += atOnce) {
    const some = Array.from({ length: Math.min(atOnce, count - from) }, (_, index) => from + index);
    await Promise.all(some.map((no) => askOne(store, no)));
    if (from % 10_000 === 0 && from > 0) context.progress(`${from} open questions`);
  }
  return store;
}

async function askOne(store: Store, no: number): Promise<void> {
  const workflow = await BenchWorkflow.create(store, `w-${no}`);
  await workflow.failRun();
}

/** All have the same time here, so that only the names of the workflows tell their places. */
async function placeNearEnd(store: Store): Promise<string | null> {
  const { next } = await listQuestions(store, { after: null, limit: 1 });
  return next?.replace(/~[^~]*$/, "~w-2") ?? null;
}

async function timePage(store: Store, after: string | null): Promise<number> {
  const startedAt = performance.now();
  const { items } = await listQuestions(store, { after, limit: pageSize });
  const ms = performance.now() - startedAt;
  if (items.length === 0) throw new Error("the page is empty");
  return ms;
}
