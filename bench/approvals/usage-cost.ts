import { join } from "node:path";
import type { Store } from "@holdfast/core";
import { openSqliteStore, type SqliteStore } from "@holdfast/store";
import type { BenchContext, Measured } from "../harness/bench.ts";
import { median, spreadOf } from "../harness/percentile.ts";
import { callRow, persistCalls } from "../store/ledger-rows.ts";

const [few, many, manyQuick] = [1_000, 1_000_000, 50_000] as const;
const [rounds, roundsQuick] = [15, 5] as const;
const [rowsPerChange, readsPerRound] = [5_000, 200] as const;
/** In the window, whatever lies before it. */
const recent = 50;
const workflow = "orders";
const now = Date.UTC(2026, 0, 1);
const hourMs = 3_600_000;

/** What was used in an hour is summed up as fast, however much lies before it. */
export async function measureUsage(context: BenchContext): Promise<readonly Measured[]> {
  const count = context.quick ? manyQuick : many;
  const small = await filled(join(context.folder, "few"), few);
  const large = await filled(join(context.folder, "many"), count);
  context.progress(`${count} calls in the ledger`);
  const [beside, among]: [number[], number[]] = [[], []];
  await timed(small);
  await timed(large);
  for (let round = 0; round < (context.quick ? roundsQuick : rounds); round++) {
    beside.push(await timed(small));
    among.push(await timed(large));
  }
  await small.close();
  await large.close();
  const metric = `what was used in an hour, ${few} calls in the ledger`;
  return [
    { metric, value: median(beside), unit: "µs", spread: spreadOf(beside) },
    {
      metric: `what was used in an hour, ${count} calls in the ledger`,
      value: median(among),
      unit: "µs",
      spread: spreadOf(among),
      reference: median(beside),
      against: metric,
      ratio: median(among.map((each, round) => each / (beside[round] ?? Number.NaN))),
      must: { atMost: 1.5 },
    },
  ];
}

async function timed(store: Store): Promise<number> {
  const of = { connection: "shop", operation: "post", after: now - hourMs, except: null };
  const startedAt = performance.now();
  for (let count = 0; count < readsPerRound; count++) {
    const spent = await store.sumUsage(workflow, of);
    if (spent.count !== recent) throw new Error(`${spent.count} of ${recent}`);
  }
  return ((performance.now() - startedAt) * 1_000) / readsPerRound;
}

async function filled(folder: string, count: number): Promise<SqliteStore> {
  const store = await openSqliteStore({ folder, clock: () => now, newIncarnation: () => "bench" });
  await store.createWorkflow(workflow);
  for (let from = 0; from < count; from += rowsPerChange) {
    const size = Math.min(rowsPerChange, count - from);
    await persistCalls(
      store,
      workflow,
      Array.from({ length: size }, (_, index) => {
        const at = from + index;
        return callRow(
          at,
          at < count - recent ? now - 2 * hourMs - count + at : now - (at % hourMs),
        );
      }),
    );
  }
  return store;
}
