import { decodeCanonical, encodeCanonical } from "../../canonical/index.ts";
import type { Cell } from "../cell.ts";
import { bool, bytes, nat, option, readerOf, record, text } from "../form.ts";
import type { SettledIntent } from "../kernel.ts";

/** What an index has of a cell that has a state. The one hash in it is its only reference. */
const readEntry = readerOf(
  record({
    key: option(bytes),
    state_hash: bytes,
    size: nat,
    completed: bool,
    last_event_seq: nat,
    module_version: text,
  }),
);
export type CellEntry = ReturnType<typeof readEntry>;

export function readCellEntry(value: Uint8Array): CellEntry {
  return readEntry(decodeCanonical(value));
}

export function cellEntry(cell: Cell, stateHash: Uint8Array, size: number): Uint8Array {
  return encodeCanonical({
    key: cell.key,
    state_hash: stateHash,
    size,
    completed: cell.completed,
    last_event_seq: cell.lastEventSeq,
    module_version: cell.moduleVersion,
  });
}

/** Of an intent that has ended: whose it was. */
const readSettled = readerOf(record({ machine: text, key: option(bytes) }));

export function readSettledEntry(value: Uint8Array): SettledIntent {
  return readSettled(decodeCanonical(value));
}

export function settledEntry({ machine, key }: SettledIntent): Uint8Array {
  return encodeCanonical({ machine, key });
}
