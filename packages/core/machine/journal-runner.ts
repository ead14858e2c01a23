/**
 * A journal that is run again in the thread that has the isolates: a step is a call there and no
 * message. Whoever asks is elsewhere and has the journal and the parts; what the kernel wants of
 * them is the answer, and it goes on when they are there.
 */
import { type Hash, readByteStrings } from "../canonical/index.ts";
import { invariant } from "../ports/invariant.ts";
import { type Answer, type Asking, isLoad } from "./ask.ts";
import type { Kernel, KernelOptions } from "./kernel.ts";
import type { MachineSet } from "./machine-set.ts";
import { type Divergence, emptyKernel, replay } from "./replay.ts";
import { openSnapshot, takeSnapshot } from "./snapshot.ts";
import { type Load, StateFault, type StateFaultCode } from "./state/load.ts";
import type { StepAnswer, StepCall } from "./step.ts";

export type JournalAsk =
  /** `records` is the canonical list of them; they end where a frame does. */
  | { readonly kind: "run"; readonly records: Uint8Array; readonly blobs: readonly KeptBlob[] }
  /** The kernel goes on from what a snapshot says. */
  | { readonly kind: "open"; readonly snapshot: Uint8Array; readonly version: Hash }
  | { readonly kind: "take" }
  /** What was wanted, in its order. */
  | { readonly kind: "parts"; readonly parts: readonly (Uint8Array | null)[] };

export type KeptBlob = readonly [hash: Hash, bytes: Uint8Array];

export type JournalAnswer =
  | { readonly kind: "wants"; readonly hashes: readonly Hash[] }
  /** Null = every record was made again. */
  | { readonly kind: "ran"; readonly divergence: Divergence | null }
  | { readonly kind: "opened"; readonly seq: number }
  | { readonly kind: "taken"; readonly snapshot: Uint8Array; readonly seq: number }
  | { readonly kind: "fault"; readonly code: StateFaultCode; readonly what: string };

type Options = Omit<KernelOptions, "set"> & {
  readonly setOf: (version: Hash) => MachineSet;
  readonly step: (call: StepCall) => StepAnswer;
};

/** What it is at, and what is answered when that is done. */
type Underway<T = unknown> = {
  readonly run: Asking<T>;
  readonly end: (value: T) => JournalAnswer;
};

export class JournalRunner {
  readonly #options: Options;
  #kernel: Kernel;
  #underway: (Underway & { readonly load: Load }) | null = null;
  /** What this kernel made and nobody wrote: nobody else has it. */
  readonly #held = new Map<Hash, Uint8Array>();

  constructor(options: Options) {
    this.#options = options;
    this.#kernel = emptyKernel(options);
  }

  ask(ask: JournalAsk): JournalAnswer {
    try {
      return this.#ask(ask);
    } catch (error) {
      if (!(error instanceof StateFault)) throw error;
      return { kind: "fault", code: error.code, what: error.what };
    }
  }

  #ask(ask: JournalAsk): JournalAnswer {
    switch (ask.kind) {
      case "run":
        return this.#run(ask);
      case "open": {
        const { setOf, step: _, ...options } = this.#options;
        this.#held.clear();
        const run = openSnapshot(ask.snapshot, { ...options, set: setOf(ask.version) });
        return this.#begin({
          run,
          end: (kernel) => {
            this.#kernel = kernel;
            return { kind: "opened", seq: kernel.seq };
          },
        });
      }
      case "take":
        return this.#begin({
          run: takeSnapshot(this.#kernel),
          end: ({ bytes: snapshot, parts }) => {
            for (const { hash, bytes } of parts) this.#held.set(hash, bytes);
            return { kind: "taken", snapshot, seq: this.#kernel.seq };
          },
        });
      case "parts":
        return this.#goOn(ask.parts);
    }
  }

  #run({ records: given, blobs }: Extract<JournalAsk, { kind: "run" }>): JournalAnswer {
    const { setOf, step: _, ...options } = this.#options;
    const known = new Map(blobs);
    const kept = (hash: Hash) => known.get(hash) ?? null;
    const records = readByteStrings(given);
    return this.#begin({
      run: replay(records, { ...options, setOf, kept, from: this.#kernel }),
      end: (replayed) => ({ kind: "ran", divergence: replayed.ok ? null : replayed.divergence }),
    });
  }

  #begin<T>({ run, end }: Underway<T>): JournalAnswer {
    this.#underway = null;
    return this.#drive({ run, end: (value) => end(value as T) }, run.next());
  }

  #goOn(parts: readonly (Uint8Array | null)[]): JournalAnswer {
    const underway = this.#underway;
    invariant(underway !== null, "parts come for what waits for them");
    this.#underway = null;
    const all = this.#loaded(underway.load, parts.values());
    return this.#drive(underway, underway.run.next(all));
  }

  #drive({ run, end }: Underway, first: IteratorResult<StepCall | Load, unknown>): JournalAnswer {
    let next = first;
    while (!next.done) {
      const ask = next.value;
      if (!isLoad(ask)) {
        next = run.next(this.#options.step(ask));
        continue;
      }
      const hashes = ask.hashes.filter((hash) => !this.#held.has(hash));
      if (hashes.length > 0) {
        this.#underway = { run, end, load: ask };
        return { kind: "wants", hashes };
      }
      next = run.next(this.#loaded(ask, [].values()));
    }
    return end(next.value);
  }

  #loaded({ hashes }: Load, given: Iterator<Uint8Array | null>): Answer {
    const parts = hashes.map((hash) => this.#held.get(hash) ?? given.next().value ?? null);
    return { kind: "loaded", parts };
  }
}
