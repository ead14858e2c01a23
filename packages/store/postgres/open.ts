import { type Arrival, type ExportMark, invariant } from "@holdfast/core";
import { exportedStore, unfinishedStore } from "../moved-errors.ts";
import { Database, type DatabaseOptions } from "./connection.ts";
import { hostError } from "./errors.ts";
import { migrate } from "./migrate.ts";
import { PostgresStore } from "./postgres-store.ts";
import { checkServer } from "./server-check.ts";

export type PostgresOptions = DatabaseOptions & {
  /** Names a new store; called only when there is none in the database, or a restored one. */
  readonly newIncarnation: () => string;
  /** Facts of a later version are left to a newer program; absent = what the core knows. */
  readonly knownFactVersion?: number;
  /**
   * True = a person has said that this restored or failed-over database is to be used from now
   * on, although it may lack what was sent since. It becomes a new store.
   */
  readonly acceptRestored?: boolean;
  /** True = it was restored in a way that leaves no trace; the person who accepts it knows. */
  readonly isUnnoticed?: boolean;
  /** True = it was exported, and is to go on here all the same; said by the same person. */
  readonly isExported?: boolean;
};

export type StoreName = {
  readonly storeIncarnation: string;
  readonly restoredFrom: string | null;
  readonly arrival?: Arrival;
};

/**
 * Opens the store in the schema `holdfast` of the database, making it if there never was one.
 * Resolves only when the server was seen to keep what it acknowledges and the schema is ours;
 * otherwise it throws a HostError and leaves everything as it found it.
 */
export async function openPostgresStore(options: PostgresOptions): Promise<PostgresStore> {
  return (await openDatabase(options)).store;
}

/** With the connections, for what no store does: to move it. `rename` may give it another name. */
export async function openDatabase(
  options: PostgresOptions,
  rename: (database: Database, name: StoreName) => Promise<StoreName> = async (_, name) => name,
): Promise<{ readonly store: PostgresStore; readonly database: Database }> {
  const database = new Database(options);
  try {
    const server = await checkServer(database);
    await migrate(database, server);
    const name = await rename(database, await admitStore(database, options));
    return { store: new PostgresStore({ ...options, ...name, database }), database };
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** Only makes the schema, for an administrator whose role may; makes no store in it. */
export async function applyPostgresSchema(options: DatabaseOptions): Promise<void> {
  const database = new Database(options);
  try {
    await migrate(database, await checkServer(database));
  } finally {
    await database.close();
  }
}

/** Where the store was last used, and where it is now. */
const readMeta = `
SELECT store_incarnation, restored_from, system_identifier, holdfast.system_1(), timeline,
  holdfast.timeline_1(), database, holdfast.database_1(), exported_at, exported_by, exported_to,
  arriving, arrival FROM holdfast.store_meta`;

const here = "holdfast.system_1(), holdfast.timeline_1(), holdfast.database_1()";

const createMeta = `
INSERT INTO holdfast.store_meta (only_row, store_incarnation, system_identifier, timeline, database)
VALUES (1, $1, ${here}) ON CONFLICT (only_row) DO NOTHING`;

/** No owner of before can commit, and every workflow is looked at, due or not. */
export const leaveToNextOwners = `
UPDATE holdfast.workflows SET epoch = epoch + 1, unclean_since = coalesce(unclean_since, 0)
WHERE EXISTS (SELECT FROM renewed)`;

/** The compare keeps two hosts from accepting twice. */
const renewMeta = `
WITH renewed AS (
  UPDATE holdfast.store_meta
  SET (store_incarnation, restored_from, system_identifier, timeline, database) =
    ROW ($1, store_incarnation, ${here}),
    exported_at = NULL, exported_by = NULL, exported_to = NULL, arrival = NULL
  WHERE store_incarnation = $2
  RETURNING 1)
${leaveToNextOwners}`;

async function admitStore(database: Database, options: PostgresOptions): Promise<StoreName> {
  const { newIncarnation, acceptRestored = false, isUnnoticed = false } = options;
  const read = () => database.row("open store", readMeta);
  let meta = await read();
  if (meta === undefined) {
    await refuseHalf(database);
    await database.rows("open store", createMeta, [newIncarnation()]);
    meta = await read();
  }
  const name = nameIn(meta);
  const exported = refuseMoved(database.place, (meta ?? []).slice(8), options);
  const moved = findMove((meta ?? []).slice(2).map(String));
  const isSaid = acceptRestored && (isUnnoticed || exported !== null);
  if (moved === null && !isSaid) return name;
  if (!acceptRestored) throw restored(database.place, moved ?? "was restored");
  await database.rows("open store", renewMeta, [newIncarnation(), name.storeIncarnation]);
  const renewed = nameIn(await read());
  const isNew = renewed.storeIncarnation !== name.storeIncarnation;
  invariant(isNew, "a restored store has a new name");
  return renewed;
}

function nameIn(meta: readonly unknown[] | undefined): StoreName {
  const [storeIncarnation, restoredFrom] = meta ?? [];
  const arrival = meta?.at(-1);
  invariant(storeIncarnation !== undefined, "a store that was made is there");
  return {
    storeIncarnation: String(storeIncarnation),
    restoredFrom: typeof restoredFrom === "string" ? restoredFrom : null,
    ...(typeof arrival === "string" ? { arrival: JSON.parse(arrival) as Arrival } : {}),
  };
}

/** Nobody's word makes a whole store of a part; one that was exported may go on by a word. */
function refuseMoved(
  place: string,
  [at, by, file, arriving]: readonly unknown[],
  { acceptRestored = false, isExported = false }: PostgresOptions,
): ExportMark | null {
  if (arriving === true) throw unfinishedStore(place);
  if (typeof at !== "number") return null;
  const mark = { at, by: String(by), file: String(file) };
  if (acceptRestored && isExported) return mark;
  throw exportedStore(place, mark);
}

/** Workflows without a store come from a restore by halves: who they are is not known. */
async function refuseHalf(database: Database): Promise<void> {
  const sql = "SELECT EXISTS (SELECT FROM holdfast.workflows)";
  const [hasWorkflows] = (await database.row("open store", sql)) ?? [];
  if (hasWorkflows === true) throw restored(database.place, "has workflows, but says of no store");
}

/** In words; null = it is where it was. */
function findMove(places: readonly string[]): string | null {
  const [lastSystem, system, lastTimeline, timeline, lastDatabase, database] = places;
  if (lastSystem !== system) return `is server ${system}, but was last used as ${lastSystem}`;
  if (lastTimeline !== timeline) {
    return `is on timeline ${timeline}, but was last used on ${lastTimeline}`;
  }
  if (lastDatabase === database) return null;
  return `is a copy: database/table ${database}, but was last used as ${lastDatabase}`;
}

function restored(place: string, moved: string): Error {
  const what = `${place} ${moved}.`;
  const remedy =
    "A backup was restored, a standby took over, or this is a copy of a database; what was sent " +
    "since may not be in the ledger. Follow docs/errors/STORE_RESTORED.md; it ends with " +
    "`holdfast accept-restored --ledger-compared`, said by the owner of the schema.";
  return hostError("STORE_RESTORED", { what, remedy }, place);
}
