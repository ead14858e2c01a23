import {
  type CanonicalValue,
  decodeCanonical,
  encodeCanonical,
  type Hash,
  hashText,
  type Store,
} from "@holdfast/core";
import {
  type Admission,
  blobName,
  type Given,
  type Input,
  keepState,
  type MachineSet,
  type OpenIntent,
  openWork,
  type ReceiptStatus,
  type Sample,
  serve,
  timerEffect,
} from "@holdfast/core/machine";
import { findPut } from "./find-put.ts";
import type { OpenedKernel } from "./open-kernel.ts";
import { outcomeOfPut } from "./own-effects.ts";
import { errorOf, type Settled, signAll } from "./receipts.ts";

/** What an effect is answered with, by its name, while a version is tried. */
export type CannedReceipts = ReadonlyMap<string, CannedReceipt>;
export type CannedReceipt = {
  readonly status: ReceiptStatus;
  /** Canonical bytes; null = what a timer says when it fires. */
  readonly payload: Uint8Array | null;
};

export type ObservedEffect = {
  readonly intent: OpenIntent;
  /** What it was answered with; null = it was left open. */
  answered: ReceiptStatus | null;
};

/** By its name it is told that no machine took it. */
export type NamedInput = Given & { readonly name: string };

export type ObservedFault = { readonly cell: string; readonly code: string };

type Parts = {
  readonly store: Pick<Store, "loadBlob" | "loadParts">;
  readonly workflow: string;
  readonly receipts: CannedReceipts;
};

/** One input may bring about so many turns and answers: a version that never rests is noticed. */
const turnsPerInputMax = 2_000;
const answersPerInputMax = 500;

/**
 * Some inputs, run on a kernel that is nobody's: its frames are kept by nobody, what it orders is
 * done by nobody. There is nothing here that leads outside; blobs are only read.
 */
export class ShadowRun {
  readonly opened: OpenedKernel;
  readonly effects = new Map<string, ObservedEffect>();
  readonly faults: ObservedFault[] = [];
  /** What no machine took, each with its name and why. */
  readonly refused: string[] = [];
  takenCount = 0;
  /** Whether something was broken off, because it did not come to rest. */
  isEndless = false;
  readonly #parts: Parts;
  readonly #blobs = new Map<string, Uint8Array>();
  #answered = 0;

  constructor(parts: Parts, opened: OpenedKernel) {
    this.#parts = parts;
    this.opened = opened;
  }

  /** As if it had been applied, whatever stands in its way: that is told apart. */
  take(set: MachineSet, states: readonly { cell: string; state: Uint8Array }[]): void {
    const { kernel } = this.opened;
    kernel.set = set;
    for (const { cell: id, state } of states) {
      const cell = kernel.cells.get(id);
      if (cell !== undefined) keepState(kernel, cell, state);
    }
  }

  /** A cell that the version cannot step takes no part. */
  leaveOut(cellId: string): void {
    const { kernel } = this.opened;
    const cell = kernel.cells.get(cellId);
    if (cell !== undefined) cell.failed ??= "step";
    kernel.ring.delete(cellId);
  }

  async run(inputs: readonly NamedInput[]): Promise<void> {
    await this.#serve([]);
    for (const { name, ...given } of inputs) {
      this.#answered = 0;
      const [answer] = await this.#serve([given]);
      const why = this.#whyNotTaken(given.input, answer);
      if (why === null) this.takenCount++;
      else this.refused.push(`${name}: ${why}`);
      await this.#answerAll(given.sample);
    }
  }

