import { isDeepStrictEqual } from "node:util";
import {
  type CanonicalValue,
  decodeCanonical,
  encodeCanonical,
  type HostedMachines,
  type Instant,
} from "@holdfast/core";
import { contentSha256 } from "@holdfast/core/canonical";
import {
  type Asking,
  addressEvent,
  createKernel,
  type Input,
  isLoad,
  type Kernel,
  type OpenIntent,
  openWork,
  placeCell,
  placeIntent,
  type ReceiptKeys,
  type Sample,
  type Served,
  type StepAnswer,
  type StepCall,
  serve,
} from "@holdfast/core/machine";
import { StepReceipt } from "./step-receipt.ts";
import { TestError } from "./test-error.ts";

/** Who answers a step: the sandbox, or the test itself. */
export type Stepper = (call: StepCall) => Promise<StepAnswer>;

/** A test says what came back; that it is the executor's word is not what is tested here. */
export const trustingKeys: ReceiptKeys = { moduleOf: (keyId) => keyId, verify: () => true };

/** Every step is run twice, and has to say the same. */
export function sandboxed(machines: HostedMachines): Stepper {
  return async (call) => {
    const [first, second] = [await runOne(machines, call), await runOne(machines, call)];
    if (isDeepStrictEqual(first, second)) return first;
    const text = `a step of ${call.machine}, run again on the same inputs, did something else`;
    throw new TestError("replay_differs", text);
  };
}

async function runOne(machines: HostedMachines, call: StepCall): Promise<StepAnswer> {
  const [chain] = await machines.run([[call]]);
  const answer = chain?.[0]?.answer;
  if (answer === undefined) throw new Error("the sandbox answered no step");
  return answer;
}

type Named = { readonly machine: string; readonly key: Uint8Array | null };

/** A kernel in memory that nobody keeps, and its journal. */
export class StepKernel {
  readonly kernel: Kernel;
  readonly journal: Uint8Array[] = [];
  readonly #step: Stepper;
  readonly #nowNs: bigint;
  #samples = 0;

  constructor({ set }: HostedMachines, step: Stepper, now: Instant) {
    this.#step = step;
    this.#nowNs = BigInt(now) * 1_000_000n;
    this.kernel = createKernel({ set, keys: trustingKeys }, this.#sample());
  }

  async drive<T>(run: Asking<T>): Promise<T> {
    let next = run.next();
    while (!next.done) {
      if (isLoad(next.value)) throw new Error("nothing of this kernel is kept elsewhere");
      next = run.next(await this.#step(next.value));
    }
    return next.value;
  }

  /** Inputs as one batch, then turns; refused ones are the test's fault. */
  async give(inputs: readonly Input[], turnsMax = Number.POSITIVE_INFINITY): Promise<Served> {
    const given = inputs.map((input) => ({ input, sample: this.#sample() }));
    const served = await this.drive(serve(this.kernel, given, { turnsMax }));
    this.journal.push(...(served.frame?.records ?? []));
    const refused = served.answers.find(({ ok }) => !ok);
    if (refused !== undefined && !refused.ok) {
      throw new TestError("test_invalid", `it is not taken: ${refused.code} ${refused.note}`);
    }
    return served;
  }

  /** As if the cell had come there. */
  place(cell: Named, state: unknown): void {
    const bytes = state === null ? null : encodeCanonical(state as CanonicalValue);
    const why = placeCell(this.kernel, { ...cell, state: bytes });
    if (why !== null) throw new TestError("test_invalid", `the state is none of its: ${why}`);
  }

  /** As if it had asked for the effect that is answered. */
  ask(cell: Named, { effect, answers }: StepReceipt): void {
    const params = encodeCanonical((answers.params ?? null) as CanonicalValue);
    const asked = { ...cell, effect, params, issuerRef: answers.issuerRef ?? null };
    if (placeIntent(this.kernel, asked, this.#sample()) !== null) return;
    throw new TestError("test_invalid", `${cell.machine} declares no effect ${effect}`);
  }

  inputFor(cell: Named, given: unknown): Input {
    if (given instanceof StepReceipt) return this.#answerTo(cell, given);
    const value = encodeCanonical(given as CanonicalValue);
    const input = { kind: "direct", ...cell, value } as const;
    const addressed = addressEvent(this.kernel.set, input);
    if (addressed.ok) return input;
    const why = `${cell.machine} does not take the event: ${addressed.code} ${addressed.note}`;
    throw new TestError("test_invalid", why);
  }

  /** The oldest that is meant; null = none is open. */
  findOpen({ machine, key }: Named, { effect, answers }: StepReceipt): OpenIntent | null {
    const isMeant = (intent: OpenIntent) =>
      intent.machine === machine &&
      isDeepStrictEqual(intent.key, key) &&
      intent.effect === effect &&
      (answers.issuerRef === undefined || answers.issuerRef === intent.issuerRef) &&
      (answers.params === undefined || hasParams(intent, answers.params));
    return openWork(this.kernel).find(isMeant) ?? null;
  }

  #answerTo(cell: Named, receipt: StepReceipt): Input {
    const { effect, status, payload } = receipt;
    const intent = this.findOpen(cell, receipt);
    if (intent === null) {
      throw new TestError("test_invalid", `${cell.machine} waits for no such answer of ${effect}`);
    }
    if (status === "timeout" && intent.kind === "mutation") {
      const why = `${effect} changes something: its outcome is found out, it has no timeout`;
      throw new TestError("test_invalid", why);
    }
    const { module, moduleHash } = intent.executor;
    const signature = { keyId: module, bytes: new Uint8Array(), path: [] };
    const { hash: intentHash } = intent;
    return {
      kind: "receipt",
      ...{ intentHash, status, payload, costCents: null, moduleHash, signature },
    };
  }

  #sample(): Sample {
    this.#samples += 1;
    const half = contentSha256(["test", this.#samples]);
    return { nowNs: this.#nowNs, entropy: new Uint8Array([...half, ...half]) };
  }
}

/** What the test names of them; an option that was left out is null in the intent. */
function hasParams({ params }: OpenIntent, named: unknown): boolean {
  const all = decodeCanonical(params) as Readonly<Record<string, unknown>>;
  const parts = Object.entries(named as Readonly<Record<string, unknown>>);
  return parts.every(([name, value]) => isDeepStrictEqual(all[name], value));
}
