import { HostError } from "@holdfast/core";
import fc from "fast-check";
import { expect, test } from "vitest";
import { Owner } from "../testing/change-builder.ts";
import { command } from "../testing/inbox.testsuite.ts";
import { openPostgresStore } from "./index.ts";
import type { PostgresStore } from "./postgres-store.ts";
import { ClaimHistory } from "./testing/claim-history.ts";
import { createSchemaDatabase } from "./testing/index.ts";

const fuzzScale = Number(process.env["HOLDFAST_FUZZ_SCALE"] ?? 1);
const storeCount = 5;
const workflowCount = 24;
const stepsPerHost = 150;
/** Short, so that many die of it. */
const leaseMs = 150;

/** The same numbers for the same seed. */
function randomOf(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

type Parts = {
  readonly store: PostgresStore;
  readonly name: string;
  readonly workflows: readonly string[];
  readonly history: ClaimHistory;
  readonly random: (below: number) => number;
};

/** A host that does things in no order at all, and dies now and then without a word. */
class RestlessHost {
  callCount = 0;
  readonly #parts: Parts;
  readonly #owned = new Map<string, Owner>();
  #life = 0;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  get #incarnation(): string {
    return `${this.#parts.name}-${this.#life}`;
  }

  async live(): Promise<void> {
    await this.#open();
    for (let step = 0; step < stepsPerHost; step++) {
      await Promise.all([this.#act(), this.#act()]);
    }
    await this.#close();
  }

  #act(): Promise<unknown> {
    const { random } = this.#parts;
    const actions = [
      () => this.#claim(),
      () => this.#claim(),
      () => this.#commit(),
      () => this.#commit(),
      () => this.#commit(),
      () => this.#append(),
      () => this.#beat(),
      () => this.#beat(),
      () => this.#release(),
    ];
    const rare = random(60);
    if (rare === 0) return this.#close().then(() => this.#open());
    if (rare === 1) return this.#open(); // the old one is left to die
    return actions[random(actions.length)]?.() ?? Promise.resolve();
  }

  /** With the moments around the call. */
  async #call<T>(make: () => Promise<T>) {
    this.callCount += 1;
    const startedAt = performance.now();
    const value = await make();
    return { value, startedAt, endedAt: performance.now() };
  }

  async #open(): Promise<void> {
    this.#life += 1;
    this.#owned.clear();
    const { store, history } = this.#parts;
    const incarnation = this.#incarnation;
    const { startedAt } = await this.#call(() => store.openHost({ incarnation, leaseMs }));
    history.addGrant(incarnation, startedAt);
  }

  async #close(): Promise<void> {
    const { store, history } = this.#parts;
    const host = this.#incarnation;
    this.#owned.clear();
    const { startedAt, endedAt } = await this.#call(() => store.closeHost(host));
    history.addRelease({ host, workflow: null, startedAt, endedAt });
  }

  async #beat(): Promise<void> {
    const { store, history } = this.#parts;
    const host = this.#incarnation;
    const { value: lives, startedAt, endedAt } = await this.#call(() => store.heartbeat(host));
    if (lives) return history.addGrant(host, startedAt);
    history.addGrave(host, endedAt);
    if (host === this.#incarnation) await this.#open();
  }

  async #claim(): Promise<void> {
    const { store, history, random } = this.#parts;
    const host = this.#incarnation;
    const { value, startedAt, endedAt } = await this.#call(() => store.claim(host, 1 + random(4)));
    for (const { workflow, epoch, unclean } of value.claims) {
      history.addClaim({ workflow, epoch, unclean, host, startedAt, endedAt });
      const owner = await Owner.of(store, workflow);
      owner.epoch = epoch;
      if (host === this.#incarnation) this.#owned.set(workflow, owner);
    }
  }

  /** In no order of ids, and several at once. */
  async #commit(): Promise<void> {
    const { store, history, random } = this.#parts;
    const owners = [...this.#owned.values()].filter(() => random(2) === 0).reverse();
    const changes = owners.map((owner) => owner.change({ dueAt: 1 }));
    const { value: answers, startedAt, endedAt } = await this.#call(() => store.commit(changes));
    for (const [index, owner] of owners.entries()) {
      const { workflow, epoch } = owner;
      const [answer, change] = [answers[index], changes[index]];
      if (answer?.kind === "committed" && change !== undefined) {
        owner.advance(change);
        history.addCommit({ workflow, epoch, startedAt, endedAt });
      }
      if (answer?.kind === "lease_lost") this.#owned.delete(workflow);
      if (answer?.kind === "conflict") owner.head = (await Owner.of(store, workflow)).head;
      expect(["committed", "lease_lost", "conflict"]).toContain(answer?.kind);
    }
  }

  async #append(): Promise<void> {
    const { store, workflows, random } = this.#parts;
    const workflow = workflows[random(workflows.length)] ?? "";
    const commandId = `${this.#incarnation}-${this.callCount}`;
    await this.#call(() => store.appendCommand(command(commandId, { workflow })));
  }

  async #release(): Promise<void> {
    const { store, history, random } = this.#parts;
    const owner = [...this.#owned.values()][random(Math.max(1, this.#owned.size))];
    if (owner === undefined) return;
    const { workflow } = owner;
    this.#owned.delete(workflow);
    const host = this.#incarnation;
    const { startedAt, endedAt } = await this.#call(() => store.release(host, owner));
    history.addRelease({ host, workflow, startedAt, endedAt });
  }
}

