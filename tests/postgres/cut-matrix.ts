import type { RequestReport } from "@holdfast/store/testing/postgres";
import {
  answersBeforeDelivery,
  type CutPoint,
  type Delivery,
  fewPlacesIn,
  kindOf,
  placesIn,
} from "./cut-point.ts";
import { type CutReport, type Ground, tryCut } from "./cut-trial.ts";

/** A life waits for the server half of its time. */
const trialsAtOnce = 3;
/** How far into the requests of a kind the reduced matrix looks. */
const midShare = 0.6;

const deliveries = Object.keys(answersBeforeDelivery) as Delivery[];

export type Progress = (report: CutReport) => unknown;

/** What one undisturbed life asks the server for, in order. */
export async function recordRequests(ground: Ground): Promise<readonly RequestReport[]> {
  const { requests, problems } = await tryCut(ground, null);
  if (problems.length > 0) throw new Error(`an undisturbed life failed: ${problems.join("; ")}`);
  return requests.filter(({ sql }) => kindOf(sql) !== "terminate");
}

/** Every request at every place. Which one is the n-th may differ a little from life to life. */
export function everyPoint(requests: readonly RequestReport[]): readonly CutPoint[] {
  return requests.flatMap((seen, index) => {
    const base = { request: index + 1, kind: null, how: howOf(index) };
    return placesIn(seen).flatMap((place) =>
      (place.at === "hold-then-deliver" ? deliveries : deliveries.slice(0, 1)).map((delivery) => {
        return { ...base, place, delivery };
      }),
    );
  });
}

/** From here on the store is open; how it comes to be is tried by itself. */
const firstOfLife = "open_host_1";
/** For a statement that only reads, it is all one when the server lets go. */
const reads = /^(load_9|read_inbox_1|peek_1|journal|scan|blobs|workflows|LISTEN)$/;

/** Every kind of request at every place, once in the midst of those of its kind. */
export function chosenPoints(requests: readonly RequestReport[]): readonly CutPoint[] {
  const start = requests.findIndex(({ sql }) => kindOf(sql) === firstOfLife);
  const byKind = Map.groupBy(requests.slice(start), ({ sql }) => kindOf(sql));
  let count = 0;
  return [...byKind].flatMap(([kind, seen]) => {
    const request = Math.ceil(seen.length * midShare);
    const places = fewPlacesIn(seen[request - 1] ?? { length: 0, responseLength: 0 });
    const chosen = places.filter(({ at }) => at !== "after-request-both" || !reads.test(kind));
    return chosen.map((place) => {
      count += 1;
      const delivery = deliveries[count % deliveries.length] ?? "at once";
      return { kind, request, place, how: howOf(count), delivery };
    });
  });
}

/** Commits: there the life is most easily misled. Before and after by turns, then the other way. */
export function commitPoints(requests: readonly RequestReport[]): readonly CutPoint[] {
  return [0, 1].flatMap((turn) => commitsByTurns(requests, turn));
}

function commitsByTurns(requests: readonly RequestReport[], turn: number): readonly CutPoint[] {
  const kind = "commit_group_1";
  const count = requests.filter(({ sql }) => kindOf(sql) === kind).length;
  return Array.from({ length: count }, (_, index) => {
    const at = (index + turn) % 2 === 0 ? "after-request" : "before";
    return { kind, request: index + 1, place: { at }, how: "close", delivery: "at once" } as const;
  });
}

function howOf(number: number): CutPoint["how"] {
  return number % 2 === 0 ? "close" : "reset";
}

export function tryPoints(
  ground: Ground,
  points: readonly CutPoint[],
  onReport: Progress,
): Promise<readonly CutReport[]> {
  return tryAll(
    points.map((point) => () => tryCut(ground, point)),
    onReport,
  );
}

/** A few at a time. `onReport` answers true when it has seen enough. */
export async function tryAll<T>(
  trials: readonly (() => Promise<T>)[],
  onReport: (report: T) => unknown,
): Promise<readonly T[]> {
  const reports: T[] = [];
  let waiting = [...trials];
  const walk = async (): Promise<void> => {
    for (let trial = waiting.shift(); trial !== undefined; trial = waiting.shift()) {
      const report = await trial();
      reports.push(report);
      if (onReport(report) === true) waiting = [];
    }
  };
  await Promise.all(Array.from({ length: trialsAtOnce }, walk));
  return reports;
}

export function problemsOf(
  reports: readonly Pick<CutReport, "name" | "problems">[],
): readonly string[] {
  return reports.flatMap(({ name, problems }) => problems.map((problem) => `${name}: ${problem}`));
}
