import { breakageControls, seesBreakage } from "./breakage-control.ts";
import { fileCallsNotTried, mustTryFileCalls, tryFileCalls } from "./call-matrix.ts";
import type { PointReport } from "./kill-point.ts";
import {
  choosePoints,
  findUnreached,
  type Progress,
  recordBoundaries,
  tryAll,
  tryEveryBoundary,
  tryPoints,
} from "./matrix.ts";
import { tryOutsideKill } from "./outside-kill.ts";
import { countSyncs, findUnsynced } from "./sync-count.ts";
import type { Breakage } from "./witness.ts";

const outsideKillCount = { full: 20, quick: 3 } as const;
const syncRounds = 10;
const changesTogether = 64;
/** Lines that a child says at least, and the longest pause after one of them. */
const linesMax = 90;
const delayMsMax = 4;

export type CrashSummary = {
  readonly boundaryCount: number;
  /** Null = none could be tried here. */
  readonly callCount: number | null;
  readonly outsideCount: number;
  readonly notes: readonly string[];
  readonly problems: readonly string[];
};

export type CrashOptions = {
  readonly quick: boolean;
  readonly onProgress: (text: string) => void;
};

export async function runCrashTests({ quick, onProgress }: CrashOptions): Promise<CrashSummary> {
  const problems: string[] = [];
  const notes: string[] = [];
  const onReport = reporter(onProgress, problems);
  const passed = await recordBoundaries();
  onProgress(`one life passes ${passed.length} write boundaries`);
  for (const name of findUnreached(passed)) problems.push(`no life comes to "${name}"`);
  const points = quick
    ? await tryPoints(choosePoints(passed), onReport)
    : await tryEveryBoundary(onReport);
  const calls = await tryFileCalls(onReport, quick ? everyTwentieth : (all) => all);
  if (calls === null) (mustTryFileCalls() ? problems : notes).push(fileCallsNotTried);
  const outside = await tryAll(outsideKills({ quick }), onReport);
  await tryControls(problems, notes);
  await checkSyncs(problems, notes);
  return {
    boundaryCount: points.length,
    callCount: calls?.filter(({ end }) => end.kind === "killed").length ?? null,
    outsideCount: outside.length,
    notes,
    problems,
  };
}

function reporter(onProgress: CrashOptions["onProgress"], problems: string[]): Progress {
  const startedAt = performance.now();
  let count = 0;
  return ({ name, problems: found }: PointReport) => {
    count += 1;
    for (const problem of found) problems.push(`${name}: ${problem}`);
    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0);
    if (found.length > 0) onProgress(`FAIL  ${name}: ${found[0]}`);
    else if (count % 25 === 0) onProgress(`${count} deaths survived, ${seconds} s (${name})`);
  };
}

/** For the quick matrix, of the file calls worth dying in. */
export function everyTwentieth(calls: readonly number[]): readonly number[] {
  return calls.filter((_, index) => index % 20 === 0);
}

/** Spread evenly over a life: chance would leave gaps. */
export function outsideKills({ quick }: { readonly quick: boolean }) {
  const count = outsideKillCount[quick ? "quick" : "full"];
  return Array.from({ length: count }, (_, index) => {
    const afterLines = 1 + Math.floor((linesMax * index) / count);
    const delayMs = (delayMsMax * ((index * 7) % count)) / count;
    return () => tryOutsideKill(afterLines, delayMs);
  });
}

async function tryControls(problems: string[], notes: string[]): Promise<void> {
  for (const breakage of Object.keys(breakageControls) as Breakage[]) {
    if (await seesBreakage(breakage)) notes.push(`control: a store with ${breakage} is caught`);
    else problems.push(`control: the matrix does not see a store with ${breakage}`);
  }
}

async function checkSyncs(problems: string[], notes: string[]): Promise<void> {
  const options = { rounds: syncRounds, together: changesTogether };
  const full = await countSyncs({ ...options, syncing: "full" });
  problems.push(...findUnsynced(full, changesTogether));
  const syncCount = full.rounds.reduce((sum, { syncs }) => sum + syncs, 0);
  const together = `${full.together} for ${changesTogether} changes at once`;
  const alone = `${syncCount} in ${full.rounds.length} acknowledged groups`;
  notes.push(`syncs, counted by ${full.method}: ${alone}, ${together}`);
  const off = await countSyncs({ ...options, syncing: "off" });
  const unsynced = findUnsynced(off, changesTogether).length;
  if (unsynced > 0) notes.push(`control: with syncing off ${unsynced} groups are seen unsynced`);
  else problems.push(`control: with syncing off ${off.method} still counts a sync for each group`);
}
