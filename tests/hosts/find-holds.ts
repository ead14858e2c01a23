import type { ToldLine } from "./history.ts";
import type { Nanos } from "./history-line.ts";

/** One ownership as its host saw it: from the answer to its claim until it would not act on it. */
export type Hold = {
  readonly workflow: string;
  readonly epoch: number;
  readonly incarnation: string;
  readonly start: Nanos;
  /** Before `start` = it was over when the answer came, and nothing was ever done with it. */
  readonly end: Nanos;
};

type OpenHold = Omit<Hold, "end"> & { releasedAt: Nanos };

type Tenure = { until: Nanos; endedAt: Nanos };

/** Every ownership of every workflow, by epoch. */
export function findHolds(lines: readonly ToldLine[]): Map<string, Hold[]> {
  const tenures = new Map<string, Tenure>();
  const open = new Map<string, OpenHold>();
  const all: OpenHold[] = [];
  for (const line of lines) {
    if (line.kind === "claimed") {
      const { workflow, epoch, incarnation, at: start } = line;
      const never = Number.POSITIVE_INFINITY;
      const hold = { workflow, epoch, incarnation, start, releasedAt: never };
      all.push(hold);
      open.set(`${incarnation} ${workflow}`, hold);
    }
    if (line.kind === "believes") {
      const tenure = tenureOf(tenures, line.incarnation);
      tenure.until = Math.max(tenure.until, line.until);
    }
    const isWhole = line.kind === "lost" || (line.kind === "releasing" && line.workflow === null);
    if (isWhole) {
      const tenure = tenureOf(tenures, line.incarnation);
      tenure.endedAt = Math.min(tenure.endedAt, line.at);
    } else if (line.kind === "releasing") {
      const hold = open.get(`${line.incarnation} ${line.workflow}`);
      if (hold !== undefined) hold.releasedAt = Math.min(hold.releasedAt, line.at);
    }
  }
  return groupByWorkflow(all.map((hold) => endHold(hold, tenures)));
}

function tenureOf(tenures: Map<string, Tenure>, incarnation: string): Tenure {
  const known = tenures.get(incarnation);
  const tenure = known ?? { until: Number.NEGATIVE_INFINITY, endedAt: Number.POSITIVE_INFINITY };
  tenures.set(incarnation, tenure);
  return tenure;
}

function endHold({ releasedAt, ...hold }: OpenHold, tenures: Map<string, Tenure>): Hold {
  const { until, endedAt } = tenureOf(tenures, hold.incarnation);
  return { ...hold, end: Math.min(releasedAt, until, endedAt) };
}

function groupByWorkflow(holds: readonly Hold[]): Map<string, Hold[]> {
  const groups = new Map<string, Hold[]>();
  for (const hold of holds) {
    const group = groups.get(hold.workflow) ?? [];
    group.push(hold);
    groups.set(hold.workflow, group);
  }
  for (const group of groups.values()) group.sort((a, b) => a.epoch - b.epoch);
  return groups;
}
