import {
  insertRow,
  type ListedTable,
  type ListName,
  type ListPlace,
  type ListQuery,
  listShapes,
  type RowChange,
  type Rows,
  type Store,
} from "@holdfast/core";
import { expect } from "vitest";
import { Owner } from "./change-builder.ts";
import { expectHostError } from "./expectation.ts";
import {
  eventRow,
  inputRow,
  itemRow,
  mutationRow,
  reservationRow,
  runRow,
  topicRow,
  verdictRow,
} from "./row-builder.ts";
import { type StoreCase, startOfTime } from "./store-case.ts";

type Asked = Partial<Omit<ListQuery<ListName>, "list">>;

function query<L extends ListName>(list: L, asked: Asked = {}): ListQuery<L> {
  const { workflow = "orders", of = [], after = null, downTo = null, limit = 100 } = asked;
  return { workflow, list, of, after, downTo, limit };
}

/** A row by the columns of its order. */
function placeOf<L extends ListName>(list: L, row: Rows[ListedTable<L>]): ListPlace {
  return listShapes[list].order.map(({ column }) => row[column as never]);
}

async function places<L extends ListName>(store: Store, list: L, asked: Asked = {}) {
  const rows = await store.listRows(query(list, asked));
  return rows.map((row) => placeOf(list, row).join(" "));
}

/** Page by page, as somebody reads on who has seen the last one. */
async function pages(store: Store, list: ListName, asked: Asked): Promise<string[]> {
  const seen: string[] = [];
  for (let after: ListPlace | null = null; ; ) {
    const rows: readonly Rows[ListedTable<ListName>][] = await store.listRows(
      query(list, { ...asked, after }),
    );
    const last = rows.at(-1);
    if (last === undefined) return seen;
    seen.push(...rows.map((row) => placeOf(list, row).join(" ")));
    after = placeOf(list, last);
  }
}

function closedRun(no: number, status: "committed" | "aborted" | "crashed" = "committed") {
  return insertRow("runs", runRow(`r${no}`, { status, open: false, endedAt: startOfTime }));
}

async function filled(store: Store, ...rows: readonly RowChange[]): Promise<void> {
  const owner = await Owner.create(store, "orders");
  await owner.persist(...rows);
  const other = await Owner.create(store, "other");
  await other.persist(closedRun(50), insertRow("inputs", inputRow("of-another")));
}

function event(messageId: string, position: number, set: Partial<Rows["events"]> = {}) {
  return insertRow("events", eventRow(messageId, { position, ...set }));
}

const topics = ["orders", "bills"].map((name) => insertRow("topics", topicRow(name)));

