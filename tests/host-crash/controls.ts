import { newFolder, writeAccounts } from "../end-to-end/host-process.ts";
import { OrderShop } from "../end-to-end/order-shop.ts";
import type { GuardName } from "./broken-guards.ts";
import { answerTimeoutMs, askForOrders, deployFor, longLeaseMs, startHost } from "./life.ts";
import { type Cell, type NewStore, tryCell } from "./matrix.ts";
import { order } from "./order-ids.ts";
import { tryBlow } from "./trial.ts";

type Control = {
  readonly name: string;
  readonly course: string;
  isNoticed(): Promise<boolean>;
};

const twice = /was booked [2-9] times/;

/** With this guard out, this blow makes the shop book an order twice, or as nobody agreed to. */
const blows: Readonly<Partial<Record<GuardName, Cell & { readonly finds: RegExp }>>> = {
  "in_flight is recorded after the send": {
    store: "SQLite",
    mood: "answers",
    boundary: "after outside.send #1",
    signal: "SIGKILL",
    finds: twice,
  },
  "an intent is sent before its frame is durable": {
    store: "SQLite",
    mood: "answers",
    course: "machines",
    boundary: "after outside.send #1",
    signal: "SIGKILL",
    finds: twice,
  },
  // With this commit the first snapshot that was kept in pieces is durable.
  "a snapshot is durable before its pieces": {
    store: "SQLite",
    mood: "answers",
    course: "pieces",
    boundary: "after store.commit #18",
    signal: "SIGKILL",
    finds: /state\.missing/,
  },
  "the last check always says yes": {
    store: "PostgreSQL",
    mood: "answers",
    boundary: "before last check #1",
    signal: "SIGSTOP",
    finds: twice,
  },
  "a grant that asks is taken for one that allows": {
    store: "SQLite",
    mood: "answers",
    course: "edited",
    boundary: "after outside.send #1",
    signal: "SIGKILL",
    finds: /nobody agreed to it/,
  },
  "a restored store asks nobody": {
    store: "SQLite",
    mood: "answers",
    course: "restored, happened",
    boundary: "before store.commit #3",
    signal: "SIGKILL",
    finds: twice,
  },
};

export function controls(stores: Readonly<Record<string, NewStore>>): readonly Control[] {
  return [
    ...blowControls(stores),
    graceControl(stores),
    ...Object.entries(stores).map(releaseControl),
  ];
}

/** Nobody has to die: the first who opens the snapshot does not find its pieces. */
function graceControl(stores: Readonly<Record<string, NewStore>>): Control {
  const brokenGuard = "parts are collected without their time of grace";
  const isNoticed = async () => {
    const { place: store, drop } = (await stores["SQLite"]?.()) ?? {};
    if (store === undefined || drop === undefined) throw new Error("there is no store");
    const life = { mood: "answers", manner: "asks you", course: "pieces", blow: null } as const;
    try {
      const { problems } = await tryBlow({ store, ...life, brokenGuard, leaseMs: longLeaseMs });
      return problems.some((problem) => problem.includes("state.missing"));
    } catch (error) {
      return String(error).includes("state.missing");
    } finally {
      await drop();
    }
  };
  return { name: brokenGuard, course: "pieces", isNoticed };
}

/** The change is refused by the database itself, and the workflow stands still. */
function releaseControl([store, newStore]: [string, NewStore]): Control {
  const brokenGuard = "events are released while nobody knows";
  const isNoticed = async () => {
    const shop = await OrderShop.start();
    shop.mood = "drops the answer";
    const { place, drop } = await newStore();
    const accountsFile = writeAccounts(newFolder(), shop.url, { timeoutMs: answerTimeoutMs });
    const armed = { log: "", brokenGuard, leaseMs: longLeaseMs } as const;
    const host = startHost({ store: place, accountsFile }, armed);
    try {
      await deployFor(host, "allowed");
      await askForOrders(host, [order]);
      await host.said(/orders: stopped on this host.*event_behind_mutation/);
      return shop.applied.length === 1;
    } finally {
      await host.stop();
      await shop.stop();
      await drop();
    }
  };
  return { name: `${brokenGuard}, on ${store}`, course: "allowed", isNoticed };
}

function blowControls(stores: Readonly<Record<string, NewStore>>): readonly Control[] {
  return Object.entries(blows).map(([name, cell]) => ({
    name,
    course: cell.course ?? "allowed",
    isNoticed: async () => {
      const newStore = stores[cell.store];
      if (newStore === undefined) throw new Error(`there is no store ${cell.store}`);
      const { problems } = await tryCell(newStore, cell, name as GuardName).catch(
        (error: unknown) => ({ problems: [String(error)] }),
      );
      return problems.some((problem) => cell.finds.test(problem));
    },
  }));
}
