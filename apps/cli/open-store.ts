import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import {
  type ArrivingStore,
  type DepartingStore,
  HostError,
  type Store,
  type WorkflowSummary,
} from "@holdfast/core";
import {
  backUpSqliteStore,
  openArrivingSqlite,
  openDepartingSqlite,
  openSqliteStore,
} from "@holdfast/store/sqlite";
import { type StorePlace, UsageError, urlVariable } from "./store-place.ts";

/** Much code, which most commands can do without. */
const loadPostgres = () => import("@holdfast/store/postgres");

/** For commands that look at what is there: a typing error must not make an empty store. */
export async function openExistingStore(place: StorePlace): Promise<Store> {
  if (place.kind === "folder") return openFolder(place.folder);
  await findStore(await admitUrl(place.url));
  const { openPostgresStore } = await loadPostgres();
  return openPostgresStore({ url: place.url, newIncarnation: randomUUID });
}

async function openFolder(
  folder: string,
  how: Acceptance & { readonly newIncarnation?: () => string } = {},
): Promise<Store> {
  const path = requireDatabase(folder);
  return openSqliteStore({ folder: path, clock, newIncarnation: randomUUID, ...how });
}

const clock = () => Date.now();

/** To be exported: nobody else may write to it meanwhile. */
export async function openDeparting(place: StorePlace): Promise<DepartingStore> {
  if (place.kind === "folder") {
    const folder = requireDatabase(place.folder);
    return openDepartingSqlite({ folder, clock, newIncarnation: randomUUID });
  }
  await findStore(await admitUrl(place.url));
  const { openDepartingPostgres } = await loadPostgres();
  const opening = openDepartingPostgres({ url: place.url, newIncarnation: randomUUID });
  return opening.catch((error: unknown) => {
    throw nameOwner(error, "export the store");
  });
}

/** To be imported into: it is made if it is not there. */
export async function openArriving(place: StorePlace): Promise<ArrivingStore> {
  const newIncarnation = randomUUID;
  if (place.kind === "folder") {
    return openArrivingSqlite({ folder: resolve(place.folder), clock, newIncarnation });
  }
  const { openArrivingPostgres } = await loadPostgres();
  const opening = openArrivingPostgres({ url: await admitUrl(place.url), newIncarnation });
  return opening.catch((error: unknown) => {
    throw nameOwner(error, "import into this database");
  });
}

/** From one folder into another, as it is at one moment. */
export function copyDatabase(from: string, into: string): Promise<{ readonly path: string }> {
  return backUpSqliteStore({ folder: requireDatabase(from), into });
}

/** The folder's whole path. */
function requireDatabase(folder: string): string {
  const path = resolve(folder);
  if (existsSync(join(path, "holdfast.db"))) return path;
  throw new HostError("STORE_GONE", {
    what: `There is no Holdfast database in ${path}.`,
    remedy: "Name the folder with --data; if Holdfast was never started here, start it once.",
    retry: "safe",
  });
}

type Acceptance = {
  readonly acceptRestored?: boolean;
  readonly isUnnoticed?: boolean;
  readonly isExported?: boolean;
};

/** A URL that leads nowhere is a mistake of whoever set the variable, and not of a server. */
export async function admitUrl(url: string): Promise<string> {
  const { readPostgresAddress } = await loadPostgres();
  const address = readPostgresAddress(url);
  if ("place" in address) return url;
  throw new UsageError(
    `the address in ${urlVariable} cannot be used: ${address.fault}. ` +
      "Correct it; write special characters in it as %xx.",
  );
}

/** The name of the store in the database, whether or not it may be opened. */
async function findStore(url: string): Promise<string> {
  const { findPostgresSchema, findPostgresStore } = await loadPostgres();
  const { place, schema } = await findPostgresSchema({ url });
  if (schema === "of others") {
    throw new HostError("STORE_NOT_A_DATABASE", {
      what: `${place} has a schema "holdfast" that Holdfast did not make.`,
      remedy: "Give Holdfast a database of its own; nothing was changed in this one.",
      retry: "safe",
      details: { place },
    });
  }
  const { storeIncarnation } =
    schema === "ours" ? await findPostgresStore({ url }) : { storeIncarnation: null };
  if (storeIncarnation !== null) return storeIncarnation;
  const [instead, toMakeIt] = missing[schema];
  throw new HostError("STORE_GONE", {
    what: `There is no Holdfast store in ${place}: ${instead}.`,
    remedy:
      `Check ${urlVariable}. If there was a store here, restore a backup. Only if a new one is ` +
      `to be made: ${toMakeIt}.`,
    retry: "safe",
    details: { place },
  });
}

const applyAndStart =
  "as the owner run `holdfast schema apply --grant <role>`, then start Holdfast " +
  "(`npx holdfast start`)";

/** What there is instead of a store, and how a new one is made from there. */
const missing = {
  none: ['it has no schema "holdfast"', applyAndStart],
  empty: ['its schema "holdfast" is empty', applyAndStart],
  ours: [
    "it has the schema, in which no store was made yet",
    "start Holdfast once (`npx holdfast start`)",
  ],
} as const;

/** What a person says of a store. */
type Word = {
  readonly isAnsweredFor: boolean;
  readonly isUnnoticed: boolean;
  readonly isExported?: boolean;
};

/**
 * Opens a store that was restored, exported or failed over, if a person has answered for it;
 * otherwise the error says that it was. Equal names = it was none of these.
 */
export async function acceptRestoredStore(
  place: StorePlace,
  { isAnsweredFor, isUnnoticed, isExported = false }: Word,
): Promise<{ readonly before: string; readonly now: string }> {
  if (isUnnoticed && !isAnsweredFor) throw new UsageError("--unnoticed needs --ledger-compared");
  if (isExported && !isAnsweredFor) throw new UsageError("--exported needs --ledger-compared");
  const how = { acceptRestored: isAnsweredFor, isUnnoticed, isExported };
  if (place.kind === "postgres") return acceptDatabase(place.url, how);
  const name = randomUUID();
  const store = await openFolder(place.folder, { ...how, newIncarnation: () => name });
  await store.close();
  const { storeIncarnation: now, restoredFrom } = store;
  return { before: now === name && restoredFrom !== null ? restoredFrom : now, now };
}

async function acceptDatabase(url: string, how: Required<Acceptance>) {
  const before = await findStore(await admitUrl(url));
  const { openPostgresStore } = await loadPostgres();
  const opening = openPostgresStore({ url, newIncarnation: randomUUID, ...how });
  const store = await opening.catch((error: unknown) => {
    throw how.acceptRestored ? nameOwner(error, "accept a restored database") : error;
  });
  await store.close();
  return { before, now: store.storeIncarnation };
}

/** The role that hosts run as has all grants that it needs, and may not do this all the same. */
function nameOwner(error: unknown, doing: string): unknown {
  if (!(error instanceof HostError) || error.code !== "STORE_ACCESS_DENIED") return error;
  return new HostError(error.code, {
    what: `This role may not ${doing}; nothing was changed.`,
    remedy: `Say it as the owner of the schema, with that role in ${urlVariable}.`,
    retry: "safe",
    cause: error,
    details: error.details,
  });
}

const workflowsPerRead = 100;

export async function* listWorkflows(store: Store): AsyncIterable<WorkflowSummary> {
  let after: string | null = null;
  for (;;) {
    const page: readonly WorkflowSummary[] = await store.listWorkflows(after, workflowsPerRead);
    yield* page;
    const last = page.at(-1);
    if (last === undefined || page.length < workflowsPerRead) return;
    after = last.workflow;
  }
}
