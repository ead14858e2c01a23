/**
 * A kernel with plain functions for steps and a journal in memory, driven as a shell would: a
 * batch, a frame, then what the frame orders. Every step is run twice and must say the same.
 */
import { isDeepStrictEqual } from "node:util";
import {
  type CanonicalRecord,
  type CanonicalValue,
  contentHash,
  decodeCanonical,
  encodeCanonical,
  hashText,
  sha256,
} from "../../canonical/index.ts";
import { createKernel } from "../admit.ts";
import { frameIdentityOf } from "../admit-frame.ts";
import { type Asking, isLoad } from "../ask.ts";
import { cellIdOf, statusOf } from "../cell.ts";
import { compileSet } from "../compile-set.ts";
import type { SetDeclaration } from "../declaration.ts";
import type { ReceiptStatus } from "../effect.ts";
import { joinFrame } from "../frame.ts";
import { guestValue } from "../guest-value.ts";
import { hex } from "../hex.ts";
import type { Admission, FrameInput, Input, ReceiptInput } from "../input.ts";
import type { OpenIntent } from "../intent.ts";
import type { Kernel, Note, Publication } from "../kernel.ts";
import type { MachineLimits } from "../limits.ts";
import type { MachineSet } from "../machine-set.ts";
import { openWork } from "../open-work.ts";
import { type Replayed, replay } from "../replay.ts";
import { type Served, type ServeOptions, serve } from "../serve.ts";
import { frameLeaf, receiptLeaf } from "../signature.ts";
import { openSnapshot, takeSnapshot } from "../snapshot.ts";
import type { Sample } from "../stamp.ts";
import { loadNamed } from "../state/load-cells.ts";
import { keepPiece } from "../state/next-snapshot.ts";
import type { StepAnswer, StepCall } from "../step.ts";
import { closeStepReturn, type StepReturn } from "../step-return.ts";
import { openStepCall } from "../step-values.ts";
import { PartShelf } from "./part-shelf.ts";
import { TestKeys } from "./test-keys.ts";

/** Tests type their own steps; what comes is what the schemas say. */
export type StepFunction = (state: never, event: never, ctx: never) => StepReturn;
/** Steps by the machine's short name. `killed` ends a step from outside, as a clock would. */
export type Steps = { readonly [machine: string]: StepFunction | "killed" };

export type WorldOptions = {
  readonly declaration: Partial<SetDeclaration>;
  readonly steps: Steps;
  readonly limits?: Partial<MachineLimits>;
};

export function setOf(declaration: Partial<SetDeclaration>): MachineSet {
  const { machines, topics, effects } = declaration;
  const compiled = compileSet({
    workflow: "shop",
    manifestHash: contentHash([machines ?? [], topics ?? [], effects ?? []] as CanonicalValue),
    moduleVersion: "script-1",
    topics: [],
    machines: [],
    effects: [],
    ...declaration,
  });
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.problems));
  return compiled.set;
}

/** The key pair every executor of a test has, unless it says otherwise. */
export const keyOf = (module: string): string => `key of ${module}`;

export class MachineWorld {
  kernel: Kernel;
  readonly keys = new TestKeys();
  readonly shelf = new PartShelf();
  readonly journal: Uint8Array[] = [];
  readonly published: Publication[] = [];
  readonly notes: Note[] = [];
  /** What records name by its hash. */
  readonly kept = new Map<string, Uint8Array>();
  steps: Steps;
  nowNs = 1_000n;
  stepCount = 0;
  private readonly sets = new Map<string, MachineSet>();
  private readonly stepsBy = new Map<string, Steps>();
  private readonly limits: Partial<MachineLimits>;
  private samples = 0;

  constructor({ declaration, steps, limits = {} }: WorldOptions) {
    const set = setOf(declaration);
    this.steps = steps;
    this.limits = limits;
    this.addSet(set);
    this.kernel = createKernel({ set, keys: this.keys, limits }, this.sample());
    this.give([]);
  }

  /** `steps`: of this version alone; absent = those of all others. */
  addSet(set: MachineSet, steps?: Steps): void {
    this.sets.set(set.manifestHash, set);
    if (steps !== undefined) this.stepsBy.set(set.manifestHash, steps);
    for (const { executor } of set.effects.values()) {
      const keyId = keyOf(executor.module);
      if (this.keys.moduleOf(keyId) === null) this.keys.add(keyId, executor.module);
    }
  }

