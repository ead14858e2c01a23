import { mkdirSync, mkdtempSync, rmdirSync, rmSync, statfsSync } from "node:fs";
import { join } from "node:path";

/** Not in the folder of the system: that one is often memory, where syncs cost nothing. */
const parentName = ".holdfast-bench";

/** Magic numbers of file systems that never reach a disk. */
const memoryFileSystems: ReadonlyMap<number, string> = new Map([
  [0x0102_1994, "tmpfs"],
  [0x8584_58f6, "ramfs"],
]);

export type BenchFolder = { readonly path: string; readonly remove: () => void };

export function makeBenchFolder(root: string): BenchFolder {
  const parent = join(root, parentName);
  mkdirSync(parent, { recursive: true });
  const path = mkdtempSync(join(parent, "run-"));
  const remove = (): void => {
    process.removeListener("exit", remove);
    rmSync(path, { recursive: true, force: true });
    try {
      rmdirSync(parent);
    } catch {
      // Another bench is running beside this one.
    }
  };
  process.once("exit", remove);
  const inMemory = memoryFileSystems.get(statfsSync(path).type);
  if (inMemory === undefined) return { path, remove };
  remove();
  throw new Error(`${parent} is ${inMemory}: syncs cost nothing there; run it on a disk`);
}
