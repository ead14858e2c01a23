import { type Cell, isIdle } from "../cell.ts";
import type { Kernel } from "../kernel.ts";

/** What a cell takes besides its state: its names, its key, its place in the maps. */
const cellBytes = 512;

function sizeOf({ state }: Cell): number {
  return state === null ? 0 : state.length + cellBytes;
}

/** The state that a step left. Used last, it is the last to go. `stateHash`: if it is known. */
export function keepState(
  kernel: Kernel,
  cell: Cell,
  state: Uint8Array | null,
  stateHash: Uint8Array | null = null,
): void {
  kernel.residentBytes -= sizeOf(cell);
  cell.state = state;
  const place = cell.place ?? kernel.dirty.get(cell.id)?.place ?? null;
  kernel.dirty.set(cell.id, { machine: cell.machine, key: cell.key, stateHash, place });
  kernel.next.cells.delete(cell.id);
  kernel.dirtyBytes += sizeOf(cell);
  noteResident(kernel, cell);
}

export function noteResident(kernel: Kernel, cell: Cell): void {
  kernel.residentBytes += sizeOf(cell);
  kernel.cells.delete(cell.id);
  kernel.cells.set(cell.id, cell);
}

/**
 * Puts states away until those that are left fit, the one used longest ago first. Only what the
 * last snapshot has can go; what changed since stays until the next.
 */
export function putAway(kernel: Kernel, residentBytesMax: number): void {
  if (kernel.residentBytes <= residentBytesMax) return;
  for (const cell of kernel.cells.values()) {
    if (kernel.residentBytes <= residentBytesMax) return;
    if (cell.isAway || cell.state === null || kernel.dirty.has(cell.id)) continue;
    kernel.residentBytes -= sizeOf(cell);
    cell.state = null;
    cell.isAway = true;
    if (isIdle(cell)) kernel.cells.delete(cell.id);
  }
}
