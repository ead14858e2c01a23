/** What of machines is from before a restore, where the store was restored. */
import type { Seq, Store, View } from "@holdfast/core";
import { type Kernel, OlderCells } from "@holdfast/core/machine";
import type { Waiting } from "./batch.ts";

/**
 * The kernel gets to know which cells are older, by what is durable. Until a frame since then was
 * kept, the restore point is here, and all that the kernel has is from before.
 */
export async function tellOlder(
  { store, workflow }: { readonly store: Store; readonly workflow: string },
  view: View,
  kernel: Kernel,
): Promise<void> {
  const { restoredThrough, restoredMachineSeq, machineSeq } = view.load("workflows");
  if (restoredThrough === null) return;
  const through = restoredMachineSeq ?? machineSeq;
  if (kernel.older?.through === through) return;
  const marks: string[] = [];
  for await (const { mark } of store.scan(workflow, "older_cells")) marks.push(mark);
  kernel.older = new OlderCells(through, marks);
}

/** Whether it waited when the store was restored, or came of something that did. */
export function isOlder({ position, input }: Waiting, restoredThrough: Seq | null): boolean {
  if (restoredThrough === null) return false;
  return position <= restoredThrough || (input.kind === "event" && input.older === true);
}
