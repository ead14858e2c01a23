import type { RequestReport } from "@holdfast/store/testing/postgres";
import { type Breakage, breakages } from "./broken-host.ts";
import { commitPoints, tryAll } from "./cut-matrix.ts";
import { type CutReport, type Ground, tryCut } from "./cut-trial.ts";

/** What must be said of each, at one of its commits at least. */
const complaints: Readonly<Record<Breakage, RegExp>> = {
  "committed-on-unknown": /the acknowledged change up to \d+ is not in the journal/,
  "decide-again-blindly": /not done|is not the end of any change/,
  "forgets-what-it-sent": /was made twice/,
};

/**
 * Cuts commit after commit until the breakage shows. False = the matrix is blind to it.
 * Which commit is the n-th shifts with how calls fall into groups, so each is tried both ways.
 */
export async function seesBreakage(
  ground: Ground,
  requests: readonly RequestReport[],
  breakage: Breakage,
): Promise<boolean> {
  const shows = ({ problems }: CutReport): boolean =>
    problems.some((problem) => complaints[breakage].test(problem));
  const trials = commitPoints(requests).map((point) => () => tryCut(ground, point, breakage));
  return (await tryAll(trials, shows)).some(shows);
}

/** Answers with those that went unseen. */
export async function findUnseen(
  ground: Ground,
  requests: readonly RequestReport[],
): Promise<readonly Breakage[]> {
  const unseen: Breakage[] = [];
  for (const breakage of breakages) {
    if (!(await seesBreakage(ground, requests, breakage))) unseen.push(breakage);
  }
  return unseen;
}
