import { encodeCanonical, type Store } from "@holdfast/core";
import { openMemoryStore } from "@holdfast/store/memory";
import { Membership } from "../membership/membership.ts";
import type { LostReason, Trouble } from "../membership/membership-options.ts";
import type { Ownership } from "../membership/ownership.ts";
import { UnsteadyStore } from "./unsteady-store.ts";
import { settle, type VirtualProcess, VirtualTime } from "./virtual-time.ts";

export const leaseMs = 15_000;

/** 2026-01-01T00:00:00Z on the store's clock. */
const storeStart = 1_767_225_600_000;

type HostParts = { readonly incarnation?: string; readonly capacity?: number };

/** Hosts that share a store, all in virtual time. */
export class TestCluster {
  readonly time = new VirtualTime();
  readonly store: Store;
  readonly hosts: TestHost[] = [];
  #commandCount = 0;
  /** The store's clock can be set, like any other. */
  storeAheadMs = 0;

  constructor() {
    this.store = openMemoryStore({
      clock: () => this.storeNow(),
      newIncarnation: () => "store-1",
    });
  }

  storeNow(): number {
    return storeStart + Math.floor(this.time.now) + this.storeAheadMs;
  }

  /** A host that has not joined yet. */
  prepare({ incarnation, capacity = 10_000 }: HostParts = {}): TestHost {
    const name = incarnation ?? `host-${this.hosts.length + 1}`;
    const host = new TestHost(this, { incarnation: name, capacity });
    this.hosts.push(host);
    return host;
  }

  async join(parts: HostParts = {}): Promise<TestHost> {
    const host = this.prepare(parts);
    await host.join();
    return host;
  }

  /** Has a command waiting, until somebody answers it. */
  async addAsked(workflow: string): Promise<void> {
    await this.store.createWorkflow(workflow);
    await this.ask(workflow);
  }

  async ask(workflow: string): Promise<void> {
    this.#commandCount += 1;
    await this.store.appendCommand({
      commandId: `c-${this.#commandCount}`,
      workflow,
      actor: "ann",
      kind: "run_now",
      body: encodeCanonical({}),
      at: 0,
    });
    await settle();
  }

  /** Falls due so many milliseconds from now. */
  async addDue(workflow: string, inMs: number): Promise<void> {
    await this.store.createWorkflow(workflow);
    await this.setDue(workflow, inMs);
  }

  async addManyDue(count: number, inMs = 0): Promise<readonly string[]> {
    const names = Array.from({ length: count }, (_, index) => `w-${index}`);
    for (const name of names) await this.addDue(name, inMs);
    return names;
  }

  /** null = never. */
  async setDue(workflow: string, inMs: number | null): Promise<void> {
    const { head, epoch } = await this.store.load(workflow, []);
    const dueAt = inMs === null ? null : this.storeNow() + inMs;
    const noTrace = { trace: null, budgets: [], forgetTracesThrough: null };
    const nothing = { records: [], rows: [], blobs: [], settledBelow: [], ...noTrace };
    await this.store.commit([{ workflow, epoch, expectedHead: head.seq, dueAt, ...nothing }]);
  }

  async ownerOf(workflow: string): Promise<string | null> {
    const all = await this.store.listWorkflows(null, 100_000);
    return all.find((entry) => entry.workflow === workflow)?.owner ?? null;
  }

  /** Whoever would send for the workflow at this moment, stopped or not. */
  sendersFor(workflow: string): readonly string[] {
    return this.hosts.filter((host) => host.wouldSendFor(workflow)).map((host) => host.incarnation);
  }
}

/** One host process: a membership, and something that owns workflows and does nothing. */
export class TestHost {
  readonly incarnation: string;
  readonly process: VirtualProcess;
  readonly way: UnsteadyStore;
  /** All that it was ever given. */
  readonly ownerships: Ownership[] = [];
  readonly woken: string[] = [];
  readonly handedOver: string[] = [];
  readonly tooNew: string[] = [];
  readonly troubles: Trouble[] = [];
  readonly lost: LostReason[] = [];
  /** Workflows in mid-run. */
  readonly busy = new Set<string>();
  onClaim = (_: Ownership): void => {};
  readonly #capacity: number;
  #membership: Membership | null = null;

  constructor(cluster: TestCluster, parts: { incarnation: string; capacity: number }) {
    this.incarnation = parts.incarnation;
    this.#capacity = parts.capacity;
    this.process = cluster.time.startProcess();
    this.way = new UnsteadyStore(cluster.store);
  }

  get membership(): Membership {
    if (this.#membership === null) throw new Error(`${this.incarnation} has not joined`);
    return this.#membership;
  }

  /** Names of what it owns now. */
  get owned(): readonly string[] {
    return this.ownerships.filter((each) => each.mayAct()).map(({ workflow }) => workflow);
  }

  /** The compare that a sender makes last, and nothing else: it must not stir what it looks at. */
  wouldSendFor(workflow: string): boolean {
    const now = this.process.clock.monotonicMs();
    return this.ownerships.some((each) => each.workflow === workflow && now < each.mayActUntil);
  }

  async join(): Promise<void> {
    const { clock, timers } = this.process;
    this.#membership = await Membership.join({
      store: this.way.store,
      incarnation: this.incarnation,
      leaseMs,
      capacity: this.#capacity,
      clock,
      timers,
      listener: {
        onClaim: (ownership) => {
          this.ownerships.push(ownership);
          this.onClaim(ownership);
        },
        onWake: (workflow) => this.woken.push(workflow),
        mayHandOver: (workflow) => !this.busy.has(workflow),
        onHandOver: (workflow) => this.handedOver.push(workflow),
        onTooNew: (workflows) => this.tooNew.push(...workflows),
        onTrouble: (trouble) => this.troubles.push(trouble),
        onLost: (reason) => this.lost.push(reason),
      },
    });
    await settle();
  }

  /** Stands still, as by SIGSTOP; for good it is as by SIGKILL. Wake-ups are lost on it. */
  stop(): void {
    this.process.stop();
    this.way.loseWakes();
  }

  continue(): void {
    this.process.continue();
    this.way.hearWakes();
  }

  ownershipOf(workflow: string): Ownership {
    const found = this.ownerships.findLast((each) => each.workflow === workflow);
    if (found === undefined) throw new Error(`${this.incarnation} never owned ${workflow}`);
    return found;
  }
}
