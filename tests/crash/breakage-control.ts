import { runChild } from "./child-process.ts";
import { tryDeath } from "./kill-point.ts";
import { inTempFolder } from "./temp-folder.ts";
import type { Breakage } from "./witness.ts";

type Control = {
  /** Deaths at these are the ones that bring the breakage to light. */
  readonly boundary: string;
  readonly complaint: RegExp;
};

export const breakageControls: Readonly<Record<Breakage, Control>> = {
  "ack-before-commit": {
    boundary: "group written",
    complaint: /the acknowledged change up to \d+ is not in the journal/,
  },
  "split-change": {
    boundary: "group acknowledged",
    complaint: /head \d+ is not the end of any change that was asked for/,
  },
};

/** In the midst of a life, where every group holds changes; halves and wholes take turns. */
const occurrences = [9, 10, 11, 12] as const;

/** Dies a few times with the breakage in place. True = the matrix saw what it has to see. */
export async function seesBreakage(breakage: Breakage): Promise<boolean> {
  const { boundary, complaint } = breakageControls[breakage];
  await checkInvisible(breakage);
  const reports = await Promise.all(
    occurrences.map((call) => tryDeath(breakage, { killAt: { call, boundary }, breakage })),
  );
  return reports.some(({ problems }) => problems.some((problem) => complaint.test(problem)));
}

/** Otherwise it would not be the death that brings it to light. */
function checkInvisible(breakage: Breakage): Promise<void> {
  return inTempFolder(async (folder) => {
    const end = await runChild({ folder, life: 1, breakage, onLine: () => {} });
    if (end.kind !== "finished") throw new Error(`${breakage}: ${JSON.stringify(end)}`);
  });
}
