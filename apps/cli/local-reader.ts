import { resolve } from "node:path";
import { notReadStatus, readingApp } from "@holdfast/server/reading";
import { openExistingStore } from "./open-store.ts";
import { findPlace } from "./store-place.ts";

export type LocalAnswer = {
  readonly status: number;
  readonly body: unknown;
  /** Where it was read. */
  readonly place: string;
};

/** The store itself. Null = there is none, or that is told by a host only. */
export async function readLocally(
  data: string | undefined,
  path: string,
): Promise<LocalAnswer | null> {
  const place = findPlace(data);
  const store = await openExistingStore(place).catch(none);
  if (store === null) return null;
  try {
    const answer = await readingApp(store).request(`/api/v1${path}`);
    const body: unknown = await answer.json();
    if (answer.status === notReadStatus) return null;
    const where = place.kind === "folder" ? resolve(place.folder) : "the database";
    return { status: answer.status, body, place: where };
  } finally {
    await store.close();
  }
}

function none(error: unknown): null {
  if (error instanceof Error && "code" in error && error.code === "STORE_GONE") return null;
  throw error;
}
