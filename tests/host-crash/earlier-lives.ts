/** What has happened before the host that is struck. */
import { type HostProcess, runOffline, type StartOptions } from "../end-to-end/host-process.ts";
import type { OrderShop } from "../end-to-end/order-shop.ts";
import { command, give } from "./give.ts";
import { type Armed, askForOrders, deployFor, livesMax, lostLease, startHost } from "./life.ts";
import { order } from "./order-ids.ts";

/**
 * `restored`: an order waits, and the store is from before now; `… and booked`: it was booked in
 * the time that is forgotten. `crashed`: two hosts died over it.
 */
export type Earlier = "restored" | "restored and booked" | "crashed";

type Given = {
  readonly parts: StartOptions;
  readonly shop: OrderShop;
  readonly log: string;
  readonly leaseMs: number;
};

export async function liveBefore(earlier: Earlier, given: Given): Promise<void> {
  if (earlier === "crashed") return crashTwice(given);
  const { parts, shop } = given;
  const host = startHost(parts);
  await deployFor(host, "allowed");
  await give(host, "/commands", command("pause_workflow"));
  await askForOrders(host, [order]);
  await host.stop();
  if (earlier === "restored and booked") shop.applied.push({ id: order, sum: 5 });
  const words = ["accept-restored", "--ledger-compared", "--unnoticed"];
  const { code, out } = await runOffline(parts.store, ...words);
  if (code !== 0) throw new Error(`not accepted: ${out}`);
}

/** The first death leaves no trace, the second is counted. */
async function crashTwice({ parts, log, leaseMs }: Given): Promise<void> {
  const boundary = "before prepare and mutate #1";
  const armed: Armed = { log: `${log}-earlier`, boundary, signal: "SIGKILL", leaseMs };
  await dieOver(parts, armed, async (host) => {
    await deployFor(host, "allowed");
    await askForOrders(host, [order]);
  });
  await dieOver(parts, armed, async () => {});
}

/** Another one where it lost its lease first, as a busy machine may make it. */
async function dieOver(
  parts: StartOptions,
  armed: Armed,
  work: (host: HostProcess) => Promise<void>,
): Promise<void> {
  for (let lives = 1; ; lives++) {
    const host = startHost(parts, armed);
    // Its death tears off whatever is asked of it.
    await work(host).catch(() => {});
    const { code, signal } = await host.ended;
    if (signal === armed.signal) return;
    if (code === lostLease && lives < livesMax) continue;
    throw new Error(`it did not die at ${armed.boundary}:\n${host.output.join("")}`);
  }
}
