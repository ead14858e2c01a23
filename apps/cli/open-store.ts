import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { HostError, type Store, type WorkflowSummary } from "@holdfast/core";
import { findPostgresStore, openPostgresStore, openSqliteStore } from "@holdfast/store";
import type { StorePlace } from "./store-place.ts";

/** For commands that look at what is there: a typing error must not make an empty store. */
export async function openExistingStore(place: StorePlace): Promise<Store> {
  if (place.kind === "folder") return openFolder(place.folder);
  await findStore(place.url);
  return openPostgresStore({ url: place.url, newIncarnation: randomUUID });
}

async function openFolder(folder: string): Promise<Store> {
  const path = resolve(folder);
  if (!existsSync(join(path, "holdfast.db"))) {
    throw new HostError("STORE_GONE", {
      what: `There is no Holdfast database in ${path}.`,
      remedy: "Name the folder with --data; if Holdfast was never started here, start it once.",
      retry: "safe",
    });
  }
  const clock = () => Date.now();
  return openSqliteStore({ folder: path, clock, newIncarnation: randomUUID });
}

/** The name of the store in the database, whether or not it may be opened. */
async function findStore(url: string): Promise<string> {
  const { place, storeIncarnation } = await findPostgresStore({ url });
  if (storeIncarnation !== null) return storeIncarnation;
  throw new HostError("STORE_GONE", {
    what: `There is no Holdfast store in ${place}.`,
    remedy:
      "Check HOLDFAST_POSTGRES_URL; if Holdfast was never started on this database, start it once.",
    retry: "safe",
  });
}

/**
 * Opens a store that was restored or failed over, if a person has answered for it; otherwise the
 * error says that it was. Equal names = it was neither.
 */
export async function acceptRestoredStore(
  url: string,
  { isAnsweredFor }: { readonly isAnsweredFor: boolean },
): Promise<{ readonly before: string; readonly now: string }> {
  const before = await findStore(url);
  const acceptRestored = isAnsweredFor;
  const store = await openPostgresStore({ url, newIncarnation: randomUUID, acceptRestored });
  await store.close();
  return { before, now: store.storeIncarnation };
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
