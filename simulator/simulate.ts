import {
  type CanonicalValue,
  encodeCanonical,
  type Rows,
  type Store,
  type TableName,
} from "@holdfast/core";
import { verify } from "@holdfast/host";
import { Random, VirtualTime } from "@holdfast/host/testing";
import { openMemoryStore } from "@holdfast/store/memory";
import { activationFor, type Worker } from "./activation.ts";
import { AllowedSends } from "./allowed-sends.ts";
import { AskedCalls } from "./asked-calls.ts";
import { areAllBooked, machineProblems, machineScript } from "./order-machine.ts";
import { bookingsOf, itemScript, orderScript } from "./order-script.ts";
import { type Booking, Shop } from "./shop.ts";
import { SimHost, type SimHostParts } from "./sim-host.ts";

export type Simulated = {
  readonly seed: number;
  /** What must never be, in words; empty = nothing of it was. */
  readonly problems: readonly string[];
  readonly bookings: number;
  readonly kills: number;
  readonly unknowns: number;
  /** Lost answers that the host found out about, and those it could send again. */
  readonly found: number;
  readonly repeated: number;
  /** Calls that a person was asked about and agreed to, and those they changed before. */
  readonly agreed: number;
  readonly edited: number;
  /** Unknown calls that a person gave up on. */
  readonly skipped: number;
  /** How often every row was compared with the fold of its journal. */
  readonly looks: number;
};

const scripts = { consumer: orderScript, job: itemScript, machine: machineScript } as const;

const start = 1_767_225_600_000;
const workflows = ["north", "south"];
const stepCount = 40;
const lookAfterMs = 90_000;
/** Folding all journals at every event would take most of the time: so often, and at each death. */
const stepsPerLook = 8;
/** Of unknown calls that a person is tired of. */
const skipShare = 0.3;
const clockErrorsMs = [-300_000, -5_000, -200, 0, 200, 5_000, 300_000];

/** One world from one seed: hosts that die and stand still, a shop that lies, commits that hide. */
export async function simulate(
  seed: number,
  spoil?: SimHostParts["spoil"],
  worker: Worker = "consumer",
): Promise<Simulated> {
  const world = new World(seed, spoil, worker);
  await world.begin();
  for (let step = 1; step <= stepCount; step++) {
    await world.step();
    if (step % stepsPerLook === 0) await world.compare();
  }
  await world.calmDown();
  return world.report();
}

class World {
  readonly #seed: number;
  readonly #random: Random;
  readonly #time = new VirtualTime();
  readonly #outside = this.#time.startProcess();
  readonly #store: Store;
  readonly #allowed = new AllowedSends(() => this.#time.now);
  readonly #shop: Shop;
  readonly #asked: AskedCalls;
  readonly #hosts: SimHost[] = [];
  readonly #problems: string[] = [];
  readonly #spoil: SimHostParts["spoil"];
  readonly #worker: Worker;
  /** When each was first seen. */
  readonly #questions = new Map<string, number>();
  #commands = 0;
  #kills = 0;
  #unknowns = 0;
  #looks = 0;
  #skips = 0;
  /** Of its own, so that what a person gives up on changes nothing before it. */
  readonly #patience: Random;
  #orders = 0;

