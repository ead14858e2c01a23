import { join } from "node:path";
import type { Change } from "@holdfast/core";
import type { BenchContext, Measured } from "../harness/bench.ts";
import { median, spreadOf } from "../harness/percentile.ts";
import { copyAsKilled } from "../store/measure-restart.ts";
import { openBenchStore } from "../store/open-bench-store.ts";
import { fillOrders } from "./filled-orders.ts";
import type { OrderScript } from "./order-workflow.ts";
import { startEngine } from "./start-engine.ts";
import { watchStore } from "./watched-store.ts";

const [pending, pendingQuick] = [100_000, 20_000] as const;
const restarts = 5;
const allowedMs = 2_000;

/** From files as a kill leaves them until the first run of the new host is committed. */
export async function measureEngineRestart(
  { folder, quick, progress }: BenchContext,
  script: OrderScript,
): Promise<readonly Measured[]> {
  const count = quick ? pendingQuick : pending;
  const [source, copy] = [join(folder, "pending"), join(folder, "pending-copy")];
  const store = await openBenchStore(source);
  await fillOrders(store, script, { count, progress });
  const times: number[] = [];
  for (let restart = 0; restart < restarts; restart++) {
    copyAsKilled(source, copy);
    times.push(await timeFirstRun(copy, script));
  }
  await store.close();
  progress(`restarted with ${count} pending events`);
  return [
    {
      metric: `restart with ${count} pending events until a run is committed`,
      value: median(times),
      unit: "ms",
      spread: spreadOf(times),
      reference: allowedMs,
      against: "what is allowed",
      ratio: Math.max(...times) / allowedMs,
      must: { atMost: 1 },
    },
  ];
}

async function timeFirstRun(folder: string, { hosted }: OrderScript): Promise<number> {
  const committed = Promise.withResolvers<number>();
  const startedAt = performance.now();
  const store = await openBenchStore(folder);
  const watched = watchStore(store, {
    onDurable: (change) => {
      if (closesRun(change)) committed.resolve(performance.now() - startedAt);
    },
  });
  const engine = await startEngine(watched, async () => hosted);
  const ms = await committed.promise;
  await engine.stop();
  await store.close();
  return ms;
}

function closesRun({ rows }: Change): boolean {
  return rows.some(
    (row) => row.op === "update" && row.table === "runs" && row.set.status === "committed",
  );
}
