import type { ObstaclesAnswer, ProposalsAnswer, ShadowReportAnswer } from "@holdfast/protocol";
import { machineName, sayCellStatus } from "./machines.ts";
import type { Said } from "./states.ts";
import { countText, type Difference, type Json, valueText } from "./values.ts";

export type Proposal = ProposalsAnswer["items"][number];
export type Obstacles = ObstaclesAnswer;
export type Obstacle = ObstaclesAnswer["items"][number];
export type Report = ShadowReportAnswer;

const statuses: Readonly<Record<string, Said>> = {
  submitted: { text: "to be tried", tone: "you" },
  shadowed: { text: "to be decided", tone: "you" },
  approved: { text: "agreed to, not applied", tone: "you" },
  applied: { text: "applied", tone: "done" },
  rejected: { text: "turned down", tone: "quiet" },
};

type Facts = Pick<Proposal, "status" | "waits">;

export function sayProposal({ status, waits }: Facts): Said {
  if (status === "approved" && waits) return { text: "applied as soon as it can", tone: "moving" };
  return statuses[status] ?? { text: status, tone: "quiet" };
}

/** `parcel is changed` of `orders/parcel@1 is changed`. */
export function sayChange(change: string): string {
  const [machine = "", ...rest] = change.split(" ");
  return [machineName(machine), ...rest].join(" ");
}

const obstacles: Readonly<Record<string, readonly [what: string, todo: string]>> = {
  intent_open: [
    "Waiting for an answer",
    "It comes by itself, or a person is asked; what was not sent can be taken back.",
  ],
  timer_set: ["Asleep until a timer", "It fires by itself; or take it back."],
  event_waiting: ["Something to look at", "Nothing: the turn comes."],
  machine_gone: [
    "Stopped, and the version has no such machine",
    "Let it go on first, or keep its machine in the version.",
  ],
  state_unfit: [
    "Knows something that the version has no place for",
    "Propose a version that takes it: new fields are optional ones.",
  ],
  event_unfit: [
    "Stopped at something that the version has no place for",
    "Let it go on without it, or keep the form of what comes in.",
  ],
  base_stale: [
    "Another version became active meanwhile",
    "Propose it anew against the version of now.",
  ],
};

/** What stands in the way for one reason. */
export type ObstacleGroup = {
  readonly why: string;
  readonly what: string;
  readonly todo: string;
  readonly items: readonly Obstacle[];
};

export function groupObstacles(items: readonly Obstacle[]): readonly ObstacleGroup[] {
  const reasons = [...new Set(items.map(({ why }) => why))];
  return reasons.map((why) => {
    const own = items.filter((each) => each.why === why);
    const [what, todo] = obstacles[why.replace(/^governance\./, "")] ?? [
      own[0]?.note || why,
      own[0]?.next ?? "",
    ];
    return { why, what, todo, items: own };
  });
}

/** How much stands in the way, in one line; null = nothing that is counted. */
export function countObstacles(obstacles: Obstacles): string | null {
  if (isFree(obstacles)) return null;
  const { counts } = obstacles;
  const { instancesWaiting, instancesReady, cellsUnfit } = counts;
  const parts = [
    instancesWaiting > 0 ? `${countText(instancesWaiting, "waits", "wait")} for an answer` : null,
    instancesReady > 0 ? `${countText(instancesReady, "has", "have")} something to look at` : null,
    cellsUnfit > 0 ? `${countText(cellsUnfit, "does", "do")} not fit` : null,
  ].filter((part) => part !== null);
  return parts.length === 0 ? null : parts.join(" · ");
}

/** Not all that stands in the way is counted: that another version is active is no number. */
export function isFree({ items, left }: Obstacles): boolean {
  return items.length + left === 0;
}

/** Only what is under way goes by itself: waiting for anything else would never end. */
export function mayWait({ counts, items }: Obstacles): boolean {
  return counts.cellsUnfit === 0 && items.every(({ cell }) => cell !== null);
}

type Delta = Report["deltas"][number];

/** Cells that end differently in the same way. */
export type DeltaGroup = {
  readonly says: string;
  readonly changes: readonly Difference[];
  readonly cells: readonly string[];
};

/** From how each would end now to how it would end then; the same for many is told once. */
export function groupDeltas(deltas: readonly Delta[]): readonly DeltaGroup[] {
  const groups = new Map<string, DeltaGroup>();
  for (const delta of deltas) {
    const says = sayEnds(delta);
    const changes = delta.changes.map(({ at, from, to }) => ({
      name: at.replace(/^\//, "").replaceAll("/", "."),
      from: endText(from),
      to: endText(to),
    }));
    const key = JSON.stringify([says, changes]);
    const known = groups.get(key)?.cells ?? [];
    groups.set(key, { says, changes, cells: [...known, delta.cell] });
  }
  return [...groups.values()];
}

function sayEnds({ before, after }: Delta): string {
  const says = (end: Delta["before"]) =>
    end === null ? "not there" : sayCellStatus(end.status).text;
  const [was, is] = [says(before), says(after)];
  return was === is ? is : `${was} → ${is}`;
}

function endText(value: unknown): string {
  return value === undefined || value === null ? "–" : valueText(value as Json);
}

type Fault = Report["faults"][number];

/** Mistakes of who ends otherwise; whoever ends as now makes the mistake of now. */
export function newFaults({ faults, deltas }: Pick<Report, "faults" | "deltas">): readonly Fault[] {
  const changed = new Set(deltas.map(({ cell }) => cell));
  return faults.filter(({ cell }) => changed.has(cell));
}

/** What was tried, in one line. */
export function sayHorizon(report: Report): string {
  const { effects, deltas } = report;
  const { inputs, inputsRefused, unanswered, isEndless } = report.horizon;
  const count = newFaults(report).length;
  return [
    `${countText(inputs, "thing")} that came in tried on a copy, nothing sent`,
    ...(inputsRefused.length === 0
      ? []
      : [`${countText(inputsRefused.length, "thing")} not taken`]),
    `${countText(effects.length, "thing")} asked for`,
    count === 0 ? "no new mistakes" : countText(count, "new mistake"),
    deltas.length === 0
      ? "everything ends as it does now"
      : `${countText(deltas.length, "one ends", "end")} differently`,
    ...(unanswered.length === 0 ? [] : ["what it asked for was left without an answer"]),
    ...(isEndless ? ["it did not come to an end"] : []),
  ].join(" · ");
}
