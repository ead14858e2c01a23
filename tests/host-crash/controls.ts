import { newFolder, writeAccounts } from "../end-to-end/host-process.ts";
import { OrderShop } from "../end-to-end/order-shop.ts";
import type { GuardName } from "./broken-guards.ts";
import { answerTimeoutMs, askForOrders, order, startHost } from "./life.ts";
import { type Cell, type NewStore, tryCell } from "./matrix.ts";

type Control = { readonly name: string; isNoticed(): Promise<boolean> };

/** With this guard out, this blow must make the shop book an order twice. */
const blows: Readonly<Partial<Record<GuardName, Cell>>> = {
  "in_flight is recorded after the send": {
    store: "SQLite",
    mood: "answers",
    boundary: "after outside.send #1",
    signal: "SIGKILL",
  },
  "the last check always says yes": {
    store: "PostgreSQL",
    mood: "answers",
    boundary: "before last check #1",
    signal: "SIGSTOP",
  },
};

export function controls(stores: Readonly<Record<string, NewStore>>): readonly Control[] {
  return [...blowControls(stores), ...Object.entries(stores).map(releaseControl)];
}

/** The change is refused by the database itself, and the workflow stands still. */
function releaseControl([store, newStore]: [string, NewStore]): Control {
  const brokenGuard = "events are released while nobody knows";
  const isNoticed = async () => {
    const shop = await OrderShop.start();
    shop.mood = "drops the answer";
    const { place, drop } = await newStore();
    const accountsFile = writeAccounts(newFolder(), shop.url, { timeoutMs: answerTimeoutMs });
    const host = startHost({ store: place, accountsFile }, { log: "", brokenGuard });
    try {
      await askForOrders(host, [order]);
      await host.said(/orders: stopped on this host.*event_behind_mutation/);
      return shop.applied.length === 1;
    } finally {
      await host.stop();
      await shop.stop();
      await drop();
    }
  };
  return { name: `${brokenGuard}, on ${store}`, isNoticed };
}

function blowControls(stores: Readonly<Record<string, NewStore>>): readonly Control[] {
  return Object.entries(blows).map(([name, cell]) => ({
    name,
    isNoticed: async () => {
      const newStore = stores[cell.store];
      if (newStore === undefined) throw new Error(`there is no store ${cell.store}`);
      const { problems } = await tryCell(newStore, cell, name as GuardName);
      return problems.some((problem) => /was booked [2-9] times/.test(problem));
    },
  }));
}
