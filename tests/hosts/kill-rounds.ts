import type { TestServer } from "@holdfast/store/testing/postgres";
import type { HistoryReport } from "./check-history.ts";
import { Cluster, type ClusterOptions } from "./cluster.ts";
import { nanos } from "./history-line.ts";
import type { HostProcess } from "./host-process.ts";
import { randomBetween, seededRandom } from "./seeded-random.ts";

const hostCount = 2;
/** Commits that are asked for, or acknowledged, between one blow and the next. */
const loadMin = 5;
const loadMax = 60;
/** Of the blows on the server: after these it comes back when every lease has ended. */
const awayShare = 0.3;
/** Every so many rounds all hosts die at once, and everything is looked at. */
const quietEvery = 20;

/** On the server: all its processes killed; told to drop everything; shut down in order. */
export const serverBlows = ["kill", "crash", "shutDown"] as const;
export type ServerBlow = (typeof serverBlows)[number];

export type KillOptions = Pick<ClusterOptions, "workflowCount" | "periodMs" | "leaseMs"> & {
  readonly rounds: number;
  readonly seed: number;
  readonly onProgress: (text: string) => void;
};

export type KillSummary = {
  readonly seed: number;
  readonly hostKillCount: number;
  readonly serverBlows: Readonly<Record<ServerBlow, number>>;
  readonly unknownCount: number;
  /** Memberships that were lost, most of them because the server was away. */
  readonly lostCount: number;
  readonly recordCount: number;
  readonly history: HistoryReport;
  readonly problems: readonly string[];
};

/**
 * Kills hosts and restarts the server under load, in turns. What was acknowledged until then is
 * looked for after every blow, all the rest every twentieth time and at the end.
 */
export class KillRounds {
  readonly #server: TestServer;
  readonly #cluster: Cluster;
  readonly #options: KillOptions;
  readonly #random: () => number;
  readonly #problems: string[] = [];
  readonly #blows: Record<ServerBlow, number> = { kill: 0, crash: 0, shutDown: 0 };
  #hostKillCount = 0;

  private constructor(server: TestServer, cluster: Cluster, options: KillOptions) {
    this.#server = server;
    this.#cluster = cluster;
    this.#options = options;
    this.#random = seededRandom(options.seed);
  }

  static async run(server: TestServer, url: string, options: KillOptions): Promise<KillSummary> {
    const { workflowCount, periodMs, leaseMs } = options;
    const cluster = await Cluster.open({ url, workflowCount, periodMs, leaseMs, restEvery: 3 });
    try {
      return await new KillRounds(server, cluster, options).#run();
    } finally {
      await cluster.close();
    }
  }

  async #run(): Promise<KillSummary> {
    const { rounds, seed } = this.#options;
    this.#refill();
    for (let round = 1; round <= rounds; round += 1) {
      const isQuiet = round === rounds || round % quietEvery === 0;
      await this.#strike(round);
      const found = isQuiet ? await this.#checkQuiet() : await this.#cluster.checkLive();
      this.#report(round, found);
      if (round < rounds) this.#refill();
    }
    const { history } = this.#cluster;
    const report = this.#cluster.checkHistory();
    this.#problems.push(...report.problems);
    return {
      seed,
      hostKillCount: this.#hostKillCount,
      serverBlows: this.#blows,
      unknownCount: history.sum(({ unknownCount }) => unknownCount),
      lostCount: history.sum(({ lostCount }) => lostCount),
      recordCount: this.#cluster.recordCount,
      history: report,
      problems: this.#problems,
    };
  }

  /** Hosts and the server take turns; every seventh time both are hit at once. */
  async #strike(round: number): Promise<void> {
    const hitsHost = round % 2 === 1 || round % 7 === 0;
    const hitsServer = round % 2 === 0 || round % 7 === 0;
    const blow = hitsServer ? serverBlows[Math.floor(round / 2) % serverBlows.length] : undefined;
    const victim = await this.#chooseVictim();
    await this.#underLoad(hitsHost ? [victim] : [...this.#cluster.hosts]);
    const struck = blow === undefined ? Promise.resolve() : this.#server[blow]();
    if (hitsHost) await this.#cluster.kill(victim);
    if (hitsHost) this.#hostKillCount += 1;
    await struck;
    if (blow === undefined) return;
    this.#blows[blow] += 1;
    if (this.#random() < awayShare) await this.#allLost();
    await this.#server.restart();
    await this.#ridesOut();
  }

  /** One that has work to do. */
  async #chooseVictim(): Promise<HostProcess> {
    const working = () => [...this.#cluster.hosts].filter(({ words }) => words.held.size > 0);
    await this.#cluster.history.until("a host has work", () => working().length > 0);
    const victim = working()[randomBetween(this.#random, 0, working().length - 1)];
    if (victim === undefined) throw new Error("no host is left");
    return victim;
  }

  /** In the midst of a commit as often as right after one. */
  async #underLoad(hosts: readonly HostProcess[]): Promise<void> {
    const load = randomBetween(this.#random, loadMin, loadMax);
    const what = this.#random() < 0.5 ? "askedCount" : "committedCount";
    const count = () => hosts.reduce((sum, { words }) => sum + words[what], 0);
    const enough = count() + load;
    await this.#cluster.history.until(`${load} more commits`, () => count() >= enough);
  }

  /** The server stays away for longer than any lease. */
  async #allLost(): Promise<void> {
    for (const { name, words } of this.#cluster.hosts) {
      const what = `${name} gives up its lease`;
      await this.#cluster.history.until(what, () => !words.isMember);
    }
  }

  /** Every host that lives finds its way back by itself, and the work goes on. */
  async #ridesOut(): Promise<void> {
    const { history, hosts } = this.#cluster;
    const startedAt = nanos();
    for (const { name, words } of hosts) {
      const hasLease = () => words.isMember && words.believedAt > startedAt;
      await history.until(`${name} has a lease again`, hasLease);
    }
    const committed = () => history.sum(({ committedCount }) => committedCount);
    const before = committed();
    await history.until("a host commits again", () => committed() > before);
  }

  #refill(): void {
    while (this.#cluster.hosts.size < hostCount) this.#cluster.startHost();
  }

  async #checkQuiet(): Promise<string[]> {
    this.#hostKillCount += this.#cluster.hosts.size;
    await this.#cluster.killAll();
    return this.#cluster.checkQuiet();
  }

  #report(round: number, found: readonly string[]): void {
    const { onProgress, rounds } = this.#options;
    this.#problems.push(...found.map((problem) => `round ${round}: ${problem}`));
    if (found[0] !== undefined) onProgress(`FAIL  round ${round}: ${found[0]}`);
    const { history } = this.#cluster;
    const committed = history.sum(({ committedCount }) => committedCount);
    const unknown = history.sum(({ unknownCount }) => unknownCount);
    const done = `round ${round} of ${rounds}: ${this.#hostKillCount} hosts killed`;
    if (round % 5 === 0) onProgress(`${done}, ${committed} commits, ${unknown} unknown`);
  }
}
