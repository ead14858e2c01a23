import type { HistoryReport } from "./check-history.ts";
import type { ChildOrder } from "./child-options.ts";
import { Cluster, type ClusterOptions } from "./cluster.ts";
import { nanos, nanosPerMs } from "./history-line.ts";
import type { Hook } from "./hooks.ts";
import type { HostProcess } from "./host-process.ts";

const hostCount = 3;
/** A stop that nobody could notice otherwise lasts so many leases. */
const leasesStopped = 1.5;
/** Passed before the host is a host: these stop a process that is just starting. */
const startHooks: readonly Hook[] = [
  ...(["check server sending", "check server answered"] as const),
  ...(["migrate sending", "migrate answered"] as const),
  ...(["open store sending", "open store answered"] as const),
  ...(["open host sending", "open host answered"] as const),
];
/** Passed by a host that leaves. */
const endHooks: readonly Hook[] = ["close host sending", "close host answered"];
/** What makes a host come to hooks that it would seldom pass. */
const orders: Readonly<Partial<Record<Hook, ChildOrder>>> = {
  "scan sending": { kind: "take_checkpoint" },
  "scan answered": { kind: "take_checkpoint" },
  "read journal sending": { kind: "take_checkpoint" },
  "read journal answered": { kind: "take_checkpoint" },
  "find damage sending": { kind: "find_damage" },
  "find damage answered": { kind: "find_damage" },
  "list workflows sending": { kind: "lose_claim" },
  "list workflows answered": { kind: "lose_claim" },
};
/** Right after these comes a commit, which is then too late. */
const commitHooks: readonly Hook[] = ["before commit", "commit sending"];

export type StopOptions = {
  readonly cluster: ClusterOptions;
  readonly hooks: readonly Hook[];
  readonly onProgress: (text: string) => void;
};

export type StopSummary = {
  readonly stopCount: number;
  /** Workflows that others claimed while their owner stood still. */
  readonly takenCount: number;
  readonly stoppedMsMax: number;
  readonly history: HistoryReport;
  readonly problems: readonly string[];
};

/**
 * Stops one of three hosts at every hook, past its lease, until the others have all that it
 * owned; then lets it go on, and sees it notice.
 */
export class StopRounds {
  readonly #cluster: Cluster;
  readonly #options: StopOptions;
  readonly #problems: string[] = [];
  #stopCount = 0;
  #takenCount = 0;
  #stoppedMsMax = 0;

  private constructor(cluster: Cluster, options: StopOptions) {
    this.#cluster = cluster;
    this.#options = options;
  }

  static async run(options: StopOptions): Promise<StopSummary> {
    const cluster = await Cluster.open(options.cluster);
    try {
      return await new StopRounds(cluster, options).#run();
    } finally {
      await cluster.close();
    }
  }

  async #run(): Promise<StopSummary> {
    while (this.#cluster.hosts.size < hostCount) this.#cluster.startHost();
    for (const hook of this.#options.hooks) {
      // On a very busy machine it may have lost its lease by itself before it came to the hook.
      while ((await this.#stopOnce(hook)) === 0 && !startHooks.includes(hook));
    }
    await this.#cluster.leaveAll();
    const report = this.#cluster.checkHistory();
    this.#problems.push(...report.problems, ...(await this.#cluster.checkQuiet()));
    return {
      stopCount: this.#stopCount,
      takenCount: this.#takenCount,
      stoppedMsMax: Math.round(this.#stoppedMsMax),
      history: report,
      problems: this.#problems,
    };
  }

  /**
   * The one that owns most: it will own least, so that all have their turn. Answers with how many
   * workflows it owned.
   */
  async #stopOnce(hook: Hook): Promise<number> {
    const { history } = this.#cluster;
    const { victim, owned } = await this.#prepare(hook);
    const { name, words } = victim;
    await history.until(`${name} comes to "${hook}"`, () => words.stoppedAt === hook);
    const stoppedAt = nanos();
    for (const [workflow, epoch] of words.held) owned.set(workflow, epoch);
    await history.until(`what ${name} owned is claimed by others`, () => history.areTaken(owned));
    const leaseEnd = Math.max(words.until, stoppedAt + this.#leaseNanos * leasesStopped);
    await history.until(`the lease of ${name} ends`, () => nanos() > leaseEnd);
    const before = { refused: words.refusedCount, joined: words.joinedCount };
    const continuedAt = nanos();
    await victim.goOn();
    await this.#seeItNotice(victim, { hook, ...before, continuedAt });
    const lateCount = () => words.refusedCount - before.refused;
    const isRefused = () => lateCount() > 0;
    const mustBeLate = commitHooks.includes(hook) && owned.size > 0;
    if (mustBeLate) await history.until("a late commit is refused", isRefused);
    const late = lateCount();
    this.#stopCount += 1;
    this.#takenCount += owned.size;
    this.#stoppedMsMax = Math.max(this.#stoppedMsMax, (continuedAt - stoppedAt) / nanosPerMs);
    this.#options.onProgress(`${hook}: ${owned.size} taken over, ${late} late commits refused`);
    return owned.size;
  }

  /** `owned` is what it gives up by leaving, which it does not tell when it is stopped there. */
  async #prepare(hook: Hook): Promise<{ victim: HostProcess; owned: Map<string, number> }> {
    const { history } = this.#cluster;
    const hosts = [...this.#cluster.hosts];
    const isWhole = () => hosts.every(({ words }) => words.isMember);
    await history.until("all have joined", isWhole);
    const ownedMin = this.#cluster.options.workflowCount / hostCount / 2;
    const most = () => Math.max(...hosts.map(({ words }) => words.held.size));
    await history.until("one of them owns much", () => most() > ownedMin);
    const next = hosts.find(({ words }) => words.held.size === most());
    if (next === undefined) throw new Error("no host is left");
    if (startHooks.includes(hook)) {
      await this.#cluster.leave(next);
      return { victim: this.#cluster.startHost({ stopAt: hook }), owned: new Map() };
    }
    next.tell({ kind: "stop_at", hook });
    const order = orders[hook];
    if (order !== undefined) next.tell(order);
    if (!endHooks.includes(hook)) return { victim: next, owned: new Map() };
    const owned = new Map(next.words.held);
    next.expectEnd();
    next.tell({ kind: "leave" });
    return { victim: next, owned };
  }

  async #seeItNotice(
    victim: HostProcess,
    seen: {
      readonly hook: Hook;
      readonly joined: number;
      readonly continuedAt: number;
    },
  ): Promise<void> {
    const { history } = this.#cluster;
    const { name, words } = victim;
    const { hook, joined, continuedAt } = seen;
    if ((words.continuedAt ?? 0) < continuedAt) this.#report(hook, `${name} did not stand still`);
    if (endHooks.includes(hook)) {
      await victim.ended;
      this.#cluster.hosts.delete(victim);
      this.#cluster.startHost();
      return;
    }
    await history.until(`${name} joins anew`, () => words.joinedCount > joined);
  }

  get #leaseNanos(): number {
    return this.#cluster.options.leaseMs * nanosPerMs;
  }

  #report(hook: Hook, problem: string): void {
    this.#problems.push(`${hook}: ${problem}`);
  }
}
