import { type CanonicalValue, encodeCanonical } from "../../canonical/index.ts";
import type { Admission } from "../input.ts";
import type { MachineSet } from "../machine-set.ts";
import { cellsToMigrate, judgeMigrated, type MigrationCall, migrationCall } from "../migration.ts";
import { fitCells } from "../obstacles.ts";
import { loadToFit } from "../state/load-cells.ts";
import type { MachineWorld } from "./machine-world.ts";

/** What a script's `migrate` would be. */
export type Migrate = (call: MigrationCall) => CanonicalValue;

/** A proposal, as a host applies it: all states first, then the version with them. */
export function applyInTest(
  world: MachineWorld,
  set: MachineSet,
  { migrate, isApart = false }: { readonly migrate?: Migrate; readonly isApart?: boolean } = {},
): Admission {
  world.drive(loadToFit(world.kernel, set));
  const states = cellsToMigrate(world.kernel, set).flatMap((cell) => {
    const made = migrate?.(migrationCall(world.kernel, cell)) ?? null;
    const state = made === null ? null : encodeCanonical(made);
    const output = { state, events: [], effects: [], done: false, annotations: null };
    const judged = judgeMigrated({ set, limits: world.kernel.limits }, cell, {
      kind: "output",
      output,
    });
    return "state" in judged ? [judged.state] : [];
  });
  const { refit } = fitCells(world.kernel, set, states);
  return world.one({
    kind: "manifest",
    set,
    applied: { proposal: 1, states: refit, isApart },
  });
}
