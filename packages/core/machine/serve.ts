import { admit } from "./admit.ts";
import type { Asking } from "./ask.ts";
import type { Frame } from "./frame.ts";
import type { Admission, Input } from "./input.ts";
import type { Kernel, Note } from "./kernel.ts";
import type { Sample } from "./stamp.ts";
import { loadAhead, loadFor, wantsPast } from "./state/load-cells.ts";
import { takeTurn } from "./turn.ts";

export type Given = { readonly input: Input; readonly sample: Sample };

export type Served = {
  /** To be made durable; what it orders comes from `kernel.flushed` afterwards. */
  readonly frame: Frame | null; // null = nothing was recorded
  /** What its records name by hash; durable with them. */
  readonly kept: readonly Uint8Array[];
  readonly answers: readonly Admission[]; // one per input, in order
  readonly notes: readonly Note[];
  readonly isDrained: boolean; // false = cells are ready, and the turns were used up
};

export type ServeOptions = {
  readonly turnsMax: number;
  /** So much of what waits is left to the next frame: its steps can be run ahead of it. */
  readonly leave?: number;
  /** Once so many intents were opened the others have the next frame; absent = however many. */
  readonly opensMax?: number;
};

/** A frame is one value in the store; what it takes in is bounded by whoever gives it. */
const frameBytesMax = 16 * 1_048_576;
/** They have their turns however much is open: nobody waits for ever because others ask much. */
const turnsLeast = 64;

/** Takes a batch of inputs in, then gives the ready cells their turns, one step each. */
export function* serve(
  kernel: Kernel,
  batch: readonly Given[],
  { turnsMax, leave = 0, opensMax = Number.POSITIVE_INFINITY }: ServeOptions,
): Asking<Served> {
  const answers: Admission[] = [];
  for (const { input, sample } of batch) {
    if (wantsPast(input)) yield* loadFor(kernel, input);
    answers.push(admit(kernel, input, sample));
  }
  yield* loadAhead(kernel);
  const turns = leave === 0 ? turnsMax : Math.min(turnsMax, waitingCount(kernel) - leave);
  const openMax = kernel.intents.size + opensMax;
  for (let turn = 0; turn < turns && kernel.ring.size > 0; turn++) {
    if (turn > 0 && kernel.recordBytes > frameBytesMax) break;
    if (turn >= turnsLeast && kernel.intents.size >= openMax) break;
    yield* takeTurn(kernel);
  }
  return {
    frame: kernel.takeFrame(),
    kept: kernel.takeKept(),
    answers,
    notes: kernel.takeNotes(),
    isDrained: kernel.ring.size === 0,
  };
}

function waitingCount({ ring, cells }: Kernel): number {
  let count = 0;
  for (const id of ring) count += cells.get(id)?.mailbox.count ?? 0;
  return count;
}
