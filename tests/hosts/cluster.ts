import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Store } from "@holdfast/core";
import { openPostgresStore } from "@holdfast/store/postgres";
import { checkHistory, type HistoryReport } from "./check-history.ts";
import type { ChildOptions } from "./child-options.ts";
import { History } from "./history.ts";
import { HostProcess } from "./host-process.ts";
import { deploying } from "./load-commands.ts";
import { workflowName } from "./load-host.ts";
import { OutsideLog } from "./outside-log.ts";
import { StoreCheck } from "./store-check.ts";

const deployedAtOnce = 20;

export type ClusterOptions = Pick<
  ChildOptions,
  "url" | "leaseMs" | "workflowCount" | "periodMs" | "restEvery"
>;

/** Hosts in processes of their own that share one store, and all that is known of them. */
export class Cluster {
  readonly options: ClusterOptions;
  readonly history = new History();
  readonly hosts = new Set<HostProcess>();
  readonly #folder: string;
  readonly #check = new StoreCheck();
  #hostCount = 0;

  private constructor(options: ClusterOptions, folder: string) {
    this.options = options;
    this.#folder = folder;
  }

  /** With its workflows deployed and no host yet. */
  static async open(options: ClusterOptions): Promise<Cluster> {
    const folder = await mkdtemp(join(tmpdir(), "holdfast-hosts-"));
    const cluster = new Cluster(options, folder);
    await cluster.withStore((store) => cluster.#deploy(store));
    return cluster;
  }

  get recordCount(): number {
    return this.#check.recordCount;
  }

  async close(): Promise<void> {
    await this.killAll();
    await rm(this.#folder, { recursive: true, force: true });
  }

  startHost(more: Partial<ChildOptions> = {}): HostProcess {
    this.#hostCount += 1;
    const options: ChildOptions = {
      ...this.options,
      name: `host-${this.#hostCount}`,
      outsidePath: this.#outsidePath,
      work: "runs",
      breakage: null,
      stopAt: null,
      ...more,
    };
    const host = new HostProcess(options, this.history);
    this.hosts.add(host);
    return host;
  }

  async kill(host: HostProcess): Promise<void> {
    await host.kill();
    this.hosts.delete(host);
  }

  async leave(host: HostProcess): Promise<void> {
    await host.leave();
    this.hosts.delete(host);
  }

  async killAll(): Promise<void> {
    await Promise.all([...this.hosts].map((host) => this.kill(host)));
  }

  async leaveAll(): Promise<void> {
    await Promise.all([...this.hosts].map((host) => this.leave(host)));
  }

  async withStore<T>(use: (store: Store) => Promise<T>): Promise<T> {
    const { url } = this.options;
    const store = await openPostgresStore({ url, newIncarnation: () => "store-1" });
    try {
      return await use(store);
    } finally {
      await store.close();
    }
  }

  checkLive(): Promise<string[]> {
    return this.withStore((store) => this.#check.checkLive(store, this.history.lines));
  }

  /** No host may live. */
  checkQuiet(): Promise<string[]> {
    const outside = new OutsideLog(this.#outsidePath).lines();
    return this.withStore((store) => this.#check.checkQuiet(store, this.history.lines, outside));
  }

  checkHistory(): HistoryReport {
    return checkHistory(this.history.lines, new OutsideLog(this.#outsidePath).lines());
  }

  get #outsidePath(): string {
    return join(this.#folder, "outside");
  }

  async #deploy(store: Store): Promise<void> {
    const { workflowCount } = this.options;
    for (let first = 0; first < workflowCount; first += deployedAtOnce) {
      const length = Math.min(deployedAtOnce, workflowCount - first);
      const names = Array.from({ length }, (_, index) => workflowName(first + index));
      await Promise.all(names.map((workflow) => this.#deployOne(store, workflow)));
    }
  }

  async #deployOne(store: Store, workflow: string): Promise<void> {
    const command = deploying(workflow);
    await store.createWorkflow(workflow);
    const { commandId } = command;
    this.history.add("deployer", { kind: "appending", workflow, commandId });
    await store.appendCommand(command);
    this.history.add("deployer", { kind: "appended", workflow, commandId });
  }
}
