import {
  cellsToMigrate,
  fitCells,
  judgeMigrated,
  loadToFit,
  type MachineSet,
  machinesOver,
  migrationCall,
  type Obstacle,
  type RefitState,
} from "@holdfast/core/machine";
import type { OpenedKernel } from "./open-kernel.ts";

type Opened = Pick<OpenedKernel, "kernel" | "driver" | "versions">;

/** How the cells there are would be to another version. */
export type FittedCells = {
  /** What a person has to do something about. */
  readonly unfit: readonly Obstacle[];
  readonly refit: readonly RefitState[];
};

/**
 * All of them are in memory while a version is judged, and with their new states while it is taken:
 * of a machine that has more than this many none are looked at.
 */
const cellsMax = 250_000;

/** All cells, those that are not in memory too. Functions of the version are asked for states. */
export async function fitAll(opened: Opened, set: MachineSet): Promise<FittedCells> {
  const { kernel, driver } = opened;
  const tooMany = machinesOver(kernel, set, cellsMax);
  if (tooMany.length > 0) return { unfit: tooMany, refit: [] };
  await driver.drive(kernel, loadToFit(kernel, set));
  const { states, failed } = await migrateAll(opened, set);
  const { unfit, refit } = fitCells(kernel, set, states);
  return { refit, unfit: unfit.map((each) => failed.get(each.cell) ?? each) };
}

/** What is asked for at once. */
const callsAtOnce = 256;

async function migrateAll({ kernel, versions }: Opened, set: MachineSet) {
  const states: RefitState[] = [];
  const failed = new Map<string, Obstacle>();
  const cells = cellsToMigrate(kernel, set);
  for (let at = 0; at < cells.length; at += callsAtOnce) {
    const some = cells.slice(at, at + callsAtOnce);
    const calls = some.map((cell) => migrationCall(kernel, cell));
    const answers = await versions.of(set.manifestHash).migrate(calls);
    for (const [index, cell] of some.entries()) {
      const answer = answers[index];
      if (answer === undefined) throw new Error(`${cell.id} was not migrated, nor refused`);
      const judged = judgeMigrated({ set, limits: kernel.limits }, cell, answer);
      if ("state" in judged) states.push(judged.state);
      else failed.set(cell.id, judged.unfit);
    }
  }
  return { states, failed };
}
