import {
  type CanonicalValue,
  contentHash,
  decodeCanonical,
  encodeCanonical,
  type Hash,
  hashText,
} from "../canonical/index.ts";
import type { Blob } from "../view/payload.ts";
import type { Rows } from "../view/rows.ts";
import { type ColumnKind, keyOf, type TableName, tables } from "../view/tables.ts";

export type TableCheckpoint = {
  readonly table: TableName;
  readonly rowCount: number;
  /** Over the chunk hashes: equal rows give an equal hash. */
  readonly hash: Hash;
  /** Blobs that hold the rows in key order. */
  readonly chunks: readonly Hash[];
};

/**
 * The state of every table just before this fact. Verification may start here instead of at
 * the first record, and what came before may be archived.
 */
export type CheckpointTaken = {
  readonly kind: "checkpoint_taken";
  readonly tables: readonly TableCheckpoint[];
};

export type CheckpointFact = CheckpointTaken;

const rowsPerChunk = 1_000;

/** Pure function of the rows' contents: whoever holds the same rows gets the same bytes. */
export function checkpointTable<T extends TableName>(
  table: T,
  rows: Iterable<Rows[T]>,
): { checkpoint: TableCheckpoint; blobs: Blob[] } {
  const sorted = [...rows]
    .map((row) => ({ row, key: keyOf(table, row) }))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
    .map(({ row }) => row);
  const blobs: Blob[] = [];
  for (let start = 0; start < sorted.length; start += rowsPerChunk) {
    const chunk = sorted.slice(start, start + rowsPerChunk);
    const bytes = encodeCanonical(chunk as unknown as CanonicalValue);
    blobs.push({ hash: hashText(bytes), bytes });
  }
  const chunks = blobs.map((blob) => blob.hash);
  const checkpoint = { table, rowCount: sorted.length, hash: contentHash([...chunks]), chunks };
  return { checkpoint, blobs };
}

/** The rows of one chunk; the caller has checked the bytes against their hash. */
export function openChunk<T extends TableName>(table: T, bytes: Uint8Array): Rows[T][] {
  const rows = decodeCanonical(bytes) as unknown as Rows[T][];
  const blank = blankRow(table);
  return rows.map((row) => ({ ...blank, ...row }));
}

/** A column that is younger than the checkpoint begins as nothing. */
function blankRow(table: TableName): Record<string, null | false | 0> {
  const kinds: Readonly<Record<string, ColumnKind>> = tables[table].columns;
  const blank: Record<string, null | false | 0> = {};
  for (const [column, kind] of Object.entries(kinds)) {
    if (kind.endsWith("?")) blank[column] = null;
    else if (kind === "flag") blank[column] = false;
    else if (kind === "int") blank[column] = 0;
  }
  return blank;
}
