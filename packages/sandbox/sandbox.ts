import { availableParallelism } from "node:os";
import { type Hash, hashText } from "@holdfast/core";
import type { CompiledScript } from "./compile/compile-script.ts";
import { loadEngine } from "./engine/abi.ts";
import { boot } from "./engine/boot.ts";
import { Instance } from "./engine/instance.ts";
import type { Failure } from "./failure.ts";
import { limitsAgain, type SandboxLimits, sandboxLimitDefaults } from "./limits.ts";
import { ScriptImages } from "./pool/script-images.ts";
import { type PinnedThread, SlicePool } from "./pool/slice-pool.ts";
import { ThreadLost } from "./pool/slice-thread.ts";
import { guestCode } from "./run/guest-code.ts";
import type { PhaseCall } from "./run/phase.ts";
import {
  endedBefore,
  lostFailure,
  type PhaseOutcome,
  PhaseRun,
  type RunOptions,
} from "./run/phase-run.ts";
import type { ScriptImage } from "./run/slice.ts";
import type { SentSet } from "./steps/run-chains.ts";
import type { Inspected } from "./validate/validate.ts";
import { followUp } from "./worker/serve.ts";

export type SandboxOptions = {
  readonly limits?: Partial<SandboxLimits>;
  readonly threadsMax?: number;
  /** Of all script images together; what was used longest ago goes first. */
  readonly imageBytesMax?: number;
};

/** A script that can be loaded; its image may come and go. */
export type LoadedScript = {
  readonly code: string;
  readonly codeHash: Hash;
  /** JSON of what it declares, functions as {"$function": name}. */
  readonly definition: string;
};

export type LoadResult =
  | { readonly ok: true; readonly script: LoadedScript }
  | { readonly ok: false; readonly failure: Failure };

const imageBytesMax = 268_435_456;
/** The engine does not start with less. */
const heapBytesMin = 12_582_912;

type SentSteps = {
  readonly machines: SentSet | null; // null = calls of `migrate`
  readonly calls: Uint8Array;
  readonly isAgain: boolean;
};

/** Runs untrusted scripts, each phase in an isolate of its own, never in this thread. */
export class Sandbox {
  readonly limits: SandboxLimits;
  readonly #pool: SlicePool;
  readonly #images: ScriptImages;

  private constructor(limits: SandboxLimits, pool: SlicePool, images: ScriptImages) {
    this.limits = limits;
    this.#pool = pool;
    this.#images = images;
  }

  static async open(options: SandboxOptions = {}): Promise<Sandbox> {
    const limits = { ...sandboxLimitDefaults, ...options.limits };
    if (limits.heapBytesMax < heapBytesMin) {
      throw new RangeError(`heapBytesMax has to be at least ${heapBytesMin} bytes.`);
    }
    const engine = loadEngine();
    // Only our own code runs here; all threads begin with the image that comes of it.
    const instance = new Instance(engine, limits.heapBytesMax);
    const { stackBytesMax } = limits;
    const image = boot(instance, { guestCode: await guestCode(), stackBytesMax });
    const pool = new SlicePool(
      { engine, boot: image, limits },
      options.threadsMax ?? availableParallelism(),
    );
    return new Sandbox(limits, pool, new ScriptImages(options.imageBytesMax ?? imageBytesMax));
  }

  async load(code: string): Promise<LoadResult> {
    const codeHash = hashText(new TextEncoder().encode(code));
    const loaded = await this.#load(code);
    if (!loaded.ok) return loaded;
    this.#images.keep(codeHash, loaded.image);
    return { ok: true, script: { code, codeHash, definition: loaded.definition } };
  }

  /** For `validate`: what a script declares, or why it cannot even be loaded. */
  async inspect({ code }: CompiledScript): Promise<Inspected> {
    const loaded = await this.#load(code);
    if (loaded.ok) return { ok: true, definition: JSON.parse(loaded.definition) };
    const { code: failureCode, message, position } = loaded.failure;
    const { line, column } = position ?? { line: null, column: null };
    return { ok: false, code: failureCode, message, line, column };
  }

