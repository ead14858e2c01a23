import fc from "fast-check";
import { expect, test } from "vitest";
import { fuzzScale } from "../testing/random-history.ts";
import { leaseMs, TestCluster, type TestHost } from "../testing/test-cluster.ts";
import { slackOf } from "./fair-share.ts";

/** What happens to hosts and workflows; numbers are taken modulo what is there. */
type Step =
  | { readonly kind: "join" | "leave" | "die" | "stop" | "continue" | "cut" | "mend" }
  | { readonly kind: "add" | "ask" | "rest" | "begin" }
  | { readonly kind: "pass"; readonly ms: number };

type Chosen = { readonly step: Step; readonly host: number; readonly workflow: number };

const kinds = [
  ...["join", "join", "leave", "die", "stop", "continue", "cut", "mend"],
  ...["add", "add", "add", "ask", "rest", "rest", "begin"],
] as readonly Exclude<Step["kind"], "pass">[];

const randomStep: fc.Arbitrary<Step> = fc.oneof(
  fc.constantFrom(...kinds).map((kind) => ({ kind })),
  fc
    .constantFrom(0, 1, 300, 1_000, 1_250, 4_999, 13_499, 13_500, 15_000, 20_000)
    .map((ms) => ({ kind: "pass" as const, ms })),
);

const lives = fc.array(
  fc.record<Chosen>({ step: randomStep, host: fc.nat(20), workflow: fc.nat(200) }),
  { minLength: 10, maxLength: 60 },
);

/** A cluster to which anything happens, watched all the time. */
class World {
  readonly cluster = new TestCluster();
  readonly #capacity: number;
  readonly #dead = new Set<TestHost>();
  readonly #names: string[] = [];
  readonly #broken: string[] = [];

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get workflowCount(): number {
    return this.#names.length;
  }

  /** Those that have not died, left or been lost. */
  get members(): readonly TestHost[] {
    return this.cluster.hosts.filter((host) => !this.#dead.has(host) && host.lost.length === 0);
  }

  async play({ step, host, workflow }: Chosen): Promise<void> {
    const { members, cluster } = this;
    if (step.kind === "pass") return cluster.time.advance(step.ms);
    if (step.kind === "join") return this.join();
    if (step.kind === "add") return this.#add();
    const name = this.#names[workflow % this.#names.length];
    if (step.kind === "ask") return name === undefined ? undefined : cluster.ask(name);
    const chosen = members[host % members.length];
    if (chosen !== undefined) await this.#playHost(step.kind, chosen, workflow);
  }

  async #playHost(kind: Step["kind"], host: TestHost, workflow: number): Promise<void> {
    const { owned } = host;
    const name = owned[workflow % owned.length];
    if (kind === "leave") return this.#leave(host);
    if (kind === "die") this.#die(host);
    if (kind === "stop") host.stop();
    if (kind === "continue") host.continue();
    if (kind === "cut") host.way.fail("all", new Error("cut off"));
    if (kind === "mend") host.way.mend();
    if (name === undefined) return;
    if (kind === "begin") host.busy.add(name);
    if (kind === "rest") await host.membership.rest(host.ownershipOf(name));
  }

  async join(): Promise<void> {
    const host = this.cluster.prepare({ capacity: this.#capacity });
    host.onClaim = ({ workflow }) => this.#seeClaim(host, workflow);
    await host.join();
  }

  /** The one promise that counts: nobody else would send for it now. */
  #seeClaim({ incarnation }: TestHost, workflow: string): void {
    const senders = this.cluster.sendersFor(workflow);
    if (senders.length !== 1) this.#broken.push(`${incarnation}: ${workflow} has ${senders}`);
  }

  /** A host that is cut off cannot tell the store, and its lease ends by itself. */
  async #leave(host: TestHost): Promise<void> {
    this.#dead.add(host);
    await host.membership.leave().catch(() => {});
  }

  #die(host: TestHost): void {
    host.stop();
    this.#dead.add(host);
  }

  async #add(): Promise<void> {
    const name = `w-${this.#names.length}`;
    this.#names.push(name);
    await this.cluster.addAsked(name);
  }

  /** Whoever still stands stays so, and is dead to the others; the rest have time to settle. */
  async settle(): Promise<void> {
    for (const host of this.members) {
      host.way.mend();
      host.busy.clear();
    }
    await this.join();
    await this.cluster.time.advance(6 * leaseMs);
  }

  expectSafe(): void {
    expect(this.#broken).toEqual([]);
    for (const name of this.#names) {
      expect(this.cluster.sendersFor(name).length).toBeLessThanOrEqual(1);
    }
  }
}

async function playThrough(played: readonly Chosen[], capacity: number): Promise<World> {
  const world = new World(capacity);
  for (const chosen of played) {
    await world.play(chosen);
    world.expectSafe();
  }
  await world.settle();
  world.expectSafe();
  return world;
}

test("no two hosts would send for one workflow, and in the end all is shared", async () => {
  const property = fc.asyncProperty(lives, async (played) => {
    const world = await playThrough(played, 10_000);
    const census = await world.cluster.store.census();
    expect(census).toMatchObject({ owned: world.workflowCount, waiting: 0 });
    const counts = world.members.map((host) => host.owned.length);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(world.workflowCount);
    const share = Math.ceil(world.workflowCount / census.hosts);
    for (const count of counts) expect(count).toBeLessThanOrEqual(share + slackOf(share));
  });
  await fc.assert(property, { numRuns: Math.ceil(300 * fuzzScale) });
}, 600_000);

test("with little room in each host, all the room is used before any work is left", async () => {
  const property = fc.asyncProperty(lives, async (played) => {
    const world = await playThrough(played, 3);
    const { hosts, owned, waiting } = await world.cluster.store.census();
    expect(owned + waiting).toBe(world.workflowCount);
    expect(owned).toBe(Math.min(world.workflowCount, hosts * 3));
    for (const host of world.members) expect(host.owned.length).toBeLessThanOrEqual(3);
  });
  await fc.assert(property, { numRuns: Math.ceil(100 * fuzzScale) });
}, 600_000);
