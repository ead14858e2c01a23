import {
  type CanonicalValue,
  decodeCanonical,
  encodeCanonical,
  type ProposalRow,
  type WorkflowRow,
} from "@holdfast/core";
import type { Obstacle, ObstacleKind } from "@holdfast/core/machine";

/** What stands in the way of a proposal, as it is kept and shown. */
export type ObstacleList = {
  /** Counted whole, however many are listed. */
  readonly counts: {
    readonly instancesWaiting: number;
    readonly intentsOpen: number;
    readonly timersSet: number;
    readonly instancesReady: number;
    readonly eventsWaiting: number;
    readonly cellsUnfit: number;
  };
  readonly items: readonly ListedObstacle[];
  /** How many more there are. */
  readonly left: number;
};

export type ListedObstacle = {
  readonly why: string;
  /** Null = it is not about a cell. */
  readonly cell: string | null;
  readonly intentId: string | null;
  readonly effect: string | null;
  readonly waiting: number;
  /** In words: what happened, where it is known. */
  readonly note: string;
  /** What to do about it. */
  readonly next: string;
};

const listedMax = 200;

const nextOf: Readonly<Record<ObstacleKind, string>> = {
  intent_open: "wait for its receipt (machine intents says where it is), or cancel it",
  timer_set: "it fires by itself; or cancel it",
  event_waiting: "it has its turn by itself",
  machine_gone: "restart the cell, or keep its machine in the version",
  state_unfit: "propose a schema that takes it, or give the machine a number of its own",
  state_unmigrated: "apply it again: its function was not asked for this cell",
  migration_failed: "mend migrate and propose it anew, or mend the cell; nothing has changed",
  cells_too_many: "give the machine a number of its own: its cells stay what they are",
  event_unfit: "restart the cell without the event (--drop), or keep the schema of its events",
};

const unfitKinds: readonly ObstacleKind[] = [
  ...(["machine_gone", "state_unfit", "state_unmigrated", "migration_failed"] as const),
  ...(["cells_too_many", "event_unfit"] as const),
];

/** `whole`: reasons that are about no cell; they come first. */
export function listObstacles(
  found: readonly Obstacle[],
  whole: readonly ListedObstacle[] = [],
): ObstacleList {
  const of = (...kinds: readonly ObstacleKind[]) => found.filter(({ why }) => kinds.includes(why));
  const cells = (some: readonly Obstacle[]) => new Set(some.map(({ cell }) => cell)).size;
  const ready = of("event_waiting");
  return {
    counts: {
      instancesWaiting: cells(of("intent_open", "timer_set")),
      intentsOpen: of("intent_open", "timer_set").length,
      timersSet: of("timer_set").length,
      instancesReady: ready.length,
      eventsWaiting: ready.reduce((sum, { waiting }) => sum + waiting, 0),
      cellsUnfit: of(...unfitKinds).length,
    },
    items: [
      ...whole,
      ...found.slice(0, listedMax).map(({ machine, key, ...each }) => {
        return { ...each, next: nextOf[each.why] };
      }),
    ],
    left: Math.max(0, found.length - listedMax),
  };
}

/** One that is about the whole. */
export function listReason(why: string, note: string): ObstacleList {
  return listObstacles([], [aboutWhole(why, note)]);
}

/** Whether another version is active than the one that a proposal was made against. */
export function staleBase(
  { base }: Pick<ProposalRow, "base">,
  { scriptHash }: Pick<WorkflowRow, "scriptHash">,
): readonly ListedObstacle[] {
  if (base === scriptHash) return [];
  return [aboutWhole("base_stale", `it was made against ${base}, and ${scriptHash} is active`)];
}

function aboutWhole(why: string, note: string): ListedObstacle {
  const about = { cell: null, intentId: null, effect: null, waiting: 0 };
  return { why, ...about, note, next: "propose it anew against the version that is active" };
}

export function encodeObstacles(list: ObstacleList): Uint8Array {
  return encodeCanonical(list as unknown as CanonicalValue);
}

export function decodeObstacles(bytes: Uint8Array): ObstacleList {
  return decodeCanonical(bytes) as unknown as ObstacleList;
}
