import type { MessagePort } from "node:worker_threads";
import type { Anchors, BootImage } from "../engine/boot.ts";
import type { Image } from "../engine/image.ts";
import type { Failure } from "../failure.ts";
import type { SandboxLimits } from "../limits.ts";
import type { PhaseCall, PhaseState } from "../run/phase.ts";
import type { LoadAnswer, ScriptImage, Settlement, SliceEnd } from "../run/slice.ts";
import type { JournalRequest, JournalResult } from "../steps/journals.ts";
import type { SentSet } from "../steps/run-chains.ts";

/** What every thread is started with. */
export type WorkerStart = {
  readonly engine: WebAssembly.Module;
  readonly boot: BootImage;
  readonly limits: SandboxLimits;
};

export type ThreadStart = WorkerStart & {
  readonly port: MessagePort;
  /** Shared: requests after the first number, through the second, are nobody's any more. */
  readonly sentBack: Int32Array;
};

/** What a thread does between two messages; it keeps nothing of it, but for journals. */
export type SliceRequest =
  | { readonly kind: "load"; readonly code: string }
  | {
      readonly kind: "start";
      readonly script: ScriptImage;
      readonly call: PhaseCall;
      /** Taken up at once if the first phase returned with reservations. */
      readonly follow: PhaseCall | null;
    }
  /** Steps of machines, which wait for nothing: each begins with the script's image. */
  | {
      readonly kind: "steps";
      readonly script: ScriptImage;
      readonly machines: SentSet | null; // null = calls of `migrate`
      readonly calls: Uint8Array;
      /** They came to an end by themselves before, and have more time. */
      readonly isAgain: boolean;
    }
  /** More of a journal that is run again, or the first of it. */
  | JournalRequest
  | {
      readonly kind: "resume";
      readonly anchors: Anchors;
      readonly call: PhaseCall;
      readonly at: {
        readonly image: Image;
        readonly state: PhaseState;
        readonly settled: readonly Settlement[];
      };
    };

/** A request on its way to a thread. */
export type Asked = {
  readonly number: number;
  readonly request: SliceRequest;
  /** Nobody else asks for anything: the next request will come from whoever gets this answer. */
  readonly isAlone: boolean;
};

/** Null = it was passed over, because it was sent back. */
export type Answered = {
  readonly number: number;
  readonly answer: SliceAnswer | null;
  /** What the thread itself was busy with it. */
  readonly tookMs: number;
};

export type SliceAnswer =
  | { readonly kind: "load"; readonly answer: LoadAnswer }
  /** One end for each phase that was begun. */
  | { readonly kind: "run"; readonly ends: readonly SliceEnd[] }
  | { readonly kind: "steps"; readonly answers: Uint8Array }
  | { readonly kind: "journal"; readonly result: JournalResult }
  /** The engine broke; the thread has a new one. */
  | { readonly kind: "broken"; readonly failure: Failure };
