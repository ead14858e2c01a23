import type { Arrival } from "../restore/arrival.ts";
import type { Instant } from "../view/rows.ts";
import type { AsideTable } from "./aside-tables.ts";
import type { Store } from "./store.ts";

/** By the names of its columns, without the workflow. */
export type AsideRow = Readonly<Record<string, null | number | string | Uint8Array>>;

export type AsidePage = {
  readonly table: AsideTable;
  /** null = the table is the store's. */
  readonly workflow: string | null;
  /** The last row of the page before; null = from the first. */
  readonly after: AsideRow | null;
  readonly limit: number;
};

/** What a store says of itself once it was exported. */
export type ExportMark = {
  readonly at: Instant;
  readonly by: string;
  /** The file, as a person finds it. */
  readonly file: string;
};

/** A store that is being exported. Nobody else can write to it until it is closed. */
export interface DepartingStore {
  readonly store: Store;
  /** In the order of their keys. */
  readAside(page: AsidePage): Promise<readonly AsideRow[]>;
  /** Durable when it resolves: from then on nobody may work on the store. */
  markExported(mark: ExportMark): Promise<void>;
  /** Without a mark everything is as it was. */
  close(): Promise<void>;
}

export type ArrivingWorkflow = {
  readonly workflow: string;
  readonly epoch: number;
  readonly inboxTail: number;
};

/**
 * An empty store that an export goes into. Whoever opens it before `finish` is refused, also after
 * a death.
 */
export interface ArrivingStore {
  readonly store: Store;
  /** Its journal is empty, and its epoch the one it had. */
  createWorkflow(workflow: ArrivingWorkflow): Promise<void>;
  persistAside(
    table: AsideTable,
    workflow: string | null,
    rows: readonly AsideRow[],
  ): Promise<void>;
  /** Makes it a restored store, at once: a new epoch for each workflow, and each is looked at. */
  finish(arrival: Arrival): Promise<void>;
  close(): Promise<void>;
}
