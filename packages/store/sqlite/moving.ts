import {
  type ArrivingStore,
  type ArrivingWorkflow,
  type AsidePage,
  type AsideRow,
  type AsideTable,
  asideShapes,
  type DepartingStore,
  genesisHash,
} from "@holdfast/core";
import { asideRow, asideValues } from "../aside-columns.ts";
import type { SqlValue } from "../columns.ts";
import type { Connection } from "./connection.ts";
import { storeError } from "./errors.ts";
import { type FolderOptions, openFolder } from "./open.ts";
import { finishArrival, persistMark } from "./restored.ts";

/**
 * The folder is this process's own as long as the store is open, so that what is read here is the
 * store at one moment. Writes are made on the store's connection, between those of its groups.
 */
export async function openDepartingSqlite(options: FolderOptions): Promise<DepartingStore> {
  const { store, connection } = await openFolder(options);
  return {
    store,
    readAside: async (page) => readAside(connection, page),
    markExported: async (mark) => persist(connection, () => persistMark(connection, mark)),
    close: () => store.close(),
  };
}

export async function openArrivingSqlite(options: FolderOptions): Promise<ArrivingStore> {
  const { store, connection } = await openFolder(options, { isArriving: true });
  return {
    store,
    createWorkflow: async (of) => persist(connection, () => createWorkflow(connection, of)),
    persistAside: async (table, workflow, rows) => {
      persist(connection, () => persistAside(connection, { table, workflow, rows }));
    },
    finish: async (arrival) => persist(connection, () => finishArrival(connection, arrival)),
    close: () => store.close(),
  };
}

/** One transaction. No group is under way meanwhile: each begins and ends in one turn. */
function persist(connection: Connection, work: () => void): void {
  try {
    connection.run("BEGIN IMMEDIATE");
    work();
    connection.run("COMMIT");
  } catch (error) {
    if (connection.db.isTransaction) connection.db.exec("ROLLBACK");
    throw storeError(error, { path: connection.path, doing: "Writing" });
  }
}

function readAside(connection: Connection, page: AsidePage): readonly AsideRow[] {
  const { table, workflow, after, limit } = page;
  const { key, columns } = asideShapes[table];
  const where = workflow === null ? [] : ["workflow = ?"];
  const values: SqlValue[] = workflow === null ? [] : [workflow];
  if (after !== null) {
    where.push(`(${key.join()}) > (${key.map(() => "?").join()})`);
    values.push(...key.map((name) => after[name] ?? null));
  }
  const sql = `SELECT ${columns.join()} FROM ${table}
    WHERE ${where.join(" AND ") || "1"} ORDER BY ${key.join()} LIMIT ?`;
  try {
    return connection.rows(sql, ...values, limit).map((row) => asideRow(table, row));
  } catch (error) {
    throw storeError(error, { path: connection.path, doing: "Reading" });
  }
}

type Aside = {
  readonly table: AsideTable;
  readonly workflow: string | null;
  readonly rows: readonly AsideRow[];
};

/** What is the store's may be there already, with nothing in it. */
function persistAside(connection: Connection, { table, workflow, rows }: Aside): void {
  const of = workflow === null ? [] : [workflow];
  const names = [...of.map(() => "workflow"), ...asideShapes[table].columns];
  const verb = workflow === null ? "INSERT OR REPLACE" : "INSERT";
  const sql = `${verb} INTO ${table} (${names.join()}) VALUES (${names.map(() => "?").join()})`;
  for (const row of rows) connection.run(sql, ...of, ...asideValues(table, row));
}

function createWorkflow(connection: Connection, of: ArrivingWorkflow): void {
  const { workflow, epoch, inboxTail } = of;
  const sql = "INSERT INTO workflows (id, head_hash, epoch, inbox_tail) VALUES (?, ?, ?, ?)";
  connection.run(sql, workflow, genesisHash, epoch, inboxTail);
}
