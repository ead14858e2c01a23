import { checkFolder } from "./check-folder.ts";
import { type ChildEnd, runChild } from "./child-process.ts";
import type { PointReport } from "./kill-point.ts";
import { inTempFolder } from "./temp-folder.ts";
import { Testimony } from "./testimony.ts";

/** Deaths in a row on one folder: the later ones meet a store that is recovering. */
const deathsInARow = 2;

/**
 * Kills from outside, at no boundary of ours: once the child has said so many lines, and a moment
 * later, which is somewhere inside the system's own calls. Then once more in the next life.
 */
export function tryOutsideKill(afterLines: number, delayMs: number): Promise<PointReport> {
  const name = `from outside, ${delayMs.toFixed(2)} ms after line ${afterLines}`;
  return inTempFolder(async (folder) => {
    const testimony = new Testimony();
    const problems: string[] = [];
    let end: ChildEnd = { kind: "killed", at: null };
    for (let life = 1; life <= deathsInARow + 1; life += 1) {
      const isLast = life > deathsInARow;
      let lineCount = 0;
      let kill = () => {};
      end = await runChild({
        folder,
        life,
        onSpawn: (killChild) => {
          kill = killChild;
        },
        onLine: (line) => {
          testimony.add(line);
          lineCount += 1;
          if (lineCount === afterLines && !isLast) setTimeout(kill, delayMs);
        },
      });
      // A life that was quicker than the kill is as good: what it left must be whole all the same.
      if (end.kind === "failed") problems.push(`life ${life}: ${end.note}`);
    }
    if (end.kind !== "finished") problems.push("the last life did not come to its end");
    else problems.push(...(await checkFolder(folder, testimony, { finished: true })));
    return { name, end, problems };
  });
}
