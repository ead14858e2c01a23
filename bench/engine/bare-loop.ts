import type { Change, Store } from "@holdfast/core";
import { openMemoryStore } from "@holdfast/store/memory";
import { openBenchStore } from "../store/open-bench-store.ts";
import { type OrderScript, prepareOrders, workOff } from "./order-workflow.ts";

/** What the engine commits for one order after the other, once it is let go. */
export async function recordRuns(
  script: OrderScript,
  count: number,
): Promise<readonly (readonly Change[])[]> {
  const store = openMemoryStore({ clock: () => Date.now(), newIncarnation: () => "bench" });
  await prepareOrders(store, ["orders"], { script, orders: count });
  const changes: Change[] = [];
  const commit: Store["commit"] = (given) => {
    changes.push(...given);
    return store.commit(given);
  };
  await workOff({ ...store, commit }, "bench-2", script);
  // The command that let it go, then three changes for each order, then a look that finds nothing.
  const [go, ...own] = changes;
  if (go === undefined || own.length !== count * 3 + 1) throw new Error(`${own.length} changes`);
  return [[go], ...Array.from({ length: count }, (_, run) => own.slice(run * 3, run * 3 + 3))];
}

type BareParts = {
  readonly script: OrderScript;
  readonly recorded: readonly (readonly Change[])[];
  readonly count: number;
};

export async function timeBare(
  folder: string,
  { script, recorded, count }: BareParts,
): Promise<number> {
  const store = await openBenchStore(folder);
  await prepareOrders(store, ["orders"], { script, orders: count });
  await store.openHost({ incarnation: "bench-2", leaseMs: 3_600_000 });
  await store.claim("bench-2", 1);
  const calls = bareCalls(script);
  const [go = [], ...runs] = recorded;
  await commitAll(store, go);
  const startedAt = performance.now();
  for (const [prepared, applied, committed] of runs) {
    await script.hosted.runConsumer(calls, calls.options);
    await commitAll(store, [prepared]);
    await commitAll(store, [applied]);
    await script.hosted.run(calls.next, calls.options);
    await commitAll(store, [committed]);
  }
  const seconds = (performance.now() - startedAt) / 1_000;
  await store.close();
  return count / seconds;
}

async function commitAll(store: Store, changes: readonly (Change | undefined)[]): Promise<void> {
  for (const change of changes) {
    if (change === undefined) throw new Error("a run has three changes");
    const [answer] = await store.commit([change]);
    if (answer?.kind !== "committed") throw new Error(JSON.stringify(answer));
  }
}

function bareCalls({ hosted }: OrderScript) {
  const base = {
    handler: "book",
    connections: hosted.connections,
    subscribe: ["order.received"],
    publishes: ["order.booked"],
    mutateReads: "none",
    now: 1,
    seed: "1",
    given: {},
  } as const;
  const events = JSON.stringify([{ messageId: "o-1", payload: { sum: 1 } }]);
  const peek = { name: "ctx.peek", params: '["order.received",{"limit":1}]', value: events };
  const prepared = JSON.stringify({ data: { id: "o-1", sum: 1 } });
  const mutationResult = '{"status":"applied","result":{"number":1}}';
  return {
    // The engine foresees it, too.
    prepare: { ...base, phase: "prepare", foreseen: [peek] },
    mutate: { ...base, phase: "mutate" },
    next: { ...base, phase: "next", given: { prepared, mutationResult } },
    options: { perform: async () => ({ kind: "value", value: events }) as const },
  } as const;
}
