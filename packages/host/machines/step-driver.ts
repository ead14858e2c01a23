import type { HostedMachines } from "@holdfast/core";
import {
  cellIdOf,
  foreseeCalls,
  type Kernel,
  type StepAnswer,
  type StepCall,
} from "@holdfast/core/machine";

/** The machines of a version that the kernel names by its hash. */
export type MachinesByHash = (hash: string) => HostedMachines;

/** Steps that go to the sandbox in one message. */
const callsPerMessage = 64;

/**
 * Answers what the kernel asks for. Cells that are ready do not depend on each other, so their next
 * steps are run together; an answer is used only for exactly the call it was given for.
 */
export class StepDriver {
  readonly #machinesOf: MachinesByHash;
  readonly #foreseen = new Map<string, { readonly call: StepCall; readonly answer: StepAnswer }>();

  constructor(machinesOf: MachinesByHash) {
    this.#machinesOf = machinesOf;
  }

  async drive<T>(kernel: Kernel, run: Generator<StepCall, T, StepAnswer>): Promise<T> {
    let next = run.next();
    while (!next.done) next = run.next(await this.#answer(kernel, next.value));
    this.#foreseen.clear();
    return next.value;
  }

  async #answer(kernel: Kernel, call: StepCall): Promise<StepAnswer> {
    const known = this.#take(call);
    if (known !== null) return known;
    const calls = [
      call,
      ...foreseeCalls(kernel, callsPerMessage).filter((each) => !isSame(each, call)),
    ];
    const answers = await this.#machinesOf(call.manifestHash).run(calls);
    for (const [at, each] of calls.entries()) {
      const answer = answers[at];
      if (answer !== undefined) this.#foreseen.set(placeOf(each), { call: each, answer });
    }
    const answer = this.#take(call);
    if (answer === null) throw new Error("The sandbox answered no step.");
    return answer;
  }

  #take(call: StepCall): StepAnswer | null {
    const found = this.#foreseen.get(placeOf(call));
    this.#foreseen.delete(placeOf(call));
    return found !== undefined && isSame(found.call, call) ? found.answer : null;
  }
}

function placeOf({ machine, event }: StepCall): string {
  return cellIdOf(machine, event.key);
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
  if (left === null || right === null) return left === right;
  return Buffer.compare(left, right) === 0;
}