  sample(): Sample {
    const half = sha256(encodeCanonical(["entropy", this.samples++]));
    return { nowNs: this.nowNs, entropy: new Uint8Array([...half, ...half.toReversed()]) };
  }

  /** One batch: served, made durable, and what it orders given out. */
  give(
    inputs: readonly Input[],
    turnsMax = Number.POSITIVE_INFINITY,
    bounds: Omit<ServeOptions, "turnsMax"> = {},
  ): Served {
    const batch = inputs.map((input) => ({ input, sample: this.sample() }));
    const served = this.drive(serve(this.kernel, batch, { turnsMax, ...bounds }));
    this.notes.push(...served.notes);
    for (const bytes of served.kept) this.kept.set(hashText(bytes), bytes);
    if (served.frame !== null) {
      const joined = joinFrame(this.journal.length, served.frame);
      if (!joined.ok) throw new Error(joined.code);
      this.journal.push(...served.frame.records);
    }
    this.published.push(...this.kernel.flushed(this.journal.length));
    return served;
  }

  drive<T>(run: Asking<T>): T {
    let next = run.next();
    while (!next.done) {
      const ask = next.value;
      next = run.next(isLoad(ask) ? this.shelf.answer(ask) : this.step(ask));
    }
    return next.value;
  }

  private setBy(manifestHash: string): MachineSet {
    const set = this.sets.get(manifestHash);
    if (set === undefined) throw new Error(`no set ${manifestHash}`);
    return set;
  }

