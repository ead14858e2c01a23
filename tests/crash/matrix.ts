import { boundaries } from "@holdfast/store/sqlite";
import { type BoundaryCall, runChild } from "./child-process.ts";
import { type PointReport, tryDeath } from "./kill-point.ts";
import { inTempFolder } from "./temp-folder.ts";

/** Points tried at once: a child is one busy core. */
const pointsAtOnce = 2;
/** How far into the occurrences of a boundary the quick matrix looks a second time. */
const laterShare = 0.6;

export type Progress = (report: PointReport) => void;

/** The boundaries one undisturbed life passes, in order. */
export function recordBoundaries(): Promise<readonly string[]> {
  return inTempFolder(async (folder) => {
    const end = await runChild({ folder, life: 1, onLine: () => {} });
    if (end.kind === "finished") return end.boundaries;
    throw new Error(end.kind === "failed" ? end.note : "the child was killed by something else");
  });
}

/** Boundaries that a life never comes to: a matrix that leaves one out would not be whole. */
export function findUnreached(passed: readonly string[]): readonly string[] {
  return boundaries.filter((boundary) => !passed.includes(boundary));
}

/**
 * Dies at the first boundary, at the second, and so on, until a life has no more of them. A life
 * that fails by itself also ends the walk: the next would fail the same way.
 */
export async function tryEveryBoundary(onReport: Progress): Promise<readonly PointReport[]> {
  const reports: PointReport[] = [];
  let next = 0;
  let ended = false;
  const walk = async (): Promise<void> => {
    while (!ended) {
      next += 1;
      const report = await tryDeath(`boundary ${next}`, { killAt: { call: next } });
      if (report.end.kind !== "killed") ended = true;
      if (report.end.kind === "finished") continue;
      reports.push(report);
      onReport(report);
    }
  };
  await Promise.all(Array.from({ length: pointsAtOnce }, walk));
  return reports;
}

export function tryPoints(
  points: readonly BoundaryCall[],
  onReport: Progress,
): Promise<readonly PointReport[]> {
  return tryAll(
    points.map((killAt) => () => tryDeath(`time ${killAt.call}`, { killAt })),
    onReport,
  );
}

export async function tryAll(
  trials: readonly (() => Promise<PointReport>)[],
  onReport: Progress,
): Promise<readonly PointReport[]> {
  const reports: PointReport[] = [];
  const waiting = [...trials];
  const walk = async (): Promise<void> => {
    for (let trial = waiting.shift(); trial !== undefined; trial = waiting.shift()) {
      const report = await trial();
      reports.push(report);
      onReport(report);
    }
  };
  await Promise.all(Array.from({ length: pointsAtOnce }, walk));
  return reports;
}

/** Every kind of boundary where it first comes, and once more in the midst of its later ones. */
export function choosePoints(passed: readonly string[]): readonly BoundaryCall[] {
  return [...new Set(passed)].flatMap((boundary) => {
    const callCount = passed.filter((name) => name === boundary).length;
    const calls = new Set([1, Math.ceil(callCount * laterShare)]);
    return [...calls].map((call) => ({ call, boundary }));
  });
}
