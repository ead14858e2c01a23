import type { CoreCommand, NoteStore, Store, View } from "@holdfast/core";

type StoreName = Pick<Store, "storeIncarnation" | "restoredFrom" | "arrival">;

/** What has to be noted before anything is done in a restored store; null = it was. */
export function storeNote(store: StoreName, view: View): NoteStore | null {
  const { storeIncarnation, restoredFrom, arrival } = store;
  if (restoredFrom === null) return null;
  if (view.load("workflows").storeIncarnation === storeIncarnation) return null;
  const how = arrival === undefined ? {} : { arrival };
  return { kind: "note_store", storeIncarnation, restored: true, ...how };
}

/**
 * A workflow that begins in a restored store has nothing older, if this is its first owner ever:
 * one that was restored without a single fact may have commands of before in its inbox.
 */
export function firstCommands(store: StoreName, name: string, epoch: number): CoreCommand[] {
  const { storeIncarnation, restoredFrom } = store;
  const create: CoreCommand = { kind: "create_workflow", name };
  if (restoredFrom === null || epoch > 1) return [create];
  return [create, { kind: "note_store", storeIncarnation, restored: false }];
}
