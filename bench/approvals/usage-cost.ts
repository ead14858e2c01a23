import { join } from "node:path";
import { insertRow, type Store } from "@holdfast/core";
import { openSqliteStore, type SqliteStore } from "@holdfast/store";
import type { BenchContext, Measured } from "../harness/bench.ts";
import { median, spreadOf } from "../harness/percentile.ts";
import { callRow, endedRun, persistRows } from "../store/ledger-rows.ts";

const [few, many, manyQuick] = [1_000, 1_000_000, 50_000] as const;
const [roundsFull, roundsQuick] = [15, 5] as const;
const [rowsPerChange, readsPerRound] = [5_000, 200] as const;
/** In the window, whatever lies before it. */
const recent = 50;
/** Of each run. */
const activeMs = 2;
const workflow = "orders";
const now = Date.UTC(2026, 0, 1);
const hourMs = 3_600_000;

type Sum = { readonly of: string; readonly ask: (store: Store) => Promise<number> };

const after = now - hourMs;
const sums: readonly Sum[] = [
  {
    of: "what was used in an hour",
    ask: async (store) => {
      const of = { connection: "shop", operation: "post", after, except: null };
      return (await store.sumUsage(workflow, of)).count;
    },
  },
  {
    of: "how long was run in an hour",
    ask: async (store) => (await store.sumActive(workflow, after)).activeMs / activeMs,
  },
];

/** What lies in an hour is summed up as fast, however much lies before it. */
export async function measureUsage(context: BenchContext): Promise<readonly Measured[]> {
  const count = context.quick ? manyQuick : many;
  const small = await filled(join(context.folder, "few"), few);
  const large = await filled(join(context.folder, "many"), count);
  context.progress(`${count} calls in the ledger, each of a run of its own`);
  const rounds = context.quick ? roundsQuick : roundsFull;
  const measured: Measured[] = [];
  for (const sum of sums) measured.push(...(await compared(sum, { small, large, count, rounds })));
  await small.close();
  await large.close();
  return measured;
}

async function compared(
  { of, ask }: Sum,
  {
    small,
    large,
    count,
    rounds,
  }: {
    readonly small: Store;
    readonly large: Store;
    readonly count: number;
    readonly rounds: number;
  },
): Promise<readonly Measured[]> {
  const [beside, among]: [number[], number[]] = [[], []];
  await timed(ask, small);
  await timed(ask, large);
  for (let round = 0; round < rounds; round++) {
    beside.push(await timed(ask, small));
    among.push(await timed(ask, large));
  }
  const metric = `${of}, ${few} calls in the ledger`;
  return [
    { metric, value: median(beside), unit: "µs", spread: spreadOf(beside) },
    {
      metric: `${of}, ${count} calls in the ledger`,
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

async function timed(ask: Sum["ask"], store: Store): Promise<number> {
  const startedAt = performance.now();
  for (let count = 0; count < readsPerRound; count++) {
    const found = await ask(store);
    if (found !== recent) throw new Error(`${found} of ${recent}`);
  }
  return ((performance.now() - startedAt) * 1_000) / readsPerRound;
}

async function filled(folder: string, count: number): Promise<SqliteStore> {
  const store = await openSqliteStore({ folder, clock: () => now, newIncarnation: () => "bench" });
  await store.createWorkflow(workflow);
  for (let from = 0; from < count; from += rowsPerChange) {
    const size = Math.min(rowsPerChange, count - from);
    const rows = Array.from({ length: size }, (_, index) => {
      const no = from + index;
      const at = no < count - recent ? now - 2 * hourMs - count + no : now - (no % hourMs);
      const run = endedRun(no, { endedAt: at, activeMs });
      return [insertRow("runs", run), insertRow("mutations", callRow(no, at))];
    });
    await persistRows(store, workflow, rows.flat());
  }
  return store;
}
