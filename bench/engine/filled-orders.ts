import type { CoreCommand, Store } from "@holdfast/core";
import { BenchWorkflow, eventsPerBatchMax } from "../store/bench-workflow.ts";
import type { OrderScript } from "./order-workflow.ts";

const tellEvery = 100_000;

/** One workflow with so many pending orders, written as a producer would: in large batches. */
export async function fillOrders(
  store: Store,
  { activation }: OrderScript,
  { count, progress }: { readonly count: number; readonly progress: (text: string) => void },
): Promise<void> {
  const version = { kind: "activate_version", ...activation, actor: "bench" } as CoreCommand;
  const orders = await BenchWorkflow.create(store, "orders", version);
  for (let done = 0; done < count; done += eventsPerBatchMax) {
    await orders.publish(Math.min(count - done, eventsPerBatchMax));
    if (done > 0 && done % tellEvery === 0) progress(`${done} of ${count} orders published`);
  }
}
