import type { GuardName } from "./broken-guards.ts";
import { type Cell, type NewStore, tryCell } from "./matrix.ts";

type Control = { readonly name: string; isNoticed(): Promise<boolean> };

/** With this guard out, this blow must make the shop book an order twice. */
const blows: Readonly<Record<GuardName, Cell>> = {
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