export const listCases: readonly StoreCase[] = [
  {
    name: "lists runs by the number in their id, the newest first",
    run: async ({ store }) => {
      await filled(store, closedRun(9), closedRun(10), closedRun(2), closedRun(101));
      expect(await places(store, "runs")).toEqual(["r101", "r10", "r9", "r2"]);
      const [first] = await store.listRows(query("runs", { limit: 1 }));
      const closed = { status: "committed", open: false, endedAt: startOfTime } as const;
      expect(first).toEqual(runRow("r101", closed));
    },
  },
  {
    name: "lists what stands between two places: after the one, down to the other",
    run: async ({ store }) => {
      await filled(store, ...[1, 5, 9, 10, 11].map((no) => closedRun(no)));
      const asked = { after: ["r11"], downTo: ["r9"] };
      expect(await places(store, "runs", asked)).toEqual(["r10", "r9"]);
      expect(await places(store, "runs", { downTo: ["r6"] })).toEqual(["r11", "r10", "r9"]);
      expect(await store.countRows(query("runs", asked))).toBe(2);
    },
  },
  {
    name: "lists only the rows that a list is of",
    run: async ({ store }) => {
      const open = insertRow("runs", runRow("r8"));
      const bad = [closedRun(4, "aborted"), closedRun(6, "crashed"), closedRun(7, "aborted")];
      await filled(store, closedRun(3), open, ...bad);
      expect(await places(store, "openRuns")).toEqual(["r8"]);
      expect(await places(store, "badRuns", { of: ["aborted"] })).toEqual(["r7", "r4"]);
      expect(await places(store, "badRuns", { of: ["crashed"] })).toEqual(["r6"]);
      expect(await places(store, "badRuns", { of: ["committed"] })).toEqual([]);
    },
  },
  {
    name: "lists inputs of one moment on exactly one page each, by id",
    run: async ({ store }) => {
      const times = [1, 1, 1, 2, 0];
      const inputs = times.map((time, no) =>
        insertRow("inputs", inputRow(`i-${no}`, { createdAt: startOfTime + time })),
      );
      await filled(store, ...inputs);
      const ids = [3, 2, 1, 0, 4].map((no) => `${startOfTime + (times[no] ?? 0)} i-${no}`);
      expect(await pages(store, "inputs", { limit: 2 })).toEqual(ids);
      const asked = { after: [startOfTime + 2, ""], downTo: [startOfTime + 1, ""] };
      expect(await places(store, "inputs", asked)).toEqual(ids.slice(1, 4));
    },
  },
  {
    name: "lists the events of a topic, those not settled, and those there to be seen",
    run: async ({ store }) => {
      const seen = { status: "consumed", deliveryCount: 0 } as const;
      await filled(
        store,
        ...topics,
        event("a", 1, { status: "consumed", deliveryCount: 1 }),
        event("b", 2),
        event("c", 3, { status: "skipped" }),
        event("d", 4, { topic: "bills", ...seen }),
        event("e", 5),
        event("f", 6, seen),
      );
      const of = ["orders"];
      expect(await places(store, "events", { of })).toEqual(["6", "5", "3", "2", "1"]);
      expect(await pages(store, "unsettledEvents", { of, limit: 1 })).toEqual(["5", "2"]);
      expect(await places(store, "outputEvents")).toEqual(["6", "4"]);
      expect(await store.countRows(query("unsettledEvents", { of, limit: 1 }))).toBe(1);
    },
  },
  {
    name: "lists calls by their number, and those not applied by their state",
    run: async ({ store }) => {
      const call = (no: number, set: Partial<Rows["mutations"]>) => [
        closedRun(no),
        insertRow("mutations", mutationRow(`m${no}`, { runId: `r${no}`, ...set })),
      ];
      const settledAt = startOfTime;
      await filled(
        store,
        ...call(12, { state: "applied", settledAt }),
        ...call(7, { state: "failed", settledAt }),
        ...call(9, { state: "failed", settledAt }),
      );
      expect(await places(store, "mutations")).toEqual(["m12", "m9", "m7"]);
      expect(await places(store, "openMutations", { of: ["failed"] })).toEqual(["m9", "m7"]);
    },
  },
  {
    name: "lists the runs that have held an event, the newest first, whoever else was held",
    run: async ({ store }) => {
      const held = (no: number, messageId: string) => [
        closedRun(no),
        insertRow("reservations", reservationRow(`r${no}`, messageId)),
      ];
      const events = [event("a", 1), event("b", 2)];
      const runs = [...held(9, "a"), ...held(10, "b"), ...held(101, "a"), ...held(11, "a")];
      await filled(store, ...topics, ...events, ...runs);
      const of = ["orders", "a"];
      expect(await pages(store, "holdersOfEvent", { of, limit: 2 })).toEqual(["r101", "r11", "r9"]);
      expect(await places(store, "holdersOfEvent", { of: ["bills", "a"] })).toEqual([]);
    },
  },
  {
    name: "lists the events that a run of an intent came of, or a stopped cell holds",
    run: async ({ store }) => {
      const uses = [
        ["a", "a1"],
        ["b", "a1"],
        ["a", "r9"],
      ] as const;
      const rows = uses.map(([messageId, usedBy]) => {
        return insertRow("event_uses", { topic: "orders", messageId, usedBy });
      });
      await filled(store, ...topics, ...rows);
      const names = async (usedBy: string) => {
        const asked = { workflow: "orders", list: "eventsUsedBy", of: [usedBy] } as const;
        const listed = await store.listRows({ ...asked, after: null, downTo: null, limit: 9 });
        return listed.map(({ messageId }) => messageId);
      };
      expect(await names("a1")).toEqual(["b", "a"]);
      expect(await names("r9")).toEqual(["a"]);
    },
  },
  {
    name: "lists items by their position, and those not done by their status",
    run: async ({ store }) => {
      const statuses = ["done", "failed", "processing", "failed", "done"] as const;
      const items = statuses.map((status, index) =>
        insertRow("items", itemRow(`i-${9 - index}`, { status, position: index + 9 })),
      );
      await filled(store, ...items);
      expect(await pages(store, "items", { limit: 2 })).toEqual(["13", "12", "11", "10", "9"]);
      expect(await places(store, "itemsNotDone", { of: ["failed"] })).toEqual(["12", "10"]);
      expect(await places(store, "itemsNotDone", { of: ["failed"], after: [12] })).toEqual(["10"]);
      expect(await places(store, "itemsNotDone", { of: ["done"] })).toEqual([]);
    },
  },
  {
    name: "lists what was decided, and which versions were",
    run: async ({ store }) => {
      const kinds = ["pause", "activate_version", "pause", "activate_version"];
      const told = kinds.map((kind, index) =>
        insertRow("verdicts", verdictRow(`c-${index}`, { kind, position: index + 1 })),
      );
      await filled(store, ...told);
      expect(await places(store, "verdicts")).toEqual(["4", "3", "2", "1"]);
      expect(await places(store, "activations", { after: [4] })).toEqual(["2"]);
    },
  },
  {
    name: "knows no list of a workflow that nobody created",
    run: async ({ store }) => {
      await expectHostError(() => store.listRows(query("runs")), "WORKFLOW_UNKNOWN");
      await expectHostError(() => store.countRows(query("runs")), "WORKFLOW_UNKNOWN");
    },
  },
];
