import { type CanonicalValue, encodeCanonical, invariant } from "@holdfast/core";
import { frameIdentityOf, frameLeaf, type Input, type Kernel } from "@holdfast/core/machine";
import type { OnFrame } from "../engine/ports.ts";
import type { ExecutorKeys } from "./executor-keys.ts";

/** What a connector said on its way, numbered from 1 for each time it is at it. */
type SaidFrame = { readonly seq: number; readonly kind: string; readonly payload: Uint8Array };

type Stream = {
  said: number;
  /** Up to here they are durable, or will be if the turn that took them is. */
  taken: number;
  given: number;
  waiting: SaidFrame[];
};

type FrameInput = Extract<Input, { kind: "frame" }>;

/** Of one intent, until a turn takes them. Those beyond are left out, and the journal says so. */
const waitingMax = 1_000;
const kindCharsMax = 100;

/**
 * Progress of what is under way, on its way to the kernel. It is in memory alone: what a host did
 * not get to make durable is lost with it, and no outcome ever is.
 */
export class Streams {
  readonly #streams = new Map<string, Stream>();
  #wake: (() => void) | null = null;

  /** For one execution of an intent. Whose it is, is known here and not to the connector. */
  begin(intentId: string): OnFrame {
    const stream: Stream = { said: 0, taken: 0, given: 0, waiting: [] };
    this.#streams.set(intentId, stream);
    return ({ kind, payload }) => {
      stream.said += 1;
      if (stream.waiting.length >= waitingMax) return;
      const bytes = bytesOrNull(payload);
      if (bytes === null || !isKind(kind)) return;
      stream.waiting.push({ seq: stream.said, kind, payload: bytes });
      this.#wake?.();
    };
  }

  /** The next thing that is said; at once, if something waits. One waits for it at a time. */
  next(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    if (this.isSaid) resolve();
    return promise;
  }

  /** Something waits for a turn. */
  get isSaid(): boolean {
    const isSaid = ({ waiting, given }: Stream) => (waiting.at(-1)?.seq ?? 0) > given;
    return [...this.#streams.values()].some(isSaid);
  }

  /** What the kernel is given in this turn; the turn before is durable. */
  take(kernel: Kernel, keys: ExecutorKeys): readonly FrameInput[] {
    const inputs: FrameInput[] = [];
    for (const [intentId, stream] of this.#streams) {
      stream.taken = stream.given;
      stream.waiting = stream.waiting.filter(({ seq }) => seq > stream.taken);
      const intent = kernel.intents.get(intentId);
      // Settled: nobody waits for what is still said of it.
      if (intent === undefined) this.#streams.delete(intentId);
      else inputs.push(...signed(intent, keys, stream.waiting));
      stream.given = stream.waiting.at(-1)?.seq ?? stream.given;
    }
    return inputs;
  }

  /** The turn that took the last ones is not durable: they are given again. */
  putBack(): void {
    for (const stream of this.#streams.values()) stream.given = stream.taken;
  }
}

function signed(
  intent: Parameters<typeof frameIdentityOf>[0],
  keys: ExecutorKeys,
  frames: readonly SaidFrame[],
): FrameInput[] {
  const { hash: intentHash, executor } = intent;
  const { module } = executor;
  const leaves = frames.map((each) => frameLeaf({ intentHash, ...each, payloadRef: null, module }));
  const signatures = keys.sign(module, leaves);
  return frames.map(({ seq, kind, payload }, at) => {
    const signature = signatures[at];
    invariant(signature !== undefined, "every frame has its signature");
    const identity = frameIdentityOf(intent);
    const said = { seq, frameKind: kind, payload, payloadRef: null };
    return { kind: "frame", intentHash, identity, ...said, signature };
  });
}

/** What is not exact, or has no bytes, cannot be recorded. */
function bytesOrNull(payload: CanonicalValue): Uint8Array | null {
  try {
    return hasFraction(payload) ? null : encodeCanonical(payload);
  } catch {
    return null;
  }
}

function isKind(kind: unknown): kind is string {
  return typeof kind === "string" && kind.length <= kindCharsMax && kind.isWellFormed();
}

function hasFraction(value: unknown): boolean {
  if (typeof value === "number") return !Number.isInteger(value);
  if (typeof value !== "object" || value === null || value instanceof Uint8Array) return false;
  const inner = value instanceof Map ? [...value].flat() : Object.values(value);
  return inner.some(hasFraction);
}
