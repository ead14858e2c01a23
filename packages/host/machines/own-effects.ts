import { randomUUID } from "node:crypto";
import {
  type CanonicalValue,
  decodeCanonical,
  encodeCanonical,
  type Hash,
  type Instant,
  type RunFailure,
  type Store,
  type TerminalCall,
  type View,
} from "@holdfast/core";
import { type Kernel, type OpenIntent, openWork, type Part, putBlob } from "@holdfast/core/machine";
import { Braked, holdOf } from "../engine/metered-hold.ts";
import type { OutsideWorld } from "../engine/ports.ts";
import type { AdmittedRead } from "../engine/read-count.ts";
import { type StopSignals, unlessStopped } from "../engine/stop.ts";
import type { Timers } from "../membership/time.ts";
import { deadline, isPast } from "./deadlines.ts";
import { callOrFault, type Params, paramsOf, receiptOfResult } from "./effect-call.ts";
import { findPut } from "./find-put.ts";
import type { Held, HeldCalls, HeldWhile } from "./held-calls.ts";
import { canceled, errorOf, type Settled } from "./receipts.ts";
import type { Streams } from "./streams.ts";
import { patienceMs, Underway } from "./underway.ts";

type Parts = {
  readonly store: Store;
  readonly outside: OutsideWorld;
  readonly workflow: string;
  /** As it is now: what is begun outlives the turn it was begun in. */
  readonly loadView: () => Promise<View>;
  /** Whether a read may be made; where its grant has limits, it is counted first. */
  readonly admitRead: (call: TerminalCall, runId: string) => Promise<AdmittedRead>;
  readonly stop?: StopSignals | undefined;
  /** Progress of reads that take their time. */
  readonly streams: Streams;
  readonly timers: Timers;
  readonly clock: { readonly now: () => Instant };
  /** When something came in for the workflow that nobody has looked at. */
  readonly nextWake: () => Promise<void>;
};

type Done = Omit<Settled, "intentId"> & { readonly parts?: readonly Part[] };

/** Something came in that may keep it back: it is looked at again when that is folded. */
const later = { held: null } as const;

type Outcome =
  | (Done & { readonly held?: undefined })
  /** A person is asked, and the intent stays open. */
  | { readonly held: Held }
  | typeof later;

export type Executed = {
  readonly settled: readonly Settled[];
  /** Of blobs that were put. */
  readonly parts: readonly Part[];
  /** How many more are due, and have a later turn. */
  readonly leftCount: number;
  /** Nobody has judged all of these: some wait for more than room at a service. */
  readonly isUnjudged: boolean;
  /** Nothing was heard, and what was begun takes its time. */
  readonly isCutShort: boolean;
  /** What was begun takes its time, and all others wait for it. */
  readonly isWaiting: boolean;
};

/** Reads and blobs of one turn, at least as many as inputs; the others have the next one. */
const executedMax = 256;
/** What they answered goes into one frame, which is one value in the store. */
const answeredBytesMax = 16 * 1_048_576;

const nsPerMs = 1_000_000n;

/** What is not in the ledger, because doing it twice changes nothing: timers, blobs and reads. */
export class OwnEffects {
  readonly #parts: Parts;
  #last: Promise<unknown> = Promise.resolve();
  readonly #underway: Underway<Outcome>;
  readonly #services = new WeakMap<OpenIntent, string>();

  constructor(parts: Parts) {
    this.#parts = parts;
    const serviceOf = (intent: OpenIntent) => this.#serviceOf(intent);
    this.#underway = new Underway({ timers: parts.timers, serviceOf });
  }

