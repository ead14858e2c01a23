import {
  type ActivateVersion,
  type CanonicalValue,
  encodeCanonical,
  type InboxKind,
  type MutationRow,
} from "@holdfast/core";
import type { Problem } from "@holdfast/sandbox";
import type { Json } from "@holdfast/sdk";
import { type CommandBody, commandOf, type PersonsAnswer } from "./answer-command.ts";
import { type CrashPoint, isAt } from "./crash-point.ts";
import { type DeployableScript, makeDeployable } from "./deployable-script.ts";
import { durationMs, instantOf } from "./duration.ts";
import { findUnsound } from "./find-unsound.ts";
import { type GivenScript, sourceOf } from "./given-script.ts";
import type { Question } from "./look.ts";
import { eventFor, findDivergence, watchedMachines } from "./machines.ts";
import { replayedScript } from "./replayed-script.ts";
import { SeenWorkflow } from "./seen-workflow.ts";
import { TestError } from "./test-error.ts";
import type { TestWorld } from "./test-world.ts";

export type WorkflowTestParts = {
  readonly world: TestWorld;
  readonly alwaysReplay: boolean;
  /** Somebody who knows what happened answers what a crash has made uncertain. */
  readonly isOmniscient: boolean;
};

/** An event as `ctx.publish` takes it: with a payload, or flat. */
export type GivenEvent = {
  readonly messageId: string;
  readonly title?: string;
  readonly payload?: Json;
  readonly [field: string]: Json | undefined;
};

/** Who gives the commands of a test. */
const actor = "tester";

export type DeployOptions = {
  readonly major?: boolean;
  /** Of a major version: what becomes of what was worked off before. */
  readonly progress?: ActivateVersion["progress"];
};

/**
 * One workflow in memory, run by the real engine in the real sandbox. Nothing happens by itself:
 * `settle` lets the host work until there is nothing to do now, `advance` lets time pass. What it
 * shows is what the store holds since the last of them, or since the last command.
 */
export class WorkflowTest extends SeenWorkflow implements AsyncDisposable {
  /** Problems of the script that do not keep it from being deployed. */
  warnings: readonly Problem[] = [];
  readonly #alwaysReplay: boolean;
  readonly #isOmniscient: boolean;
  #crash: { readonly point: CrashPoint; readonly times: number } | null = null;
  #version: readonly [major: number, minor: number] = [1, 0];
  #commands = 0;

