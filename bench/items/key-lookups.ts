import { join } from "node:path";
import type { Store } from "@holdfast/core";
import type { SqliteStore } from "@holdfast/store";
import type { BenchContext, Measured } from "../harness/bench.ts";
import { median, spreadOf } from "../harness/percentile.ts";
import { callRow, persistCalls } from "../store/ledger-rows.ts";
import { openBenchStore } from "../store/open-bench-store.ts";

const [few, many, manyQuick] = [1_000, 1_000_000, 50_000] as const;
const [rounds, roundsQuick] = [15, 5] as const;
const [rowsPerChange, readsPerRound] = [5_000, 500] as const;
const workflow = "renewals";

/** Whether a call was made before is found by its key, however long the ledger is. */
export async function measureLookups(context: BenchContext): Promise<readonly Measured[]> {
  const count = context.quick ? manyQuick : many;
  const small = await filled(join(context.folder, "keys-few"), few);
  const large = await filled(join(context.folder, "keys-many"), count);
  context.progress(`${count} calls in the ledger`);
  const [beside, among]: [number[], number[]] = [[], []];
  for (let round = -1; round < (context.quick ? roundsQuick : rounds); round++) {
    const pair = [await timed(small, few), await timed(large, count)] as const;
    if (round < 0) continue;
    beside.push(pair[0]);
    among.push(pair[1]);
  }
  await small.close();
  await large.close();
  const metric = `looking a key up among ${few} calls`;
  return [
    { metric, value: median(beside), unit: "µs", spread: spreadOf(beside) },
    {
      metric: `looking a key up among ${count} calls`,
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

async function timed(store: Store, count: number): Promise<number> {
  const startedAt = performance.now();
  for (let read = 0; read < readsPerRound; read++) {
    const no = (read * 7_919) % count;
    const { rows } = await store.load(workflow, [{ kind: "mutation_key", mutationKey: `k${no}` }]);
    if (rows.length !== 1) throw new Error(`${rows.length} calls have the key k${no}`);
  }
  return ((performance.now() - startedAt) * 1_000) / readsPerRound;
}

async function filled(folder: string, count: number): Promise<SqliteStore> {
  const store = await openBenchStore(folder);
  await store.createWorkflow(workflow);
  for (let from = 0; from < count; from += rowsPerChange) {
    const size = Math.min(rowsPerChange, count - from);
    const calls = Array.from({ length: size }, (_, index) => {
      return { ...callRow(from + index, 0), itemId: `item ${(from + index) % 10_000}` };
    });
    await persistCalls(store, workflow, calls);
  }
  return store;
}