  /**
   * Of intents whose frame is durable. What a host does not get to is done by the next. It ends
   * early when something is said on the way, comes in for the workflow, or is due elsewhere: that
   * has its turn before the rest is there, and who asked for the rest may be told to wait no more.
   */
  async execute(
    kernel: Kernel,
    { held, nextAt, ...holds }: HeldWhile & Meanwhile,
  ): Promise<Executed> {
    const underway = this.#underway;
    underway.giveUpOthers(kernel);
    const { now } = holds;
    let left = openWork(kernel).filter(
      (intent) => isDue(intent, now) && !underway.has(intent.id) && !held.stands(intent, holds),
    );
    // Also those that have to wait for room: nobody is asked about them meanwhile.
    for (const { id } of left) held.drop(id);
    const parts: Part[] = [];
    const settled: Settled[] = [];
    let begunCount = 0;
    let laterCount = 0;
    let heardCount = 0;
    let byteCount = 0;
    do {
      const [next, others] = underway.choose(left, executedMax - begunCount);
      left = others;
      begunCount += next.length;
      for (const intent of next) {
        underway.begin(intent, (signal) => this.#outcome(intent, { now, signal }));
      }
      if (underway.count > 0) await this.#wait(nextAt(), now);
      for (const [intentId, outcome] of underway.takeEnded()) {
        heardCount += 1;
        if (outcome.held !== undefined) {
          if (outcome.held === null) laterCount += 1;
          else held.add(outcome.held);
          continue;
        }
        const { parts: put = [], ...said } = outcome;
        settled.push({ intentId, ...said });
        byteCount += said.payload.length;
        parts.push(...put);
        if (byteCount >= answeredBytesMax) break;
      }
      if (heardCount === 0) underway.throwEnded();
    } while (
      left.length > 0 &&
      underway.count === 0 &&
      begunCount < executedMax &&
      byteCount < answeredBytesMax
    );
    const isUnjudged = laterCount > 0 || underway.choose(left, 1)[0].length > 0;
    const isWaiting = underway.count > 0 && laterCount === 0;
    const isCutShort = underway.count > 0 && heardCount === 0;
    const leftCount = left.length + laterCount;
    return { settled, parts, leftCount, isUnjudged, isWaiting, isCutShort };
  }

  isUnderway(intentId: string): boolean {
    return this.#underway.has(intentId);
  }

  /** Nobody is here any more to hear what comes of it. */
  end(): void {
    this.#underway.giveUpAll();
  }

  /** `nextAt`: when something else is due; null = nothing is. */
  #wait(nextAt: Instant | null, now: Instant): Promise<void> {
    const { streams, nextWake, clock } = this.#parts;
    const since = Math.max(now, clock.now());
    const ms = nextAt === null ? null : Math.max(patienceMs, nextAt - since);
    return this.#underway.wait({ anything: [streams.next(), nextWake()], ms });
  }

  /** Who does it, as far as somebody who hangs is to keep nobody else waiting. */
  #serviceOf(intent: OpenIntent): string | null {
    if (intent.cancelAsked || isPast(intent, this.#parts.clock.now())) return null;
    const known = this.#services.get(intent);
    if (known !== undefined) return known;
    const connection = intent.kind === "read" ? paramsOf(intent)["connection"] : null;
    const service = typeof connection === "string" ? connection : "";
    this.#services.set(intent, service);
    return service;
  }

  async #outcome(
    intent: OpenIntent,
    { now, signal }: { readonly now: Instant; readonly signal: AbortSignal },
  ): Promise<Outcome> {
    if (intent.cancelAsked) return errorOf(canceled, "it was canceled before it was done");
    const params = paramsOf(intent);
    switch (intent.executor.entrypoint) {
      case "timer.set":
        if (intent.kind !== "timer") break;
        return ok({ delivered_at_ns: BigInt(now) * nsPerMs, key: params["key"] ?? null });
      case "blob.put":
        if (intent.kind === "blob") return outcomeOfPut(params);
        break;
      case "blob.get":
        if (intent.kind === "blob") return this.#getBlob(params);
    }
    return this.#read(intent, { now, signal, params });
  }