  private constructor(workflow: string, { world, alwaysReplay, isOmniscient }: WorkflowTestParts) {
    super(workflow, world);
    this.#alwaysReplay = alwaysReplay;
    this.#isOmniscient = isOmniscient;
    const outer = world.onPass;
    world.onPass = (boundary) => {
      if (this.#crash === null || !isAt(this.#crash.point, boundary)) return outer(boundary);
      const { point, times } = this.#crash;
      this.#crash = times > 1 ? { point, times: times - 1 } : null;
      return true;
    };
  }

  /** Under the name that the script gives itself. */
  static async open(parts: WorkflowTestParts, script: GivenScript): Promise<WorkflowTest> {
    const { store, outside } = parts.world;
    const deployable = await makeDeployable(sourceOf(script), outside);
    await store.createWorkflow(deployable.name);
    const test = new WorkflowTest(deployable.name, parts);
    await test.#activate(deployable);
    return test;
  }

  /** Works until there is nothing to do now, through crashes and takeovers; then verifies. */
  async settle(): Promise<void> {
    await this.#work();
    await this.lookAgain();
    const faults = await this.#findUnsound();
    if (faults.length > 0) throw new TestError("not_sound", faults.join("\n  "));
    this.#checkCrashed();
  }

  /** Lets time pass: schedules, back-offs and `wakeAt` fire on the way, each at its time. */
  async advance(duration: string | number): Promise<void> {
    await this.#advanceTo(this.world.now + durationMs(duration));
  }

  /** The same, up to a time. */
  async advanceTo(time: string | number | Date): Promise<void> {
    const end = instantOf(time);
    if (end < this.world.now) {
      throw new TestError("test_invalid", `it is ${this.now} already; time does not go back`);
    }
    await this.#advanceTo(end);
  }

  /** A person publishes an event by hand. */
  async publish(topic: string, event: GivenEvent): Promise<void> {
    const { messageId, title = null, payload, ...flat } = event;
    const bytes = encodeCanonical(JSON.parse(JSON.stringify(payload ?? flat)) as CanonicalValue);
    await this.command("publish_event", { topic, messageId, payload: bytes, title });
  }

  /** An event for one cell of a machine, or for the only one. */
  async send(
    machine: string,
    event: unknown,
    { cell }: { readonly cell?: unknown } = {},
  ): Promise<void> {
    const script = this.world.scripts.get(this.seen.workflow?.scriptHash ?? "");
    if (script === undefined) throw new Error("nothing was deployed");
    await this.command("send_to_machine", eventFor(script, { machine, event, cell }));
  }

  /** A person's answer to a question. What `happened` gave is its `result`. */
  async answer(
    question: Question | undefined,
    answer: PersonsAnswer,
    { result = null }: { readonly result?: Json } = {},
  ): Promise<void> {
    if (question === undefined) throw new TestError("test_invalid", "nobody was asked anything");
    const openRun = this.runs().find(({ open }) => open)?.runId ?? null;
    const [kind, body] = commandOf(question, answer, { result, openRun });
    await this.command(kind, body);
  }

  async pause(): Promise<void> {
    await this.command("pause_workflow", {});
  }

  async resume(): Promise<void> {
    await this.command("resume_workflow", {});
  }

  /** Every producer is due now, scheduled or not. */
  async runNow(): Promise<void> {
    await this.command("run_now", {});
  }

  /** Any command of the inbox; throws when it is refused. */
  async command<K extends InboxKind>(kind: K, body: CommandBody<K>): Promise<void> {
    const { world, workflow } = this;
    this.#commands += 1;
    const commandId = `c-${this.#commands}`;
    const bytes = encodeCanonical(body as unknown as CanonicalValue);
    const { now: at } = world;
    await world.store.appendCommand({ commandId, workflow, actor, kind, body: bytes, at });
    await world.work(({ answered }) => answered.has(commandId));
    const verdict = await world.store.findVerdict(workflow, commandId);
    await this.lookAgain();
    if (verdict === null) throw new Error(`${kind} was not answered`);
    if (verdict.accepted) return;
    const text = `${kind} was refused (${verdict.refusal}): ${verdict.note}`;
    throw new TestError("command_refused", text);
  }

  /** A minor version mends the code; one that declares something else has to be a major one. */
  async deploy(
    script: GivenScript,
    { major = false, progress = "keep" }: DeployOptions = {},
  ): Promise<void> {
    const next = await makeDeployable(sourceOf(script), this.world.outside);
    const [before, after] = this.#version;
    this.#version = major ? [before + 1, 0] : [before, after + 1];
    await this.#activate(next, progress);
  }

  /**
   * The host dies the next time it comes to this point, and another one takes over when the lease
   * has ended; `times` says how many die there. The next `settle` or `advance` has to get there.
   */
  crashHere(point: CrashPoint, { times = 1 }: { readonly times?: number } = {}): void {
    this.#crash = { point, times };
  }

  async close(): Promise<void> {
    await this.world.store.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #activate(
    { hosted, version, warnings }: DeployableScript,
    progress: DeployOptions["progress"] = "keep",
  ): Promise<void> {
    const twice = this.#alwaysReplay;
    const script = watchedMachines(twice ? replayedScript(hosted) : hosted, {
      onSteps: (count) => this.world.noteSteps(count),
      onDiffers: (error) => this.world.fail(error),
      twice,
    });
    this.world.scripts.set(version.scriptHash, script);
    this.warnings = warnings;
    const [major, minor] = this.#version;
    await this.command("activate_version", { major, minor, ...version, progress });
  }

  async #work(): Promise<number> {
    let lives = await this.world.work();
    for (;;) {
      const unknown = this.#isOmniscient ? await this.#leftUnknown() : undefined;
      if (unknown === undefined) return lives;
      await this.#tellTruth(unknown);
      lives += await this.world.work();
    }
  }

  async #advanceTo(end: number): Promise<void> {
    const { world } = this;
    await this.#work();
    for (;;) {
      const dueAt = await world.store.nextDueAt();
      if (dueAt === null || dueAt > end) break;
      world.now = Math.max(world.now, dueAt);
      if ((await this.#work()) > 0) continue;
      throw new TestError("workflow_broken", "it is due, and no host can take it");
    }
    world.now = Math.max(world.now, end);
    await this.settle();
  }

  /** A mutation that a host was sending when it died. */
  async #leftUnknown(): Promise<MutationRow | undefined> {
    await this.lookAgain();
    return this.seen.mutations.find(
      ({ state, resolution, senderIncarnation }) =>
        state === "indeterminate" &&
        resolution === null &&
        this.world.dead.has(senderIncarnation ?? ""),
    );
  }

  /** Looks at the service itself; that it did not happen can only be said when all is quiet. */
  async #tellTruth({ mutationId, providerKey, quietFrom }: MutationRow): Promise<void> {
    const { world } = this;
    const applied = world.outside.applied.get(providerKey);
    if (applied !== undefined) {
      const answer = { says: "happened", result: applied.result } as const;
      return this.command("resolve_mutation", { mutationId, answer });
    }
    world.now = Math.max(world.now, quietFrom ?? 0);
    // biome-ignore lint/suspicious/noThenProperty: the word of the contract; never awaited
    const answer = { says: "did_not_happen", then: null } as const;
    return this.command("resolve_mutation", { mutationId, answer });
  }

  async #findUnsound(): Promise<readonly string[]> {
    const { store, now, outside, scripts } = this.world;
    const { workflow } = this;
    return [
      ...(await findUnsound(store, workflow, { now, applied: outside.applied })),
      ...(await findDivergence({ store, workflow, scripts })),
    ];
  }

  #checkCrashed(): void {
    if (this.#crash === null) return;
    const { point } = this.#crash;
    this.#crash = null;
    throw new TestError("crash_not_reached", `no host came to the point "${point}"`);
  }
}
