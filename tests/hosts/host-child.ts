/**
 * The program that is killed and stopped: a host on a PostgreSQL store in real time, with work
 * that never ends. Its only argument are its options; what else it is to do comes on its input.
 */
import { createInterface } from "node:readline";
import { openPostgresStore, type PostgresStore } from "@holdfast/store/postgres";
import type { ChildOptions, ChildOrder } from "./child-options.ts";
import { Desk } from "./desk.ts";
import { HookStop } from "./hooks.ts";
import { LoadHost } from "./load-host.ts";
import { OutsideLog } from "./outside-log.ts";
import { passingTrouble } from "./passing-trouble.ts";
import { say } from "./say.ts";
import { witnessed } from "./witnessed.ts";

const reopenMs = 100;

/** The server may be down when the host starts. */
async function openStore(url: string, hooks: HookStop): Promise<PostgresStore> {
  for (;;) {
    try {
      return await openPostgresStore({
        url,
        newIncarnation: () => "store-1",
        atBoundary: hooks.pass,
      });
    } catch (error) {
      say({ kind: "trouble", doing: "open", note: passingTrouble(error) });
      await new Promise((resolve) => setTimeout(resolve, reopenMs));
    }
  }
}

async function main(options: ChildOptions): Promise<void> {
  const hooks = new HookStop(options.stopAt);
  const opened = await openStore(options.url, hooks);
  const { store, loseClaim } = witnessed(opened, {
    breakage: options.breakage,
    beforeCommit: () => hooks.pass("before commit"),
    onBeat: () => host.noteBelief(),
  });
  const outside = new OutsideLog(options.outsidePath);
  const host = new LoadHost({ options, store, hooks, outside });
  const desk = new Desk(store, options.workflowCount);
  const orders = createInterface({ input: process.stdin });
  orders.on("line", (text) => {
    const order = JSON.parse(text) as ChildOrder;
    if (order.kind === "stop_at") hooks.arm(order.hook);
    if (order.kind === "take_checkpoint") host.takeCheckpoint();
    if (order.kind === "find_damage") void opened.findDamage();
    if (order.kind === "lose_claim") loseClaim();
    if (order.kind === "leave") host.leave();
  });
  // Whoever gives the orders is gone: so is the reason to live.
  orders.on("close", () => process.exit());
  if (options.work === "runs") desk.open();
  await host.live();
  await desk.close();
  await opened.close();
  say({ kind: "finished" });
  process.exit();
}

const [argument] = process.argv.slice(2);
if (argument === undefined) throw new Error("options?");
await main(JSON.parse(argument) as ChildOptions);
