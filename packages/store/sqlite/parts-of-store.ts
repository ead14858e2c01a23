import type { Arrival, Instant } from "@holdfast/core";
import type { Connection } from "./connection.ts";
import type { FolderLock } from "./lock.ts";
import { LogCopier } from "./log-copier.ts";
import type { BulkReader } from "./reader.ts";

/** What opening a store puts together. */
export type Parts = {
  readonly connection: Connection;
  readonly reader: BulkReader;
  readonly storeIncarnation: string;
  readonly restoredFrom: string | null;
  readonly arrival?: Arrival;
  readonly lock: FolderLock | null;
  readonly clock: () => Instant;
  readonly pageCountMax?: number;
  readonly knownFactVersion?: number;
};

/** In memory there is neither a log nor anybody to keep out. */
export function logOf({ connection, reader, lock }: Parts) {
  if (lock === null) return { copier: null, lockPath: null };
  return { copier: new LogCopier(connection, reader), lockPath: lock.path };
}