  constructor(seed: number, spoil: SimHostParts["spoil"], worker: Worker) {
    this.#seed = seed;
    this.#worker = worker;
    this.#random = new Random(seed);
    this.#patience = new Random(seed + 1_000_003);
    this.#spoil = spoil;
    const now = () => start + Math.floor(this.#time.now);
    const store = openMemoryStore({ clock: now, newIncarnation: () => "store" });
    this.#store = this.#allowed.watched(store);
    this.#shop = new Shop({
      manner: this.#random.pick(["asks you", "verified", "by key"]),
      process: this.#outside,
      random: this.#random,
      onBooking: (booking) => this.#look(booking),
    });
    this.#asked = new AskedCalls({
      store: this.#store,
      outside: this.#shop.asSeenBy(async () => {}),
      random: this.#random,
      now,
      give: (workflow, kind, body) => this.#command(workflow, kind, body),
    });
  }

  async begin(): Promise<void> {
    for (const workflow of workflows) {
      await this.#store.createWorkflow(workflow);
      await this.#command(workflow, "activate_version", activationFor(this.#worker));
    }
    await this.#startHost();
    await this.#startHost();
    this.#addOrders(3);
  }

  async step(): Promise<void> {
    const living = this.#hosts.filter(({ state }) => state !== "dead");
    const host = this.#random.pick(living);
    switch (this.#random.below(11)) {
      case 0:
        host.kill();
        this.#kills += 1;
        await this.compare();
        await this.#startHost();
        break;
      case 1:
        host.stop();
        break;
      case 2:
      case 3:
        if (host.state === "stopped") host.continue();
        break;
      case 4:
      case 5:
        this.#addOrders(this.#random.between(1, 3));
        break;
      case 6:
        await this.#pauseOrResume();
        break;
      case 7:
        host.isCutOff = true;
        break;
      case 8:
        host.isCutOff = false;
        break;
      case 9:
        host.clockErrorMs = this.#random.pick(clockErrorsMs);
        break;
      case 10:
        await this.#answerQuestions();
        break;
    }
    await this.#time.advance(this.#random.pick([10, 100, 1_000, 5_000, 20_000, 61_000]));
  }

  /** Nothing bad happens any more, and a person answers what only a person can. */
  async calmDown(): Promise<void> {
    this.#shop.trouble = 0;
    for (const host of this.#hosts) {
      if (host.state === "stopped") host.continue();
      host.commitTrouble = 0;
      host.wayTrouble = 0;
      host.isCutOff = false;
      host.clockErrorMs = 0;
    }
    await this.#startHost();
    for (const workflow of workflows) await this.#command(workflow, "resume_workflow", {});
    for (let round = 0; round < 30; round++) {
      await this.#time.advance(120_000);
      await this.#answerQuestions();
      if (await this.#isDone()) break;
    }
    await this.#checkEnd();
  }

  /** Every row is as the journal says, whatever was going on. */
  async compare(): Promise<void> {
    this.#looks += 1;
    // Nobody moves meanwhile: time stands still, and with it every host.
    for (const { workflow, problems } of await verify(this.#store, { full: false })) {
      const found = problems.map((problem) => `${workflow}: ${JSON.stringify(problem)}`);
      this.#problems.push(...found);
    }
  }

  report(): Simulated {
    return {
      seed: this.#seed,
      problems: this.#problems,
      bookings: this.#shop.bookings.length,
      kills: this.#kills,
      unknowns: this.#unknowns,
      found: this.#shop.foundCount,
      repeated: this.#shop.repeatCount,
      agreed: this.#asked.agreedCount,
      edited: this.#asked.editedCount,
      skipped: this.#skips,
      looks: this.#looks,
    };
  }

  async #startHost(): Promise<void> {
    const host = new SimHost({
      incarnation: `host-${this.#hosts.length + 1}`,
      process: this.#time.startProcess(),
      outside: this.#outside,
      store: this.#store,
      shop: this.#shop,
      script: scripts[this.#worker],
      random: this.#random,
      wallClock: () => start + Math.floor(this.#time.now),
      onBroken: (workflow, note) => this.#problems.push(`${workflow} is broken: ${note}`),
      ...(this.#spoil === undefined ? {} : { spoil: this.#spoil }),
    });
    this.#hosts.push(host);
    void host.join();
    await this.#time.advance(50);
  }

  #addOrders(count: number): void {
    for (let index = 0; index < count; index++) {
      this.#orders += 1;
      this.#shop.orders.push({ id: `o-${this.#orders}` });
    }
  }

  async #pauseOrResume(): Promise<void> {
    const kind = this.#random.pick(["pause_workflow", "resume_workflow"]);
    await this.#command(this.#random.pick(workflows), kind, {});
  }

  async #command(workflow: string, kind: string, body: object): Promise<void> {
    this.#commands += 1;
    await this.#store.appendCommand({
      commandId: `c-${this.#commands}`,
      workflow,
      actor: "ann",
      kind,
      body: encodeCanonical(body as CanonicalValue),
      at: 0,
    });
  }

  /** Every booking: allowed by the ledger before and still, agreed to, and never twice for one. */
  #look(booking: Booking): void {
    const fault = this.#allowed.faultOf(booking.key);
    if (fault !== null) this.#problems.push(`${booking.id} was booked ${fault}`);
    const unasked = this.#worker === "machine" ? null : this.#asked.faultOf(booking);
    if (unasked !== null) this.#problems.push(`${booking.id} was booked ${unasked}`);
    const twice = this.#shop.bookings.filter(({ key }) => key === booking.key).length > 1;
    if (twice) this.#problems.push(`${booking.id} was booked twice under one key`);
  }

  /** The truth is in the shop: a person looks there, and answers. */
  async #answerQuestions(): Promise<void> {
    for (const workflow of workflows) {
      for (const row of await this.#rows(workflow, "mutations")) {
        if (row.state === "awaiting_approval") await this.#asked.answer(workflow, row);
        if (row.state !== "indeterminate") continue;
        const answer = this.#answerTo(`${workflow} ${row.mutationId} ${row.sendCount}`, row);
        if (answer === null) continue;
        const { mutationId } = row;
        await this.#command(workflow, "resolve_mutation", { mutationId, answer });
      }
      const open = (await this.#rows(workflow, "runs")).find((run) => run.open);
      if (open?.dueAt === null && open.status === "paused:transient") {
        await this.#command(workflow, "resume_run", { runId: open.runId });
      }
      const [row] = await this.#rows(workflow, "workflows");
      if (row?.error) await this.#command(workflow, "resume_workflow", {});
      await this.#takeNoteOfLate(workflow);
    }
    await this.#time.advance(1_000);
  }

  /** What was given up on and happened after all: the host has braked, and asks to be told. */
  async #takeNoteOfLate(workflow: string): Promise<void> {
    for (const { attentionId, kind, closedAt } of await this.#rows(workflow, "attentions")) {
      if (kind !== "happened_after_all" || closedAt !== null) continue;
      await this.#command(workflow, "acknowledge", { attentionId });
    }
    for (const { operation } of await this.#rows(workflow, "brakes")) {
      await this.#command(workflow, "release_brake", { operation });
    }
  }

  /** Who looks at once may look too early: a request may still be on its way. Null = later. */
  #answerTo(question: string, row: Rows["mutations"]): object | null {
    const since = this.#questions.get(question) ?? this.#time.now;
    if (!this.#questions.has(question)) this.#unknowns += 1;
    this.#questions.set(question, since);
    if (row.canReconcile && this.#random.chance(0.5)) return { says: "try_again" };
    if (this.#time.now - since < lookAfterMs) return null;
    if (this.#worker === "consumer" && this.#patience.chance(skipShare)) return { says: "skip" };
    const happened = this.#shop.bookings.some(({ key }) => key === row.providerKey);
    if (happened) return { says: "happened", result: null };
    // biome-ignore lint/suspicious/noThenProperty: the word of the contract; never awaited
    return { says: "did_not_happen", then: null };
  }

  async #isDone(): Promise<boolean> {
    for (const workflow of workflows) {
      if (this.#worker === "machine") {
        if (!(await areAllBooked(this.#store, workflow, this.#orders))) return false;
        continue;
      }
      const events = await this.#rows(workflow, "events");
      const orders = events.filter(({ topic }) => topic === "orders");
      if (orders.length < this.#orders) return false;
      if (orders.some(({ status }) => status !== "consumed" && status !== "skipped")) return false;
    }
    return true;
  }

  async #checkEnd(): Promise<void> {
    const skipped: string[] = [];
    for (const workflow of workflows) {
      const events = await this.#rows(workflow, "events");
      const givenUp = await this.#givenUp(workflow);
      skipped.push(...givenUp);
      for (const { id } of this.#shop.orders) {
        const event = events.find(({ topic, messageId }) => topic === "orders" && messageId === id);
        if (event?.status === (givenUp.includes(id) ? "skipped" : "consumed")) continue;
        this.#problems.push(`${workflow}: ${id} is ${event?.status ?? "missing"} at the end`);
      }
    }
    if (this.#worker === "machine") {
      for (const workflow of workflows) {
        this.#problems.push(...(await machineProblems(this.#store, workflow, this.#orders)));
      }
    }
    // Two workflows book every order once each.
    const wanted = this.#shop.orders.flatMap(({ id }) =>
      this.#worker === "job" ? bookingsOf(id) : [id],
    );
    this.#skips = skipped.length;
    for (const id of wanted) {
      const count = this.#shop.bookings.filter((booking) => booking.id === id).length;
      // What was given up on may have happened.
      const least = workflows.length - skipped.filter((each) => each === id).length;
      const isRight = least <= count && count <= workflows.length;
      if (!isRight) this.#problems.push(`${id} was booked ${count} times`);
    }
    const reports = await verify(this.#store, { full: true });
    for (const { workflow, problems } of reports) {
      for (const problem of problems) {
        this.#problems.push(`${workflow}: ${JSON.stringify(problem)}`);
      }
    }
  }

  /** The orders whose calls a person skipped. */
  async #givenUp(workflow: string): Promise<readonly string[]> {
    const calls = await this.#rows(workflow, "mutations");
    const skipped = calls.filter(({ resolution }) => resolution?.kind === "skip");
    const inputs = await this.#rows(workflow, "mutation_inputs");
    return inputs
      .filter((each) => skipped.some(({ mutationId }) => mutationId === each.mutationId))
      .map(({ messageId }) => messageId);
  }

  async #rows<T extends TableName>(workflow: string, table: T): Promise<readonly Rows[T][]> {
    const rows: Rows[T][] = [];
    for await (const row of this.#store.scan(workflow, table)) rows.push(row);
    return rows;
  }
}
