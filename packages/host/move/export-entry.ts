import {
  type AsideRow,
  type AsideTable,
  type CanonicalValue,
  decodeCanonical,
  encodeCanonical,
  type Hash,
  type Instant,
  type JournalEntry,
  type Seq,
} from "@holdfast/core";

/**
 * An export is a line that says what it is, then entries: four bytes that say how long one is, and
 * as many of canonical CBOR. First the store; then each workflow, with the rows it has beside its
 * journal and its journal record by record; then what belongs to no workflow; then the end.
 */
export const firstLine = "holdfast export 1\n";

export type StoreEntry = {
  readonly kind: "store";
  readonly storeIncarnation: string;
  readonly exportedBy: string;
  readonly exportedAt: Instant;
  readonly withState: boolean;
};

export type WorkflowEntry = {
  readonly kind: "workflow";
  readonly workflow: string;
  readonly head: { readonly seq: Seq; readonly hash: Hash; readonly at: Instant };
  readonly epoch: number;
  readonly dueAt: Instant | null;
  readonly inboxTail: number;
};

export type RowEntry = {
  readonly kind: "row";
  readonly table: AsideTable;
  /** null = it belongs to no workflow. */
  readonly workflow: string | null;
  readonly row: AsideRow;
};

export type RecordEntry = { readonly kind: "record" } & JournalEntry;

export type EndEntry = {
  readonly kind: "end";
  readonly entryCount: number;
  /** Over all bytes before it. */
  readonly hash: Hash;
};

export type ExportEntry = StoreEntry | WorkflowEntry | RowEntry | RecordEntry | EndEntry;

export const lengthBytes = 4;

/** The longest value that has canonical bytes, which a payload never is, and some more. */
export const entryBytesMax = 65 * 1024 * 1024;

export function encodeEntry(entry: ExportEntry): Uint8Array {
  const body = encodeCanonical(entry as unknown as CanonicalValue);
  const bytes = Buffer.alloc(lengthBytes + body.length);
  bytes.writeUInt32BE(body.length);
  bytes.set(body, lengthBytes);
  return bytes;
}

/** As it was written by somebody; what it says is checked by `ExportCheck`. */
export function decodeEntry(body: Uint8Array): unknown {
  return decodeCanonical(body);
}
