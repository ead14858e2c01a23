import { encodeCanonical, type Store } from "@holdfast/core";
import fc from "fast-check";
import { expect } from "vitest";
import { verify } from "../verify/verify.ts";
import { WorkflowOwner } from "../workflow-owner.ts";
import { likelyKind } from "./likely-command.ts";
import { type Choice, makers } from "./random-command.ts";
import { Shadow } from "./shadow.ts";

const workflows = ["orders", "mail", "bills"];

/** `npm run soak` plays more of the same. */
export const fuzzScale = Number(process.env["HOLDFAST_FUZZ_SCALE"] ?? 1);

export type Step = Choice & { readonly advanceMs: number; readonly stale: number };

export const histories = fc.array(
  fc.record<Step>({
    op: fc.nat(2_000),
    a: fc.nat(40),
    b: fc.nat(40),
    advanceMs: fc.constantFrom(0, 1, 500, 5_000, 60_000, 3_600_000),
    stale: fc.nat(9),
  }),
  { minLength: 5, maxLength: 45 },
);

const ghostsMax = 3;

/** Several workflows in one store, each with its owner and a fold that only reads the journal. */
class World {
  now = 1_000_000;
  private readonly store: Store;
  private readonly owners = new Map<string, WorkflowOwner>();
  private readonly shadows = new Map<string, Shadow>();
  /** Owners that were taken over and go on trying, with ever staler heads. */
  private readonly ghosts: WorkflowOwner[] = [];
  private hostCount = 0;

  constructor(store: Store) {
    this.store = store;
  }

  async start(): Promise<void> {
    for (const workflow of workflows) {
      await this.store.createWorkflow(workflow);
      this.shadows.set(workflow, new Shadow(this.store, workflow));
    }
    await this.takeOver();
  }

  /** A new host takes everything; whoever owned it before is now stale. */
  async takeOver(): Promise<ReadonlyMap<string, WorkflowOwner>> {
    const before = new Map(this.owners);
    if (this.hostCount > 0) await this.store.closeHost(`fuzz${this.hostCount}`);
    this.hostCount += 1;
    const incarnation = `fuzz${this.hostCount}`;
    await this.store.openHost({ incarnation, leaseMs: 10_000_000_000 });
    for (const workflow of workflows) await this.wake(workflow);
    const { claims } = await this.store.claim(incarnation, 10);
    expect(claims.map((claim) => claim.workflow).sort()).toEqual([...workflows].sort());
    for (const claim of claims)
      this.owners.set(claim.workflow, new WorkflowOwner(this.store, claim));
    return before;
  }

  private async wake(workflow: string): Promise<void> {
    const commandId = `wake ${this.hostCount}`;
    const body = encodeCanonical({});
    const command = { commandId, workflow, actor: "ann", kind: "run_now", body, at: this.now };
    await this.store.appendCommand(command);
  }

  /** All workflows act at once, so that their changes share groups; a stale one joins in. */
  async step(step: Step): Promise<void> {
    this.now += step.advanceMs;
    if (step.stale === 0) this.ghosts.push(...(await this.takeOver()).values());
    const ghosts = this.ghosts.slice(-ghostsMax);
    // What they are given is made of how it is now: one that looks later would be ahead of it.
    for (const ghost of ghosts) await ghost.loadView();
    const acts = workflows.map((workflow, index) => this.act(workflow, step, index));
    const stale = ghosts.map((owner) => this.actStale(owner, step));
    await Promise.all([...acts, ...stale]);
    for (const shadow of this.shadows.values()) await shadow.followAndCompare();
  }

  private async act(workflow: string, step: Step, index: number): Promise<void> {
    const owner = this.owners.get(workflow);
    const shadow = this.shadows.get(workflow);
    if (!owner || !shadow) throw new Error(`${workflow} has no owner`);
    const choice = { op: step.op + index * 7, a: step.a + index, b: step.b + index * 3 };
    const kind = likelyKind(shadow.view, choice);
    const command = makers[kind]({ view: shadow.view, now: this.now, choice });
    const executed = await owner.execute([command], this.now);
    if (executed.kind === "lost") {
      throw new Error(`${kind} was decided but not taken: ${JSON.stringify(executed.answer)}`);
    }
    const created = (await owner.loadView()).find("workflows") !== null;
    if (!created) return;
    for (const answer of await owner.foldInbox(this.now, 10)) expect(answer.kind).toBe("done");
  }

  /** Its change may be refused by the core; if it reaches the store it must not land. */
  private async actStale(owner: WorkflowOwner, step: Step): Promise<void> {
    const shadow = this.shadows.get(owner.workflow);
    if (!shadow) throw new Error("no shadow");
    const command = makers[likelyKind(shadow.view, step)]({
      view: shadow.view,
      now: this.now,
      choice: step,
    });
    const executed = await owner.execute([command], this.now);
    if (executed.kind === "lost") expect(executed.answer.kind).toBe("lease_lost");
    else if (executed.kind === "done") expect(executed.actions).toEqual([]);
  }
}

/** Plays a history on several workflows at once and compares after every step. */
export async function playThrough(store: Store, played: readonly Step[]): Promise<void> {
  const world = new World(store);
  await world.start();
  for (const step of played) await world.step(step);
  const reports = await verify(store, { full: true });
  expect(reports.flatMap((report) => report.problems)).toEqual([]);
}

export const fixed = { clock: () => 0, newIncarnation: () => "fuzz" };
