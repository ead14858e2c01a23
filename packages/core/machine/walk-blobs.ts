/** What a kernel, or a snapshot of one, names of the blobs that machines put. */
import type { Loading } from "./ask.ts";
import type { Kernel } from "./kernel.ts";
import { openWork } from "./open-work.ts";
import { readRoots, readWork } from "./snapshot.ts";
import { readCellEntry } from "./state/cell-entry.ts";
import { loadParts } from "./state/load.ts";
import { walkIndexes } from "./state/read-index.ts";
import type { TypedHashes } from "./typed-hashes.ts";

const statesAtOnce = 64;

/** Every state whose schema has a hash, what waits in mailboxes, and what was asked for. */
export function* walkBlobs(snapshot: Uint8Array, typed: TypedHashes): Loading<void> {
  const { mails, intents } = readWork(snapshot);
  for (const { machine, value } of mails) typed.mail(machine, value);
  for (const { effect, params } of intents) typed.params(effect, params);
  for (const [machine, root] of readRoots(snapshot).roots) {
    if (!typed.mayStateName(machine)) continue;
    const waiting: Uint8Array[] = [];
    const walk = walkIndexes([root], {
      node: () => {},
      entries: (some) => {
        for (const { value } of some) waiting.push(readCellEntry(value).state_hash);
      },
    });
    let next = walk.next();
    while (!next.done) {
      next = walk.next(yield next.value);
      while (waiting.length > 0) {
        const states = yield* loadParts(waiting.splice(-statesAtOnce));
        for (const state of states) typed.state(machine, state);
      }
    }
  }
}

/** What a kernel has beyond its last snapshot. */
export function blobsSince(kernel: Kernel, typed: TypedHashes): void {
  for (const id of kernel.dirty.keys()) {
    const cell = kernel.cells.get(id);
    if (cell != null && cell.state !== null) typed.state(cell.machine, cell.state);
  }
  for (const { machine, mailbox } of kernel.cells.values()) {
    for (const { value } of mailbox.entries()) typed.mail(machine, value);
  }
  for (const { effect, params } of openWork(kernel)) typed.params(effect, params);
}