async function withStores(work: (stores: readonly PostgresStore[]) => Promise<void>) {
  const { url, drop } = await createSchemaDatabase();
  const open = () => openPostgresStore({ url, newIncarnation: () => "store-1", connectionsMax: 4 });
  const stores: PostgresStore[] = [];
  try {
    for (let index = 0; index < storeCount; index++) stores.push(await open());
    await work(stores);
  } finally {
    await Promise.all(stores.map((store) => store.close()));
    await drop();
  }
}

async function liveTogether(stores: readonly PostgresStore[], seed: number): Promise<void> {
  const history = new ClaimHistory(leaseMs);
  const workflows = Array.from({ length: workflowCount }, (_, index) => `w-${index}`);
  const [first] = stores;
  for (const workflow of workflows) {
    if (first !== undefined)
      await (await Owner.create(first, workflow)).persistChange({ dueAt: 1 });
  }
  const hosts = stores.map(
    (store, index) =>
      new RestlessHost({
        store,
        name: `host-${index}`,
        workflows,
        history,
        random: randomOf(seed + index),
      }),
  );
  await Promise.all(hosts.map((host) => host.live()));
  expect(history.findProblems()).toEqual([]);
  expect(hosts.reduce((sum, { callCount }) => sum + callCount, 0)).toBeGreaterThan(1_000);
  expect(history.claimCount).toBeGreaterThan(100);
  expect(history.uncleanCount).toBeGreaterThan(0);
  const summaries = (await first?.listWorkflows(null, 1_000)) ?? [];
  const recordCount = summaries.reduce((sum, { head }) => sum + head.seq, 0);
  expect(recordCount).toBe(history.commitCount + workflowCount);
}

test(
  "no workflow has two owners and nobody waits in a circle, whatever five hosts do at once",
  async () => {
    const property = fc.asyncProperty(fc.nat(), (seed) =>
      withStores((stores) => liveTogether(stores, seed)),
    );
    await fc.assert(property, { numRuns: Math.ceil(2 * fuzzScale), endOnFailure: true });
  },
  120_000 * Math.max(1, fuzzScale),
);

test("of many that register one name at the same moment, one is let in", async () => {
  await withStores(async (stores) => {
    for (let round = 0; round < 20; round++) {
      const host = { incarnation: `host-${round}`, leaseMs };
      const outcomes = await Promise.allSettled(stores.map((store) => store.openHost(host)));
      expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
      for (const outcome of outcomes) {
        if (outcome.status === "fulfilled") continue;
        expect(outcome.reason).toBeInstanceOf(HostError);
        expect(outcome.reason).toMatchObject({ code: "HOST_TAKEN" });
      }
    }
  });
});
