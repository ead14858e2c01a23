import {
  type Arrival,
  type ArrivingStore,
  type ArrivingWorkflow,
  type DepartingStore,
  type ExportMark,
  genesisHash,
} from "@holdfast/core";
import { busyStore, occupiedStore } from "../moved-errors.ts";
import { persistAside, readAside } from "./aside-rows.ts";
import type { Database } from "./connection.ts";
import { storeError } from "./errors.ts";
import type { LentConnection } from "./lent-connection.ts";
import { leaveToNextOwners, openDatabase, type PostgresOptions, type StoreName } from "./open.ts";

/**
 * Everything that writes reads this table first (admit_1), and holds it until it is over: whoever
 * has read it is waited for, and whoever comes later waits, and then reads what is there then.
 * Locks on the tables that are written to would let those in who had read it before.
 */
const lockOut = "LOCK TABLE holdfast.store_meta IN ACCESS EXCLUSIVE MODE";

/** A server may end transactions that do nothing for a while; this one waits for a file. */
const beStill = `
SET LOCAL lock_timeout = 20000; SET LOCAL idle_in_transaction_session_timeout = 0`;

const livingHosts = `
SELECT count(*) FROM holdfast.hosts WHERE buried_at IS NULL AND expires_at > holdfast.now_ms_1()`;

/**
 * One transaction keeps everybody from writing until the store says that it was exported, or is
 * closed: whoever comes meanwhile waits, and then finds a store of another name. A death ends it.
 */
export async function openDepartingPostgres(options: PostgresOptions): Promise<DepartingStore> {
  const { store, database } = await openDatabase(options);
  try {
    const still = await database.lendAside("export");
    await inWords(database, "export", () => holdStill(database, still, store.storeIncarnation));
    const mark = (given: ExportMark) => markExported(still, given, options.newIncarnation());
    return {
      store,
      readAside: (page) => readAside(database, page),
      markExported: (given) => inWords(database, "export", () => mark(given)),
      close: () => store.close(),
    };
  } catch (error) {
    await store.close();
    throw error;
  }
}

async function holdStill(database: Database, still: LentConnection, store: string): Promise<void> {
  await still.rows("BEGIN");
  await still.rows(beStill);
  await still.rows(lockOut);
  await still.rows("SELECT holdfast.admit_1($1)", [store]);
  const [[hostCount] = []] = await still.rows(livingHosts);
  if (Number(hostCount) > 0) throw busyStore(database.place, Number(hostCount));
}

/** Under another name nobody who opened it before can write to it any more. */
async function markExported(still: LentConnection, mark: ExportMark, name: string): Promise<void> {
  await still.rows(
    `UPDATE holdfast.store_meta SET store_incarnation = $1, restored_from = store_incarnation,
      exported_at = $2, exported_by = $3, exported_to = $4`,
    [name, mark.at, mark.by, mark.file],
  );
  await still.rows("COMMIT");
}

export async function openArrivingPostgres(options: PostgresOptions): Promise<ArrivingStore> {
  const { store, database } = await openDatabase(options, (on, name) => {
    return inWords(on, "import", () => beginArrival(on, name, options.newIncarnation()));
  });
  return {
    store,
    createWorkflow: (of) => createWorkflow(database, of),
    persistAside: (table, workflow, rows) => persistAside(database, { table, workflow, rows }),
    finish: (arrival) => finishArrival(database, store.storeIncarnation, arrival),
    close: () => store.close(),
  };
}

const whatIsThere = `
SELECT EXISTS (SELECT FROM holdfast.workflows),
  EXISTS (SELECT FROM holdfast.store_brake WHERE is_on), (${livingHosts})`;

/**
 * From here on the store is refused to everybody else until `finishArrival`. Its new name keeps out
 * who has opened it before.
 */
async function beginArrival(database: Database, before: StoreName, name: string) {
  const { place } = database;
  return database.withConnection("import", (connection) => {
    return connection.transaction("BEGIN", async (): Promise<StoreName> => {
      await connection.rows(beStill);
      await connection.rows(lockOut);
      await connection.rows("SELECT holdfast.admit_1($1)", [before.storeIncarnation]);
      const [[hasWorkflows, isBraked, hostCount] = []] = await connection.rows(whatIsThere);
      if (hasWorkflows === true) throw occupiedStore(place, "holds workflows");
      if (isBraked === true) throw occupiedStore(place, "has the brake on all sending");
      if (Number(hostCount) > 0) throw occupiedStore(place, `has ${hostCount} host(s) at work`);
      await connection.rows(
        `UPDATE holdfast.store_meta SET store_incarnation = $1, restored_from = store_incarnation,
          arriving = true`,
        [name],
      );
      return { storeIncarnation: name, restoredFrom: before.storeIncarnation };
    });
  });
}

async function createWorkflow(database: Database, of: ArrivingWorkflow): Promise<void> {
  const sql = `INSERT INTO holdfast.workflows (id, head_hash, epoch, inbox_tail)
    VALUES ($1, $2, $3, $4)`;
  const { workflow, epoch, inboxTail } = of;
  await database.rows("import", sql, [workflow, genesisHash, epoch, inboxTail]);
}

const renew = `
WITH renewed AS (
  UPDATE holdfast.store_meta SET restored_from = $1, arriving = false, arrival = $2
  WHERE arriving RETURNING 1)
${leaveToNextOwners}`;

/** Synced, and with it all that was written before. */
async function finishArrival(database: Database, store: string, arrival: Arrival): Promise<void> {
  await inWords(database, "import", () => {
    return database.withConnection("import", (connection) => {
      return connection.transaction("BEGIN", async () => {
        await connection.rows("SELECT holdfast.admit_1($1)", [store]);
        await connection.rows(renew, [arrival.from, JSON.stringify(arrival)]);
      });
    });
  });
}

async function inWords<T>(
  { place }: Database,
  doing: "export" | "import",
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw storeError(error, { place, doing });
  }
}