  /** One phase. Never throws because of the script. */
  async run(script: LoadedScript, call: PhaseCall, options: RunOptions): Promise<PhaseOutcome> {
    const [outcome] = await this.#run(script, call, null, options);
    return outcome;
  }

  /** prepare and, if it reserved anything, mutate: in one go where prepare has not to wait. */
  async runConsumer(
    script: LoadedScript,
    calls: { readonly prepare: PhaseCall; readonly mutate: PhaseCall },
    options: RunOptions,
  ): Promise<{ readonly prepare: PhaseOutcome; readonly mutate: PhaseOutcome | null }> {
    const [prepare, mutate] = await this.#run(script, calls.prepare, calls.mutate, options);
    return { prepare, mutate };
  }

  /** Steps of machines, as `steps/` has them; null = they took the thread with them. */
  async runSteps(
    script: LoadedScript,
    { machines, calls, isAgain }: SentSteps,
  ): Promise<Uint8Array | null> {
    // Asked at once where it can be: who asks has other things to do before it waits.
    const image = this.#images.find(script.codeHash) ?? (await this.#imageOf(script));
    if ("code" in image) throw new Error(`A script cannot be loaded again: ${image.message}`);
    try {
      const request = { kind: "steps", script: image, machines, calls, isAgain } as const;
      const { runningMsMax } = isAgain ? limitsAgain(this.limits) : this.limits;
      const answer = await this.#pool.ask(request, runningMsMax);
      return answer.kind === "steps" ? answer.answers : null;
    } catch (error) {
      if (!(error instanceof ThreadLost)) throw error;
      return null;
    }
  }

  /** Journals of machines, each in one thread as long as it is run. */
  pinThread(): PinnedThread {
    return this.#pool.pin();
  }

  /** Null = it cannot be loaded any more. */
  async findImage(script: LoadedScript): Promise<ScriptImage | null> {
    const image = await this.#imageOf(script);
    return "code" in image ? null : image;
  }

  async close(): Promise<void> {
    await this.#pool.close();
  }

  async #run(
    script: LoadedScript,
    call: PhaseCall,
    follow: PhaseCall | null,
    options: RunOptions,
  ): Promise<readonly [PhaseOutcome, PhaseOutcome | null]> {
    const image = await this.#imageOf(script);
    if ("code" in image) return [endedBefore(call, image), null];
    const parts = { pool: this.#pool, limits: this.limits, image };
    const run = new PhaseRun(call, options, parts);
    const [begun, second] = await run.begin(follow);
    const first = await run.finish(begun);
    if (follow === null) return [first, null];
    if (second !== undefined) {
      return [first, await new PhaseRun(follow, options, parts).finish(second)];
    }
    const later = first.result.kind === "stopped" ? null : followUp(first.result, follow);
    if (later === null) return [first, null];
    const next = new PhaseRun(later, options, parts);
    return [first, await next.finish((await next.begin(null))[0])];
  }

  /** It was loaded before, but a busy machine may not manage it in time again. */
  async #imageOf(script: LoadedScript): Promise<ScriptImage | Failure> {
    const known = this.#images.find(script.codeHash);
    if (known !== null) return known;
    const loaded = await this.#load(script.code);
    if (!loaded.ok) return loaded.failure;
    this.#images.keep(script.codeHash, loaded.image);
    return loaded.image;
  }

  async #load(
    code: string,
  ): Promise<
    | { readonly ok: true; readonly image: ScriptImage; readonly definition: string }
    | { readonly ok: false; readonly failure: Failure }
  > {
    try {
      const answer = await this.#pool.ask({ kind: "load", code }, this.limits.loadingMsMax);
      if (answer.kind === "broken") return { ok: false, failure: answer.failure };
      if (answer.kind !== "load") throw new Error("The thread answered something else.");
      if (answer.answer.kind === "failed") return { ok: false, failure: answer.answer.failure };
      const { script: image, definition } = answer.answer;
      return { ok: true, image, definition };
    } catch (error) {
      if (!(error instanceof ThreadLost)) throw error;
      return { ok: false, failure: lostFailure(error, this.limits.loadingMsMax) };
    }
  }
}
