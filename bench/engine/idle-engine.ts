import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Store } from "@holdfast/core";
import type { Engine } from "@holdfast/host";
import type { Sandbox } from "@holdfast/sandbox";
import type { BenchContext, Measured } from "../harness/bench.ts";
import { openBenchStoreNow } from "../store/open-bench-store.ts";
import { countIdle } from "../store/postgres/count-idle.ts";
import { deployAll, loadScheduledScript } from "./order-workflow.ts";
import { leaseMs, pollMs, startEngine } from "./start-engine.ts";
import { type StoreCallName, watchStore } from "./watched-store.ts";

const [workflows, workflowsQuick] = [1_000, 200] as const;
const [windowMs, windowMsQuick] = [10_000, 4_000] as const;

/** Workflows whose next run is an hour ahead: what a host asks of its store meanwhile. */
export async function measureIdleEngine(
  { folder, quick, progress }: BenchContext,
  sandbox: Sandbox,
): Promise<readonly Measured[]> {
  const count = quick ? workflowsQuick : workflows;
  const script = await loadScheduledScript(sandbox);
  const store = await openBenchStoreNow(join(folder, "idle"));
  await deployAll(store, count, script);
  const calls: StoreCallName[] = [];
  const watched = watchStore(store, { onCall: (name) => calls.push(name) });
  const engine = await startEngine(watched, async () => script.hosted);
  await untilIdle(engine, store);
  progress(`${count} workflows at rest`);
  // The looks that belong to the last of them going to rest.
  await sleep(2.5 * pollMs);
  calls.length = 0;
  const startedAt = performance.now();
  await sleep(quick ? windowMsQuick : windowMs);
  const ms = performance.now() - startedAt;
  // Named like the statements that the same calls are on a server.
  const sql = calls.map((name) => `${name}_1`);
  const counted = countIdle({ ms, leaseMs, pollMs, sql, connectionCount: 0 });
  await engine.stop();
  await store.close();
  return [
    {
      metric: `idle host beyond heartbeat and poll, ${count} workflows at rest`,
      value: counted.beyond,
      unit: "store calls",
      reference: counted.expected,
      against: "its heartbeats and polls",
      ratio: counted.beyond / counted.expected,
      must: { atMost: 0 },
    },
  ];
}

/** Every workflow has had its first run, and is owned by nobody. */
async function untilIdle(engine: Engine, store: Store): Promise<void> {
  for (;;) {
    await sleep(pollMs / 10);
    const { owned, waiting } = await store.census();
    if (engine.isIdle && owned === 0 && waiting === 0) return;
  }
}