  private step(call: StepCall): StepAnswer {
    this.stepCount++;
    const set = this.setBy(call.manifestHash);
    const name = call.machine.replace(/^[^/]*\//, "").replace(/@\d+$/, "");
    const step = (this.stepsBy.get(call.manifestHash) ?? this.steps)[name];
    if (step === undefined) throw new Error(`no step for ${name}`);
    if (step === "killed") return { kind: "killed", reason: "wall" };
    const [first, second] = [this.run(step, set, call), this.run(step, set, call)];
    if (!isDeepStrictEqual(first, second)) throw new Error(`${name} is not deterministic`);
    return first;
  }

  private run(step: StepFunction, set: MachineSet, call: StepCall): StepAnswer {
    const { state, event, ctx } = openStepCall(set, call);
    try {
      return closeStepReturn(step(state as never, event as never, ctx as never));
    } catch (error) {
      return { kind: "fault", code: "step.threw", note: String(error) };
    }
  }

  event(topic: string, value: CanonicalValue, key: CanonicalValue | null = null): Input {
    const keyBytes = key === null ? null : encodeCanonical(key);
    return { kind: "event", topic, value: encodeCanonical(value), key: keyBytes, messageId: null };
  }

  send(topic: string, value: CanonicalValue): Admission {
    return this.one(this.event(topic, value));
  }

  one(input: Input): Admission {
    const [answer] = this.give([input]).answers;
    if (answer === undefined) throw new Error("no answer");
    return answer;
  }

  open(effect?: string): readonly OpenIntent[] {
    return openWork(this.kernel).filter(
      (intent) => effect === undefined || intent.effect === effect,
    );
  }

  firstOpen(effect?: string): OpenIntent {
    const [first] = this.open(effect);
    if (first === undefined) throw new Error(`nothing is open of ${effect ?? "any effect"}`);
    return first;
  }

  receipt(
    intent: OpenIntent,
    status: ReceiptStatus,
    payload: CanonicalValue | Uint8Array,
    keyId: string = keyOf(intent.executor.module),
  ): ReceiptInput {
    const bytes = payload instanceof Uint8Array ? payload : encodeCanonical(payload);
    const { hash: intentHash, executor } = intent;
    const statement = { intentHash, status, payload: bytes, costCents: 7n, ...executor };
    const [signature] = this.keys.sign(keyId, [receiptLeaf(statement)]);
    if (signature === undefined) throw new Error(`no key ${keyId}`);
    const { moduleHash } = executor;
    return {
      kind: "receipt",
      intentHash,
      status,
      payload: bytes,
      costCents: 7n,
      moduleHash,
      signature,
    };
  }

  settle(intent: OpenIntent, status: ReceiptStatus, payload: CanonicalValue): Admission {
    return this.one(this.receipt(intent, status, payload));
  }

  frame(intent: OpenIntent, seq: number, payload: CanonicalValue): FrameInput {
    const bytes = encodeCanonical(payload);
    const { hash: intentHash, executor } = intent;
    const kind = "progress";
    const { module } = executor;
    const leaf = frameLeaf({ intentHash, seq, kind, payload: bytes, payloadRef: null, module });
    const [signature] = this.keys.sign(keyOf(module), [leaf]);
    if (signature === undefined) throw new Error("no key");
    const identity = frameIdentityOf(intent);
    const rest = { seq, frameKind: kind, payload: bytes, payloadRef: null, signature };
    return { kind: "frame", intentHash, identity, ...rest };
  }

  cellId(machine: string, key: CanonicalValue | null = null): string {
    const name = [...this.kernel.set.machines.keys()].find((each) => each.includes(`/${machine}@`));
    return cellIdOf(name ?? machine, key === null ? null : encodeCanonical(key));
  }

  /** The state as a script would see it; undefined = there is no such cell. */
  state(machine: string, key: CanonicalValue | null = null): CanonicalValue | undefined {
    const cell = this.cell(machine, key);
    if (cell === undefined) return undefined;
    const compiled = this.kernel.set.machines.get(cell.machine)?.state;
    if (cell.state === null || compiled === undefined) return null;
    return guestValue(compiled.schema, compiled.decode(cell.state), this.kernel.set.names);
  }

  status(machine: string, key: CanonicalValue | null = null): string {
    const cell = this.cell(machine, key);
    return cell === undefined ? "none" : statusOf(cell);
  }

  private cell(machine: string, key: CanonicalValue | null) {
    const id = this.cellId(machine, key);
    const name = {
      machine: id.split("::")[0] ?? "",
      key: key === null ? null : encodeCanonical(key),
    };
    this.drive(loadNamed(this.kernel, name));
    return this.kernel.cells.get(id);
  }

  /** Its parts are kept as a store would. */
  snapshot(kernel: Kernel = this.kernel): Uint8Array {
    const { bytes, parts } = this.drive(takeSnapshot(kernel));
    this.shelf.keep(parts);
    return bytes;
  }

  /** So many changes of the next snapshot are kept ahead of it. */
  piece(countMax: number): void {
    this.shelf.keep(this.drive(keepPiece(this.kernel, countMax)));
  }

  records(kind?: string): readonly CanonicalRecord[] {
    const all = this.journal.map((bytes) => decodeCanonical(bytes) as CanonicalRecord);
    return all.filter(
      (each) => kind === undefined || each["kind"] === kind || each["name"] === kind,
    );
  }

  /** `upTo`: only so many records, as after a crash. `from`: goes on from a kernel. */
  replay(given: { upTo?: number; from?: Kernel; journal?: readonly Uint8Array[] } = {}): Replayed {
    const { from, journal = this.journal } = given;
    const records = journal.slice(from === undefined ? 0 : from.seq, given.upTo ?? journal.length);
    const find = (hash: string) => this.setBy(hash);
    const kept = (hash: string) => this.kept.get(hash) ?? null;
    const options = { keys: this.keys, limits: this.limits, setOf: find, kept };
    return this.drive(replay(records, from === undefined ? options : { ...options, from }));
  }

  /** Why a second run does not end where the first one did; null = to the byte, it does. */
  whyReplayDiffers(): string | null {
    const full = this.replay();
    if (!full.ok) return `full: ${JSON.stringify(full.divergence.code)} at ${full.divergence.seq}`;
    const live = hex(this.snapshot());
    if (hex(this.snapshot(full.kernel)) !== live) return "full: another end";
    const half = this.replay({ upTo: this.cut() });
    if (!half.ok) return `half: ${half.divergence.code} at ${half.divergence.seq}`;
    const restored = this.restored(half.kernel);
    const tail = this.replay({ from: restored });
    if (!tail.ok) return `tail: ${tail.divergence.code} at ${tail.divergence.seq}`;
    return hex(this.snapshot(tail.kernel)) === live ? null : "tail: another end";
  }

  /** A place in the middle between two inputs or turns: the records of one belong together. */
  private cut(): number {
    const half = Math.max(1, Math.floor(this.journal.length / 2));
    const starts = this.records().flatMap(({ kind, outside, seq, name }) => {
      const isStart = outside === true || kind === "step" || name === "workflow.step_fault";
      return isStart && Number(seq) > half ? [Number(seq) - 1] : [];
    });
    return starts[0] ?? this.journal.length;
  }

  restored(kernel: Kernel = this.kernel): Kernel {
    const { set } = kernel;
    const options = { set, keys: this.keys, limits: this.limits };
    return this.drive(openSnapshot(this.snapshot(kernel), options));
  }
}
