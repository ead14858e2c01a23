import { type Fitted, fitCells, loadToFit, type MachineSet } from "@holdfast/core/machine";
import type { OpenedKernel } from "./open-kernel.ts";

/** How all cells would be to another version, those that are not in memory too. */
export async function fitAll(
  { kernel, driver }: Pick<OpenedKernel, "kernel" | "driver">,
  set: MachineSet,
): Promise<Fitted> {
  await driver.drive(kernel, loadToFit(kernel, set));
  return fitCells(kernel, set);
}