  async #getBlob(params: Params) {
    const { store, workflow } = this.#parts;
    const blobRef = String(params["blob_ref"]);
    const bytes = await findPut(store, workflow, blobRef as Hash);
    if (bytes === null) return errorOf("not_found", `there is no blob ${blobRef}`);
    return ok({ blob_ref: blobRef, size: bytes.length, bytes });
  }

  /** One after the other: two at once must not see the same room in a limit. */
  #admit(intentId: string, call: TerminalCall, gaveUp: AbortSignal): Promise<Admitted> {
    const admitted = this.#last.then(async (): Promise<Admitted> => {
      if (gaveUp.aborted) return { instead: later };
      const view = await this.#parts.loadView();
      const { envelope } = view.load("workflows");
      const hold = await this.#holdOf(view, { intentId, call, envelope });
      if (hold !== null) return { instead: hold };
      const read = await this.#parts.admitRead(call, intentId);
      if (read.says === "yes") return gaveUp.aborted ? { instead: later } : read;
      // Nobody can say whether it was counted; it was not made.
      if (read.isInDoubt === true) return { instead: later };
      const { failure, retryAt: until } = read;
      return { instead: heldOf(intentId, failure, { envelope, account: null, until }) };
    });
    this.#last = admitted.catch(() => {});
    return admitted;
  }

  /** A call that costs carries data out, and is held as what changes something is. */
  async #holdOf(view: View, { intentId, call, envelope }: Asking): Promise<Outcome | null> {
    const { store, outside } = this.#parts;
    if (outside.isMetered?.(call) !== true) return null;
    const operation = `${call.connection}.${call.operation}`;
    const hold = await holdOf({ store, view }, operation);
    if (hold === null) return null;
    if (!(hold instanceof Braked)) return later;
    const by = { reason: "permission", envelope, account: null, until: null } as const;
    return { held: { intentId, operation, why: hold.failure.message, ...by, isBraked: true } };
  }

  async #read(intent: OpenIntent, { now, signal: gaveUp, params }: Reading): Promise<Outcome> {
    const { outside, stop, streams, workflow, clock } = this.#parts;
    const call = callOrFault(outside, intent, params);
    if ("fault" in call) return errorOf("logic", call.fault);
    if (isPast(intent, Math.max(now, clock.now()))) {
      const { payload } = errorOf(deadline, "its deadline passed before it was asked");
      return { status: "timeout", payload };
    }
    const admitted = await this.#admit(intent.id, call, gaveUp);
    if ("instead" in admitted) return admitted.instead;
    const onFrame = streams.begin(intent.id);
    const { id: intentId, executor } = intent;
    const ref = { workflow, intentId, handout: `read/${randomUUID()}`, executor };
    const asked = { ...call, intent: ref };
    const outcome = await unlessStopped(stop, (signal) =>
      outside.read(asked, AbortSignal.any([signal, gaveUp]), onFrame),
    );
    const { signed } = outcome;
    await admitted.settle(outcome.says === "value" ? outcome.value : null);
    if (outcome.says === "failed") {
      const { failure } = outcome;
      const { envelope } = (await this.#parts.loadView()).load("workflows");
      const by = { envelope, account: failure.account ?? "", until: null };
      const heard = heldOf(intent.id, failure, by);
      return heard.held === undefined ? { ...heard, signed } : heard;
    }
    const result = JSON.parse(outcome.value ?? "null") as CanonicalValue;
    return { status: "ok", payload: receiptOfResult(outside, call, result), signed };
  }
}

type Meanwhile = {
  readonly held: HeldCalls;
  /** When something else is to be done, asked before each wait; null = never. */
  readonly nextAt: () => Instant | null;
};

type Reading = {
  readonly now: Instant;
  readonly signal: AbortSignal;
  /** Read already. */
  readonly params: Params;
};

type Admitted = Extract<AdmittedRead, { says: "yes" }> | { readonly instead: Outcome };

type Asking = {
  readonly intentId: string;
  readonly call: TerminalCall;
  /** In force. */
  readonly envelope: number;
};

type HeldBy = Pick<Held, "envelope" | "account" | "until">;

/** What a person can mend waits for them; anything else the step hears of. */
function heldOf(intentId: string, failure: RunFailure, by: HeldBy): Outcome {
  const { class: reason, message: why, location: operation } = failure;
  const isOfLimit = reason === "budget" && by.account === null;
  const isMended = reason === "permission" || (reason === "auth" && by.account !== null);
  if (!isOfLimit && !isMended) return errorOf(reason, why);
  return { held: { intentId, operation, reason, why, ...by } };
}

function isDue({ kind, params, cancelAsked }: OpenIntent, now: Instant): boolean {
  if (kind === "mutation") return false;
  return cancelAsked || kind !== "timer" || timerAtMs(params) <= now;
}

/** Mutations are the ledger's; a canceled timer, a read and a blob want their turn at once. */
export function dueOf(
  { kind, params, cancelAsked }: Pick<OpenIntent, "kind" | "params" | "cancelAsked">,
  now: Instant,
): Instant | null {
  if (kind === "mutation") return null;
  return kind === "timer" && !cancelAsked ? timerAtMs(params) : now;
}

/** Rounded up: a timer never fires early. */
function timerAtMs(params: Uint8Array): Instant {
  const { deliver_at_ns: at } = decodeCanonical(params) as { deliver_at_ns: number | bigint };
  return Number((BigInt(at) + nsPerMs - 1n) / nsPerMs);
}

function ok(value: CanonicalValue): Omit<Settled, "intentId"> {
  return { status: "ok", payload: encodeCanonical(value) };
}

/** The bytes and their edge are kept with the frame that says so. */
export function outcomeOfPut(params: Params): Done {
  const { blobRef, edgeRef, size, parts } = putBlob(params);
  return { ...ok({ blob_ref: blobRef, edge_ref: edgeRef, size }), parts };
}