  #whyNotTaken(input: Input, answer: Admission | undefined): string | null {
    if (answer?.ok === false) return `${answer.code} (${answer.note})`;
    const { routes } = this.opened.kernel.set;
    const isForNobody = input.kind === "event" && (routes.get(input.topic) ?? []).length === 0;
    return isForNobody ? `no machine takes ${input.topic}` : null;
  }

  async #serve(batch: readonly Given[]): Promise<readonly Admission[]> {
    const { kernel, driver } = this.opened;
    const served = await driver.drive(kernel, serve(kernel, batch, { turnsMax: turnsPerInputMax }));
    this.isEndless ||= !served.isDrained;
    for (const bytes of served.frame?.records ?? []) this.#note(bytes);
    for (const order of kernel.flushed(kernel.seq)) {
      if (order.kind !== "start") continue;
      this.effects.set(order.intent.id, { intent: order.intent, answered: null });
    }
    return served.answers;
  }

  #note(bytes: Uint8Array): void {
    const { kind, name, code, machine, key, reason } = decodeCanonical(bytes) as {
      readonly [name: string]: CanonicalValue;
    };
    const isFault = name === "workflow.step_fault" || name === "workflow.receipt_fault";
    if (!isFault && kind !== "step_killed") return;
    const of = key instanceof Uint8Array ? Buffer.from(key).toString("hex") : "";
    this.faults.push({ cell: `${machine}::${of}`, code: String(code ?? name ?? reason) });
  }

  async #answerAll(sample: Sample): Promise<void> {
    for (;;) {
      const { kernel, keys } = this.opened;
      const settled: Settled[] = [];
      for (const intent of openWork(kernel)) {
        const answer = await this.#answerTo(intent, sample);
        if (answer !== null) settled.push({ intentId: intent.id, ...answer });
      }
      this.#answered += settled.length;
      if (settled.length === 0) return;
      if (this.#answered > answersPerInputMax) {
        this.isEndless = true;
        return;
      }
      for (const { intentId, status } of settled) {
        const observed = this.effects.get(intentId);
        if (observed !== undefined) observed.answered = status;
      }
      const inputs = signAll(kernel, keys, settled);
      const batch = inputs.map((input, at) => ({ input, sample: childOf(sample, at) }));
      for (const answer of await this.#serve(batch)) {
        if (!answer.ok) this.refused.push(`an answer: ${answer.code} (${answer.note})`);
      }
    }
  }

  async #answerTo(intent: OpenIntent, sample: Sample): Promise<Omit<Settled, "intentId"> | null> {
    if (intent.kind === "blob") return this.#blobOf(intent);
    const canned = this.#parts.receipts.get(intent.effect);
    if (canned === undefined) return null;
    const { status, payload } = canned;
    if (payload !== null) return { status, payload };
    if (intent.effect !== timerEffect) return { status, payload: encodeCanonical(null) };
    const { key = null } = paramsOf(intent);
    return { status, payload: encodeCanonical({ delivered_at_ns: sample.nowNs, key }) };
  }

  /** For real, but nothing is kept: what is put is there for this run. */
  async #blobOf(intent: OpenIntent): Promise<Omit<Settled, "intentId">> {
    const params = paramsOf(intent);
    if (intent.executor.entrypoint === "blob.put") {
      const { parts, ...settled } = outcomeOfPut(params);
      for (const { hash, bytes } of parts ?? []) this.#blobs.set(hash, bytes);
      return settled;
    }
    const blobRef = String(params["blob_ref"]);
    const { store, workflow } = this.#parts;
    const ref = blobRef as Hash;
    const bytes = this.#blobs.get(blobName(ref)) ?? (await findPut(store, workflow, ref));
    if (bytes === null) return errorOf("not_found", `there is no blob ${blobRef}`);
    const payload = encodeCanonical({ blob_ref: blobRef, size: bytes.length, bytes });
    return { status: "ok", payload };
  }
}

function paramsOf({ params }: OpenIntent): Readonly<Record<string, CanonicalValue>> {
  return decodeCanonical(params) as Readonly<Record<string, CanonicalValue>>;
}

/** Another for each answer, and the same for both versions that are compared. */
function childOf({ nowNs, entropy }: Sample, at: number): Sample {
  const half = Buffer.from(hashText(encodeCanonical([entropy, at])).slice("sha256:".length), "hex");
  return { nowNs, entropy: new Uint8Array(Buffer.concat([half, half])) };
}
