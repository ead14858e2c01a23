import type { LoginCodeAnswer } from "@holdfast/protocol";
import type { HostChild } from "../host-child.ts";
import { deployExample } from "./deploy-example.ts";
import { LiveView } from "./live-view.ts";
import { openPage } from "./open-page.ts";
import type { FirstRunOptions } from "./options.ts";
import { OrderWorld } from "./order-world.ts";

const orderEveryMs = 2_000;

/** Runs the example until it is stopped, and shows what happens. */
export async function show(options: FirstRunOptions, stop: AbortSignal): Promise<number> {
  const world = await OrderWorld.open(options, (what, loss) => {
    console.log(`          (the service did the ${what}, and its answer was lost: ${loss})`);
  });
  try {
    const host = world.startHost();
    const onStop = () => {
      console.log("\nStopping; `npm start` goes on from here.");
      host.kill("SIGTERM");
    };
    if (stop.aborted) onStop();
    else stop.addEventListener("abort", onStop);
    try {
      const url = await host.url;
      if (url !== null) await watch(world, { options, host, url, stop });
    } catch (error) {
      // A host that is to stop answers nobody.
      if (!stop.aborted) throw error;
    } finally {
      host.kill("SIGTERM");
      await host.ended;
    }
    // What it said is on the screen.
    return stop.aborted ? 0 : ((await host.ended).code ?? 1);
  } finally {
    await world.shop.stop();
  }
}

type Watched = {
  readonly options: FirstRunOptions;
  readonly host: HostChild;
  readonly url: string;
  readonly stop: AbortSignal;
};

async function watch(world: OrderWorld, { options, host, url, stop }: Watched): Promise<void> {
  const client = world.client();
  const { code } = await client.post<LoginCodeAnswer>("/login-codes", {});
  const { workflow, version } = await deployExample(client);
  const words = options.isOwnFolder ? ` --data ${options.folder}` : "";
  const lossPercent = Math.round(options.lossShare * 100);
  const view = new LiveView(client, words);
  console.log(`Holdfast works in ${options.folder} as process ${host.pid}; Ctrl-C stops it.
  address   ${url}
  log in    ${url}/login#${code}   (once, within 10 minutes)
  workflow  ${workflow} ${version}, from examples/orders
  service   ${world.shop.url}, which loses ${lossPercent} % of its answers
`);
  if (options.isShown) openPage(options.folder, `${url}/login#${code}`);
  const { inputs, outputs } = await view.begin();
  if (inputs > 0) console.log(`          goes on after ${inputs} inputs and ${outputs} outputs`);
  const orders = world.placeOrders(orderEveryMs);
  const over = new AbortController();
  void host.ended.then(() => over.abort());
  try {
    await view.follow(AbortSignal.any([stop, over.signal]));
  } finally {
    clearInterval(orders);
  }
}
