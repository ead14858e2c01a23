import type { Change, RowKey, Rows, Seq, Store, TableName } from "@holdfast/core";
import { type BrokenStore, broken } from "./broken-store.ts";
import { rowsOf } from "./table-reader.ts";

/** A scan that gives other rows, or the same in another order. */
function scanning(
  store: Store,
  change: <T extends TableName>(rows: readonly Rows[T][]) => readonly Rows[T][],
): Pick<Store, "scan"> {
  return {
    scan: async function* <T extends TableName>(workflow: string, table: T) {
      yield* change<T>(await rowsOf(store, workflow, table));
    },
  };
}

/** A peek that trusts a low-water mark; `move` says how a change moves it, landed or not. */
function marking(
  store: Store,
  move: (mark: Seq, hint: Seq, change: Change) => Seq,
): Pick<Store, "commit" | "peek"> {
  let mark: Seq = 0;
  return {
    commit: async (changes) => {
      for (const change of changes)
        mark = move(mark, change.settledBelow[0]?.position ?? 0, change);
      return store.commit(changes);
    },
    peek: async (...wanted) => {
      const seen = await store.peek(...wanted);
      return { ...seen, events: seen.events.filter((event) => event.position >= mark) };
    },
  };
}

export const brokenReadings: readonly BrokenStore[] = [
  broken(
    "takes the beginning of a name for the name",
    "scans only the rows whose key begins as asked, in key order",
    (store) => ({
      scan: async function* <T extends TableName>(workflow: string, table: T, under: RowKey = []) {
        for (const row of await rowsOf(store, workflow, table)) {
          const [first] = Object.values(row);
          if (String(first).startsWith(String(under[0] ?? ""))) yield row;
        }
      },
    }),
  ),
  broken(
    "lists questions in the order they were asked",
    "lists the questions of a workflow, the newest first, as they were written",
    (store) => ({
      listAttentions: async (query) => (await store.listAttentions(query)).toReversed(),
    }),
  ),
  broken("lists closed questions as open", "lists open and closed questions apart", (store) => ({
    listAttentions: (query) =>
      store.listAttentions(query.workflow === null ? query : { ...query, isOpen: null }),
  })),
  broken(
    "goes on after a moment, not after a question",
    "gives every question on exactly one page, those of one moment too",
    (store) => ({
      listAttentions: async (query) => {
        const { after, limit } = query;
        const listed = await store.listAttentions({ ...query, after: null, limit: 1_000 });
        const later = listed.filter(({ row }) => after === null || row.openedAt < after.openedAt);
        return later.slice(0, limit);
      },
    }),
  ),
  broken(
    "lists runs by the text of their id",
    "lists runs by the number in their id, the newest first",
    (store) => ({
      listRows: async (query) => {
        const rows = await store.listRows({ ...query, after: null, limit: 1_000 });
        return rows.toSorted((a, b) =>
          "runId" in a && "runId" in b && a.runId < b.runId ? 1 : -1,
        );
      },
    }),
  ),
  broken(
    "leaves out the place that a list goes down to",
    "lists what stands between two places: after the one, down to the other",
    (store) => ({
      listRows: async (query) => {
        const rows = await store.listRows(query);
        return query.downTo === null ? rows : rows.slice(0, -1);
      },
    }),
  ),
  broken(
    "counts beyond the page",
    "lists the events of a topic, those not settled, and those there to be seen",
    (store) => ({ countRows: (query) => store.countRows({ ...query, limit: 1_000 }) }),
  ),
  broken("lists what is of no interest too", "lists only the rows that a list is of", (store) => ({
    listRows: (query) =>
      store.listRows(query.list === "openRuns" ? { ...query, list: "runs" as never } : query),
  })),
  broken("forgets a record", "keeps one unbroken chain over many commits", (store) => ({
    readJournal: async (workflow, after, limit) =>
      (await store.readJournal(workflow, after, limit)).filter((entry) => entry.seq !== 2),
  })),
  broken(
    "turns a bit of a record",
    "gives every record back byte for byte, with its hash and place",
    (store) => ({
      readJournal: async (...range) => {
        const entries = await store.readJournal(...range);
        for (const { bytes } of entries) bytes[20] = (bytes[20] ?? 0) ^ 1;
        return entries;
      },
    }),
  ),
  broken(
    "reads the journal from the place itself, not after it",
    "reads a range: after a place, up to a limit",
    (store) => ({
      readJournal: (workflow, after, limit) => store.readJournal(workflow, after - 1, limit),
    }),
  ),
  broken("makes up a missing blob", "says BLOB_MISSING for a hash it does not have", (store) => ({
    loadBlob: (...wanted) => store.loadBlob(...wanted).catch(() => new Uint8Array()),
  })),
  broken(
    "gives rows twice",
    "loads each row once, whatever number of needs asked for it",
    (store) => ({
      load: async (...wanted) => {
        const loaded = await store.load(...wanted);
        return { ...loaded, rows: [...loaded.rows, ...loaded.rows.slice(0, 1)] };
      },
    }),
  ),
  broken(
    "says what is absent for each need",
    "says which rows asked for by key are not there",
    (store) => ({
      load: async (workflow, needs) => {
        const loaded = await store.load(workflow, needs);
        return { ...loaded, absent: [...loaded.absent, ...loaded.absent.slice(0, 1)] };
      },
    }),
  ),
  broken(
    "does not say what is absent",
    "says which rows asked for by key are not there",
    (store) => ({
      load: async (...wanted) => ({ ...(await store.load(...wanted)), absent: [] }),
    }),
  ),
  broken(
    "loads deliveries newest first",
    "loads the oldest waiting deliveries, oldest first, and no more than a run is given",
    (store) => ({
      load: async (...wanted) => {
        const loaded = await store.load(...wanted);
        return { ...loaded, rows: loaded.rows.toReversed() };
      },
    }),
  ),
  broken("peeks reserved events", "hides events that are reserved [R33]", (store) => ({
    peek: async (workflow, topic, limit) => {
      const seen = await store.peek(workflow, topic, limit);
      const rows = await rowsOf(store, workflow, "events");
      const reserved = rows.filter((row) => row.topic === topic && row.status === "reserved");
      return { ...seen, events: [...reserved, ...seen.events] };
    },
  })),
  broken(
    "peeks newest first",
    "gives pending events, oldest first, whatever order they were written in [R16]",
    (store) => ({
      peek: async (...wanted) => {
        const seen = await store.peek(...wanted);
        return { ...seen, events: seen.events.toReversed() };
      },
    }),
  ),
  broken(
    "peeks in the order of ids",
    "gives pending events, oldest first, whatever order they were written in [R16]",
    (store) => ({
      peek: async (...wanted) => {
        const seen = await store.peek(...wanted);
        const events = seen.events.toSorted((a, b) => (a.messageId < b.messageId ? -1 : 1));
        return { ...seen, events };
      },
    }),
  ),
  broken("peeks past the limit", "gives no more than the limit [R16]", (store) => ({
    peek: (workflow, topic, limit) => store.peek(workflow, topic, limit + 1),
  })),
  broken(
    "takes reserved events for settled",
    "says below which position all is settled, reserved events counted as open",
    (store) => ({
      peek: async (...wanted) => {
        const seen = await store.peek(...wanted);
        return { ...seen, settledBelow: seen.events[0]?.position ?? null };
      },
    }),
  ),
  broken(
    "never lowers the low-water mark",
    "after a hint, still sees an old event that is reprocessed",
    (store) => marking(store, (mark, hint) => Math.max(mark, hint)),
  ),
  broken(
    "takes a hint that is no longer true",
    "hides nothing for a hint that is no longer true",
    (store) =>
      marking(store, (mark, hint, { rows }) => (rows.length > 0 ? 0 : Math.max(mark, hint))),
  ),
  broken(
    "takes the hint of a change that did not land",
    "does not raise the mark for a hint in a change that missed or was refused",
    (store) => marking(store, (mark, hint) => Math.max(mark, hint)),
  ),
  broken(
    "scans in the order of writing, backwards",
    "scans a table in key order: text by code point, numbers by size",
    (store) => scanning(store, (rows) => rows.toReversed()),
  ),
  broken(
    "reads a table while it changes",
    "scans one consistent moment, whatever is committed meanwhile",
    (store) => ({
      scan: async function* <T extends TableName>(workflow: string, table: T) {
        for (let index = 0; ; index++) {
          const row = (await rowsOf(store, workflow, table))[index];
          if (row === undefined) return;
          yield row;
        }
      },
    }),
  ),
  broken(
    "keeps whole numbers as 32-bit floats",
    "gives back every value of skipped_firings exactly as it was written, scanned and by key",
    (store) =>
      scanning(store, (rows) =>
        rows.map((row) => {
          const rounded = Object.entries(row).map(([column, value]) => [
            column,
            typeof value === "number" ? Math.fround(value) : value,
          ]);
          return Object.fromEntries(rounded);
        }),
      ),
  ),
  broken("goes on after close", "refuses every call after close with STORE_CLOSED", () => ({
    close: async () => {},
  })),
  broken("creates a workflow again", "creates a workflow once, with an empty journal", (store) => ({
    createWorkflow: async (workflow) => ({
      ...(await store.createWorkflow(workflow)),
      created: true,
    }),
  })),
  broken("peeks consumed events", "hides events that are consumed or skipped [R16]", (store) => ({
    peek: async (workflow, topic, limit) => {
      const seen = await store.peek(workflow, topic, limit);
      const rows = await rowsOf(store, workflow, "events");
      return {
        ...seen,
        events: [...rows.filter((row) => row.status === "consumed"), ...seen.events],
      };
    },
  })),
  broken("peeks into other workflows", "sees one topic of one workflow", (store) => ({
    peek: async (_, topic, limit) => {
      const workflows = await store.listWorkflows(null, 1000);
      const seen = await Promise.all(
        workflows.map(({ workflow }) => store.peek(workflow, topic, limit)),
      );
      return { events: seen.flatMap((peek) => peek.events), settledBelow: null };
    },
  })),
  broken(
    "gives the same bytes to every caller",
    "is not changed by a caller who changes the bytes of a blob it gave or got",
    (store) => {
      const given = new Map<string, Promise<Uint8Array>>();
      return {
        loadBlob: (workflow, hash) => {
          const bytes = given.get(hash) ?? store.loadBlob(workflow, hash);
          given.set(hash, bytes);
          return bytes;
        },
      };
    },
  ),
  broken("lists in the order of UTF-16", "lists workflows by name, page by page", (store) => ({
    listWorkflows: async (...wanted) =>
      (await store.listWorkflows(...wanted)).toSorted((a, b) => (a.workflow < b.workflow ? -1 : 1)),
  })),
];
