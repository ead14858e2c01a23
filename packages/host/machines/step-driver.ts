import type { HostedMachines } from "@holdfast/core";
import {
  type Asking,
  type ChainAnswer,
  cellIdOf,
  foreseeCall,
  isLoad,
  type Kernel,
  type StepAnswer,
  type StepCall,
} from "@holdfast/core/machine";
import type { PartReader } from "./part-reader.ts";

/** The machines of a version that the kernel names by its hash. */
export type MachinesByHash = (hash: string) => HostedMachines;

/** Steps that go to the sandbox in one message. */
const callsPerMessage = 64;
/** Messages under way: while the kernel works one off, the sandbox has the next. */
const messagesMax = 4;

/** A step that was run ahead of its turn. */
type Foreseen = { readonly call: StepCall; readonly answer: StepAnswer };

/** What is known of a cell beyond the step it is at. */
type Ahead = {
  /** In order; the first is for what is at the front of the cell's mailbox. */
  readonly foreseen: Foreseen[];
  /** Asked for, and not answered yet. */
  pendingCount: number;
  /** That the step after all of these is called with; null = it is not known. */
  state: Uint8Array | null;
};

type Chain = { readonly ahead: Ahead; readonly calls: readonly StepCall[] };

/**
 * Answers what the kernel asks for. Cells that are ready do not depend on each other, and a step is
 * called with the state that the one before it left: so steps are run ahead of their turns, many in
 * one message. An answer is used only for exactly the call it was given for.
 */
export class StepDriver {
  readonly #machinesOf: MachinesByHash;
  readonly #parts: PartReader;
  readonly #ahead = new Map<string, Ahead>();
  readonly #underway = new Set<Promise<void>>();
  #failure: { readonly error: unknown } | null = null;
  #isAgain = false;

  constructor(machinesOf: MachinesByHash, parts: PartReader) {
    this.#machinesOf = machinesOf;
    this.#parts = parts;
  }

  /** `isAgain`: its steps stand in the journal. */
  async drive<T>(kernel: Kernel, run: Asking<T>, { isAgain = false } = {}): Promise<T> {
    this.#isAgain = isAgain;
    let next = run.next();
    let taken = 0;
    while (!next.done) {
      const ask = next.value;
      if (isLoad(ask)) {
        next = run.next(await this.#parts.answer(ask));
        continue;
      }
      // Whatever has come in since has its steps in the sandbox while those it has are worked off.
      if (taken++ % callsPerMessage === 0) this.#fill(kernel);
      next = run.next(this.#take(ask) ?? (await this.#answer(kernel, ask)));
    }
    if (kernel.ring.size === 0) this.#ahead.clear();
    return next.value;
  }

  /** Between two frames: while one is kept, the sandbox has steps of the next. */
  runAhead(kernel: Kernel): void {
    this.#fill(kernel);
  }

  async #answer(kernel: Kernel, call: StepCall): Promise<StepAnswer> {
    for (;;) {
      this.#fill(kernel);
      const answer = this.#take(call);
      if (answer !== null) return answer;
      if (this.#underway.size > 0) await Promise.race(this.#underway);
      if (this.#failure !== null) throw this.#failure.error;
    }
  }

  /** Null = it is not known. What was foreseen wrongly is forgotten, with all that followed. */
  #take(call: StepCall): StepAnswer | null {
    const id = cellIdOf(call.machine, call.event.key);
    const ahead = this.#ahead.get(id);
    const first = ahead?.foreseen.shift();
    if (ahead === undefined || first === undefined) return null;
    const isRight = isSame(first.call, call);
    const isLast = ahead.foreseen.length + ahead.pendingCount === 0;
    if (isLast || !isRight) this.#ahead.delete(id);
    return isRight ? first.answer : null;
  }

  /** The kernel waits for a step: its cells are as they will be found. */
  #fill(kernel: Kernel): void {
    while (this.#underway.size < messagesMax) {
      const chains = this.#plan(kernel);
      if (chains.length === 0) return;
      const asked = this.#ask(kernel.set.manifestHash, chains).catch((error: unknown) => {
        this.#failure = { error };
      });
      this.#underway.add(asked);
      void asked.then(() => this.#underway.delete(asked));
    }
  }

  /** The cell whose turn it is comes first. Where few are ready, each gets several steps. */
  #plan(kernel: Kernel): readonly Chain[] {
    const chains: Chain[] = [];
    let left = callsPerMessage;
    const perCell = Math.max(1, Math.floor(callsPerMessage / kernel.ring.size));
    for (const id of kernel.ring) {
      if (left === 0) break;
      const chain = this.#chainOf(kernel, id, Math.min(left, perCell));
      if (chain === null) continue;
      chains.push(chain);
      left -= chain.calls.length;
    }
    return chains;
  }

  #chainOf(kernel: Kernel, id: string, countMax: number): Chain | null {
    const ahead = this.#ahead.get(id) ?? { foreseen: [], pendingCount: 0, state: null };
    if (ahead.pendingCount > 0) return null;
    const from = ahead.foreseen.length;
    if (from > 0 && ahead.state === null) return null;
    const state = from > 0 ? ahead.state : (kernel.cells.get(id)?.state ?? null);
    const calls: StepCall[] = [];
    while (calls.length < countMax) {
      const at = from + calls.length;
      const call = foreseeCall(kernel, id, { at, state: calls.length === 0 ? state : null });
      if (call === null) break;
      calls.push(call);
    }
    if (calls.length === 0) return null;
    ahead.pendingCount = calls.length;
    this.#ahead.set(id, ahead);
    return { ahead, calls };
  }

  async #ask(manifestHash: string, chains: readonly Chain[]): Promise<void> {
    const how = { isAgain: this.#isAgain };
    const all = chains.map(({ calls }) => calls);
    const answers = await this.#machinesOf(manifestHash).run(all, how);
    for (const [at, { ahead, calls }] of chains.entries()) {
      ahead.pendingCount = 0;
      note(ahead, calls, answers[at] ?? []);
    }
  }
}

/** A chain may have ended early: what comes after is asked for again, with what is then so. */
function note(ahead: Ahead, calls: readonly StepCall[], answers: readonly ChainAnswer[]): void {
  if (answers.length === 0) throw new Error("The sandbox answered no step.");
  let state = calls[0]?.state ?? null;
  for (const [at, { answer, left }] of answers.entries()) {
    const call = calls[at];
    if (call === undefined) return;
    ahead.foreseen.push({ call: { ...call, state }, answer });
    state = left;
  }
  ahead.state = state;
}

function isSame(left: StepCall, right: StepCall): boolean {
  return (
    left.machine === right.machine &&
    left.manifestHash === right.manifestHash &&
    left.nowNs === right.nowNs &&
    sameBytes(left.event.key, right.event.key) &&
    sameBytes(left.event.value, right.event.value) &&
    sameBytes(left.state, right.state) &&
    sameBytes(left.ctx, right.ctx) &&
    sameBytes(left.entropy, right.entropy)
  );
}

function sameBytes(left: Uint8Array | null, right: Uint8Array | null): boolean {
  if (left === null || right === null || left === right) return left === right;
  return Buffer.compare(left, right) === 0;
}
