import {
  type CanonicalValue,
  decodeCanonical,
  encodeCanonical,
  type Hash,
  HostError,
  hashText,
  type Instant,
  type Store,
  type TerminalCall,
  type View,
} from "@holdfast/core";
import { type Kernel, type OpenIntent, openWork } from "@holdfast/core/machine";
import type { OutsideWorld } from "../engine/ports.ts";
import type { AdmittedRead } from "../engine/read-count.ts";
import { type StopSignals, unlessStopped } from "../engine/stop.ts";
import { deadline, isPast } from "./deadlines.ts";
import { callOrFault, receiptOfResult } from "./effect-call.ts";
import { canceled, errorOf, type Settled } from "./receipts.ts";

type Parts = {
  readonly store: Store;
  readonly outside: OutsideWorld;
  /** Whether a read may be made; where its grant has limits, it is counted first. */
  readonly admitRead: (view: View, call: TerminalCall, runId: string) => Promise<AdmittedRead>;
  readonly stop?: StopSignals | undefined;
};

export type Executed = {
  readonly settled: readonly Settled[];
  readonly blobs: readonly Uint8Array[];
};

/** Reads and blobs of one turn, at least as many as inputs; the others have the next one. */
const executedMax = 128;
/** Of these at once: a service is not to be flooded. */
const atOnceMax = 32;

const nsPerMs = 1_000_000n;

/** What is not in the ledger, because doing it twice changes nothing: timers, blobs and reads. */
export class OwnEffects {
  readonly #parts: Parts;
  #last: Promise<unknown> = Promise.resolve();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Of intents whose frame is durable. What a host does not get to is done by the next. */
  async execute(kernel: Kernel, view: View, now: Instant): Promise<Executed> {
    const due = openWork(kernel)
      .filter((intent) => isDue(intent, now))
      .slice(0, executedMax);
    const blobs: Uint8Array[] = [];
    const settled: Settled[] = [];
    for (let at = 0; at < due.length; at += atOnceMax) {
      const some = due.slice(at, at + atOnceMax);
      const outcomes = await Promise.all(
        some.map((intent) => this.#outcome(intent, view, { now, blobs })),
      );
      for (const [index, { id: intentId }] of some.entries()) {
        const outcome = outcomes[index];
        if (outcome !== undefined) settled.push({ intentId, ...outcome });
      }
    }
    return { settled, blobs };
  }

  async #outcome(
    intent: OpenIntent,
    view: View,
    { now, blobs }: { readonly now: Instant; readonly blobs: Uint8Array[] },
  ): Promise<Omit<Settled, "intentId">> {
    if (intent.cancelAsked) return errorOf(canceled, "it was canceled before it was done");
    const params = decodeCanonical(intent.params) as Readonly<Record<string, CanonicalValue>>;
    switch (intent.executor.entrypoint) {
      case "timer.set":
        if (intent.kind !== "timer") break;
        return ok({ delivered_at_ns: BigInt(now) * nsPerMs, key: params["key"] ?? null });
      case "blob.put":
        if (intent.kind === "blob") return putBlob(params, blobs);
        break;
      case "blob.get":
        if (intent.kind === "blob") return this.#getBlob(view.workflow, params);
    }
    return this.#read(intent, view, now);
  }

  async #getBlob(workflow: string, params: Readonly<Record<string, CanonicalValue>>) {
    const blobRef = String(params["blob_ref"]);
    try {
      const bytes = await this.#parts.store.loadBlob(workflow, blobRef as Hash);
      return ok({ blob_ref: blobRef, size: bytes.length, bytes });
    } catch (error) {
      if (!(error instanceof HostError) || error.code !== "BLOB_MISSING") throw error;
      return errorOf("not_found", `there is no blob ${blobRef}`);
    }
  }

  /** One after the other: two at once must not see the same room in a limit. */
  #admit(view: View, call: TerminalCall, runId: string): Promise<AdmittedRead> {
    const admitted = this.#last.then(() => this.#parts.admitRead(view, call, runId));
    this.#last = admitted.catch(() => {});
    return admitted;
  }

  async #read(intent: OpenIntent, view: View, now: Instant): Promise<Omit<Settled, "intentId">> {
    const { outside, stop } = this.#parts;
    const call = callOrFault(outside, intent);
    if ("fault" in call) return errorOf("logic", call.fault);
    if (isPast(intent, now)) {
      const { payload } = errorOf(deadline, "its deadline passed before it was asked");
      return { status: "timeout", payload };
    }
    const admitted = await this.#admit(view, call, intent.id);
    if (admitted.says === "no") return errorOf(admitted.failure.class, admitted.failure.message);
    const outcome = await unlessStopped(stop, (signal) => outside.read(call, signal));
    await admitted.settle(outcome.says === "value" ? outcome.value : null);
    if (outcome.says === "failed") return errorOf(outcome.failure.class, outcome.failure.message);
    const result = JSON.parse(outcome.value ?? "null") as CanonicalValue;
    return { status: "ok", payload: receiptOfResult(outside, call, result) };
  }
}

function isDue({ kind, params, cancelAsked }: OpenIntent, now: Instant): boolean {
  if (kind === "mutation") return false;
  return cancelAsked || kind !== "timer" || timerAtMs(params) <= now;
}

/** Rounded up: a timer never fires early. */
export function timerAtMs(params: Uint8Array): Instant {
  const { deliver_at_ns: at } = decodeCanonical(params) as { deliver_at_ns: number | bigint };
  return Number((BigInt(at) + nsPerMs - 1n) / nsPerMs);
}

function ok(value: CanonicalValue): Omit<Settled, "intentId"> {
  return { status: "ok", payload: encodeCanonical(value) };
}

export function putBlob(params: Readonly<Record<string, CanonicalValue>>, blobs: Uint8Array[]) {
  const bytes = params["bytes"] as Uint8Array;
  const refs = (params["refs"] ?? []) as CanonicalValue;
  const blobRef = hashText(bytes);
  const edge = encodeCanonical({ blob_ref: blobRef, refs });
  blobs.push(bytes, edge);
  return ok({ blob_ref: blobRef, edge_ref: hashText(edge), size: bytes.length });
}
