import { cp } from "node:fs/promises";
import { checkFolder } from "./check-folder.ts";
import { type ChildEnd, type ChildOptions, runChild } from "./child-process.ts";
import { inTempFolder } from "./temp-folder.ts";
import { Testimony } from "./testimony.ts";
import type { WitnessLine } from "./witness-line.ts";

/** How the first life ends, as options of the child. */
export type Death = Pick<ChildOptions, "killAt" | "breakage" | "environment" | "onSpawn">;

export type PointReport = {
  readonly name: string;
  /** How the first life ended. */
  readonly end: ChildEnd;
  readonly problems: readonly string[];
};

/**
 * One row of the matrix: a life that dies, a look at what it left, a second life on the very same
 * files that goes on to the end, and another look.
 */
export function tryDeath(name: string, death: Death): Promise<PointReport> {
  return inTempFolder((folder) => tryIn(folder, name, death));
}

async function tryIn(folder: string, name: string, death: Death): Promise<PointReport> {
  const testimony = new Testimony();
  const onLine = (line: WitnessLine) => testimony.add(line);
  const problems: string[] = [];
  try {
    const end = await runChild({ folder, life: 1, onLine, ...death });
    if (end.kind === "failed") return { name, end, problems: [end.note] };
    if (end.kind === "finished") return { name, end, problems };
    problems.push(...(await checkCopy(folder, testimony)));
    const next = await runChild({ folder, life: 2, onLine });
    if (next.kind === "finished") {
      problems.push(...(await checkFolder(folder, testimony, { finished: true })));
    } else {
      const note = next.kind === "failed" ? next.note : "something else killed it";
      problems.push(`the second life did not come to its end: ${note}`);
    }
    return { name: end.at === null ? name : `${name}, ${end.at}`, end, problems };
  } catch (error) {
    const note = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return { name, end: { kind: "failed", note }, problems: [...problems, note] };
  }
}

/** A look opens the store and so changes it; the next life must find what death left. */
function checkCopy(folder: string, testimony: Testimony): Promise<string[]> {
  return inTempFolder(async (copy) => {
    await cp(folder, copy, { recursive: true });
    const problems = await checkFolder(copy, testimony, { finished: false });
    return problems.map((problem) => `after the death: ${problem}`);
  });
}
