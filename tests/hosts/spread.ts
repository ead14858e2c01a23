import { slackOf } from "@holdfast/host";
import { Cluster, type ClusterOptions } from "./cluster.ts";
import type { Nanos } from "./history-line.ts";
import type { HostProcess } from "./host-process.ts";

/** No host of these ever dies in its time: whatever moves does so because it was handed over. */
const longLeaseMs = 60_000;

type SpreadOptions = Omit<ClusterOptions, "leaseMs" | "restEvery">;

/** Where the work of a cluster lies, from the words of its hosts. */
class Spread {
  readonly cluster: Cluster;

  constructor(cluster: Cluster) {
    this.cluster = cluster;
  }

  get counts(): readonly number[] {
    return [...this.cluster.hosts].map(({ words }) => words.held.size);
  }

  /** Nobody owns more than its share and the slack, and everything is owned. */
  async settle(): Promise<void> {
    const { workflowCount } = this.cluster.options;
    await this.cluster.history.until("all is owned, and by nobody too much", () => {
      const share = Math.ceil(workflowCount / this.cluster.hosts.size);
      const sum = this.counts.reduce((total, count) => total + count, 0);
      return sum === workflowCount && Math.max(...this.counts) <= share + slackOf(share);
    });
  }

  /** When others told of their claim of each of these, once all of them have. */
  async takenAt(owned: ReadonlyMap<string, number>): Promise<readonly Nanos[]> {
    const { history } = this.cluster;
    await history.until("others have it all", () => history.areTaken(owned));
    const firsts = new Map<string, Nanos>();
    for (const line of history.lines) {
      if (line.kind !== "claimed" || firsts.has(line.workflow)) continue;
      const epoch = owned.get(line.workflow);
      if (epoch !== undefined && line.epoch > epoch) firsts.set(line.workflow, line.at);
    }
    return [...firsts.values()];
  }
}

async function withCluster<T>(
  options: ClusterOptions,
  use: (spread: Spread) => Promise<T>,
): Promise<T> {
  const cluster = await Cluster.open(options);
  try {
    return await use(new Spread(cluster));
  } finally {
    await cluster.close();
  }
}

/** How much hosts own: two of them, then with a third that joins, then without one that leaves. */
export type JoinAndLeave = {
  readonly ofTwo: readonly number[];
  readonly ofThree: readonly number[];
  readonly afterLeaving: readonly number[];
  readonly handedOverCount: number;
  /** How long the lease of the one that left would have gone on when its last work was claimed. */
  readonly leaseLeft: Nanos;
};

export function joinAndLeave(options: SpreadOptions): Promise<JoinAndLeave> {
  return withCluster({ ...options, leaseMs: longLeaseMs, restEvery: 0 }, async (spread) => {
    const { cluster } = spread;
    cluster.startHost();
    cluster.startHost();
    await spread.settle();
    const ofTwo = spread.counts;
    cluster.startHost();
    await spread.settle();
    const ofThree = spread.counts;
    const [leaver] = cluster.hosts;
    if (leaver === undefined) throw new Error("no host is left");
    const { owned, until } = await leave(cluster, leaver);
    const takenAt = await spread.takenAt(owned);
    await spread.settle();
    return {
      ofTwo,
      ofThree,
      afterLeaving: spread.counts,
      handedOverCount: owned.size,
      leaseLeft: until - Math.max(...takenAt),
    };
  });
}

async function leave(cluster: Cluster, leaver: HostProcess) {
  const owned = new Map(leaver.words.held);
  await cluster.leave(leaver);
  return { owned, until: leaver.words.until };
}

export type Replacement = {
  readonly ownedCount: number;
  /** From the end of the dead one's belief to the first claim of what it owned. */
  readonly afterBelief: Nanos;
  readonly problems: readonly string[];
};

/** Kills one of three hosts and waits until the others have all that it owned. */
export function replaceKilled(options: SpreadOptions & { leaseMs: number }): Promise<Replacement> {
  return withCluster({ ...options, restEvery: 0 }, async (spread) => {
    const { cluster } = spread;
    const victim = cluster.startHost();
    cluster.startHost();
    cluster.startHost();
    await spread.settle();
    await cluster.kill(victim);
    const owned = new Map(victim.words.held);
    const takenAt = await spread.takenAt(owned);
    await spread.settle();
    return {
      ownedCount: owned.size,
      afterBelief: Math.min(...takenAt) - victim.words.until,
      problems: cluster.checkHistory().problems,
    };
  });
}
