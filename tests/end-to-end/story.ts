import { readFileSync } from "node:fs";
import type { HostProcess } from "./host-process.ts";

export const script = readFileSync(new URL("./orders.ts.txt", import.meta.url), "utf8");
/** The same orders, each an item of a job with three bookings. */
export const itemScript = readFileSync(new URL("./item-orders.ts.txt", import.meta.url), "utf8");

/** The same orders, each a cell of a machine with a timer and a call. */
export const machineScript = readFileSync(
  new URL("./timed-orders.ts.txt", import.meta.url),
  "utf8",
);

/** What people do with a host, through its API: the same for every test of the whole program. */
export async function deployOrders(
  host: HostProcess,
  allow: readonly string[] = ["shop.post"],
  ask: readonly string[] = [],
  text: string = script,
) {
  const source = { entry: "orders.ts", files: { "orders.ts": text } };
  return host.api<{ version: string; accepted: boolean | null }>("POST", "/versions", {
    source,
    allow,
    ask,
  });
}

async function ask(host: HostProcess, kind: string, body: object = {}): Promise<void> {
  await host.api("POST", "/workflows/orders/commands", { kind, body });
}

export async function publishOrders(host: HostProcess, ids: readonly string[]): Promise<void> {
  await Promise.all(ids.map((messageId) => publishOrder(host, messageId, { sum: 5 })));
}

export async function publishOrder(
  host: HostProcess,
  messageId: string,
  payload: { readonly sum: number; readonly id?: string },
): Promise<void> {
  const title = `Order ${messageId}`;
  await ask(host, "publish_event", { topic: "order.received", messageId, payload, title });
}
