import type { ProjectionsOf } from "../journal/projection.ts";
import { updateRow } from "../view/row-change.ts";
import type { RestoreFact } from "./restore-facts.ts";

export const projectRestore: ProjectionsOf<RestoreFact> = {
  store_noted: ({ storeIncarnation, behind }, { seq }) => [
    updateRow("workflows", [], {
      storeIncarnation,
      ...(behind === null
        ? {}
        : { restoredThrough: seq, behindRestore: behind, restoredMachineSeq: null }),
    }),
  ],
  restore_point_moved: ({ through, behind }, { seq }) => [
    updateRow("workflows", [], {
      restoredThrough: through,
      behindRestore: behind,
      // A point that stays where it was is the same for machines too.
      ...(through === seq ? { restoredMachineSeq: null } : {}),
    }),
  ],
};
