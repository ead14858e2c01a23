import type {
  CallAnswer,
  RunOptions as CoreOptions,
  PhaseOutcome as CoreOutcome,
  TraceEntry,
} from "@holdfast/core";
import type { Failure, FailureCode } from "../failure.ts";
import type { SandboxLimits } from "../limits.ts";
import type { SlicePool } from "../pool/slice-pool.ts";
import { ThreadLost } from "../pool/slice-thread.ts";
import type { SliceRequest } from "../worker/protocol.ts";
import {
  beginPhase,
  type GuestCall,
  type PhaseCall,
  type PhaseResult,
  type PhaseState,
} from "./phase.ts";
import type { ScriptImage, Settlement, SliceEnd } from "./slice.ts";
import { forTrace, keptValueForTrace, type SecretFields } from "./trace.ts";

export type { CallAnswer };

export type RunOptions = CoreOptions & {
  readonly secretsOf?: (name: string) => SecretFields;
};

export type PhaseOutcome = CoreOutcome & {
  readonly used: {
    readonly fuel: number;
    readonly calls: number;
    readonly runningMs: number;
    readonly waitingMs: number;
    /** Of the guest, after its end was decided: 0. */
    readonly callsAfterEnd: number;
  };
};

export type RunParts = {
  readonly pool: SlicePool;
  readonly limits: SandboxLimits;
  readonly image: ScriptImage;
};

type Slice = { readonly lost?: true; readonly ends: readonly SliceEnd[] };

type Answered = { readonly call: GuestCall; readonly answer: CallAnswer };

const noSecrets: SecretFields = { params: [], result: [] };

/** One phase from its first slice to its outcome, on the host's side. */
export class PhaseRun {
  readonly #call: PhaseCall;
  readonly #options: RunOptions;
  readonly #parts: RunParts;
  readonly #trace = new Map<number, TraceEntry>();
  readonly #answered: Answered[] = [];
  /** Calls that are being performed, by number. */
  readonly #performing = new Set<number>();
  #state: PhaseState;
  #waitingMs = 0;
  /** Had by what was lost with its thread. */
  #lostMs = 0;
  /** Of the calls that were foreseen. */
  #toldCount = 0;
  #thrown: { readonly error: unknown } | null = null;
  #awake: () => void = () => {};

  constructor(call: PhaseCall, options: RunOptions, parts: RunParts) {
    this.#call = call;
    this.#options = options;
    this.#parts = parts;
    this.#state = beginPhase(call);
  }

  /** Ends of the first slice: of this phase, and of the one that follows if it was begun. */
  async begin(follow: PhaseCall | null): Promise<readonly [SliceEnd, SliceEnd?]> {
    const { image: script } = this.#parts;
    const request = { kind: "start", script, call: this.#call, follow } as const;
    const slice = await this.#slice(request, follow === null ? 1 : 2);
    // Which of the two it was that hung is seen when each is on its own.
    if ("lost" in slice && follow !== null) return this.begin(null);
    return endsOf(slice);
  }

  async finish(begun: SliceEnd): Promise<PhaseOutcome> {
    let end = begun;
    for (;;) {
      this.#state = end.state;
      await this.#tellForeseen();
      if (end.kind === "ended") return this.#outcome(end.result);
      const settled = await this.#wait(end.state.open);
      if ("result" in settled) return this.#outcome(settled.result);
      this.#state.now = this.#clock();
      const { anchors } = this.#parts.image;
      const at = { image: end.image, state: this.#state, settled: settled.settled };
      [end] = endsOf(await this.#slice({ kind: "resume", anchors, call: this.#call, at }, 1));
    }
  }

  /** The run had these answers before anybody knew that it would ask. */
  async #tellForeseen(): Promise<void> {
    for (const call of this.#state.foreseen.slice(this.#toldCount)) {
      this.#toldCount += 1;
      const startedAtMs = performance.now();
      const answer = await this.#options.perform(call, this.#activeMs);
      this.#note(call, startedAtMs, answer);
    }
  }

  get #activeMs(): number {
    return this.#state.activeMs + this.#lostMs;
  }

  /** In mutate and next the clock shows one time only. */
  #clock(): number {
    const { phase } = this.#call;
    if (phase === "mutate" || phase === "next") return this.#state.now;
    return Math.max(this.#state.now, this.#options.now?.() ?? this.#state.now);
  }

  async #slice(request: SliceRequest, phases: 1 | 2): Promise<Slice> {
    const { pool, limits } = this.#parts;
    const left = limits.runningMsMax * phases - this.#state.runningMs;
    try {
      const answer = await pool.ask(request, Math.max(left, 0));
      if (answer.kind === "run") return { ends: answer.ends };
      if (answer.kind === "broken") return { ends: [this.#failedEnd(answer.failure)] };
      throw new Error("The thread answered something else.");
    } catch (error) {
      if (!(error instanceof ThreadLost)) throw error;
      if (error.reason === "overtime") this.#lostMs += Math.max(left, 0);
      return { lost: true, ends: [this.#failedEnd(lostFailure(error, limits.runningMsMax))] };
    }
  }

  #failedEnd(failure: Failure): SliceEnd {
    return { kind: "ended", result: { kind: "failed", failure }, state: this.#state };
  }

  /** Until at least one call is answered; all that are by then go back together. */
  async #wait(
    open: readonly GuestCall[],
  ): Promise<
    { readonly settled: readonly Settlement[] } | { readonly result: PhaseOutcome["result"] }
  > {
    const since = performance.now();
    for (const call of open) this.#perform(call);
    const outcome = await this.#untilAnswered(since);
    this.#waitingMs += performance.now() - since;
    if (this.#thrown !== null) throw this.#thrown.error;
    if (outcome !== null) return { result: outcome };
    const answered = this.#answered.splice(0);
    const stop = answered.map(({ answer }) => answer).find((answer) => answer.kind === "stop");
    if (stop !== undefined) return { result: { kind: "stopped", reason: stop.reason } };
    return {
      settled: answered.map(({ call, answer }) => ({
        callId: call.callId,
        value: answer.kind === "value" ? answer.value : null,
      })),
    };
  }

  /** Null = there is an answer. */
  #untilAnswered(since: number): Promise<PhaseOutcome["result"] | null> {
    const { stopped } = this.#options;
    const { waitingMsMax } = this.#parts.limits;
    return new Promise((resolve) => {
      const left = waitingMsMax - this.#waitingMs - (performance.now() - since);
      const onStop = () => done({ kind: "stopped", reason: stopped?.reason });
      const timer = setTimeout(
        () => done(failed("SCRIPT_WAITING_TIME", `It waited longer than ${waitingMsMax} ms.`)),
        Math.max(left, 0),
      );
      const done = (result: PhaseOutcome["result"] | null): void => {
        clearTimeout(timer);
        stopped?.removeEventListener("abort", onStop);
        this.#awake = () => {};
        resolve(result);
      };
      stopped?.addEventListener("abort", onStop, { once: true });
      this.#awake = () => done(null);
      if (stopped?.aborted === true) onStop();
      else if (this.#answered.length > 0 || this.#thrown !== null) done(null);
    });
  }

  /** What comes after the run has ended finds nobody: nothing waits for it any more. */
  #perform(call: GuestCall): void {
    if (this.#performing.has(call.callId)) return;
    this.#performing.add(call.callId);
    const startedAtMs = performance.now();
    this.#note(call, startedAtMs, null);
    this.#options.perform(call, this.#activeMs).then(
      (answer) => {
        this.#note(call, startedAtMs, answer);
        this.#answered.push({ call, answer });
        this.#awake();
      },
      (error: unknown) => {
        this.#thrown ??= { error };
        this.#awake();
      },
    );
  }

  #note(call: GuestCall, startedAtMs: number, answer: CallAnswer | null): void {
    const { name, kind, params } = call;
    const secrets = this.#options.secretsOf?.(name) ?? noSecrets;
    const value = answer?.kind === "value" ? (answer.value ?? "null") : null;
    const show = (text: string) =>
      name === "ctx.kv.get" ? keptValueForTrace(text) : forTrace(text, secrets.result);
    this.#trace.set(call.callId, {
      name,
      kind,
      params: forTrace(params, secrets.params),
      result: value === null ? null : show(value),
      stopped: answer?.kind === "stop",
      startedAtMs,
      durationMs: answer === null ? 0 : performance.now() - startedAtMs,
    });
  }

  #outcome(result: PhaseOutcome["result"]): PhaseOutcome {
    const { record, fuelUsed, callCount, runningMs, callsAfterEnd } = this.#state;
    const activeMs = this.#activeMs;
    const waitingMs = this.#waitingMs;
    const used = { fuel: fuelUsed, calls: callCount, runningMs, waitingMs, callsAfterEnd };
    return { result, record, trace: [...this.#trace.values()], activeMs, used };
  }
}

function endsOf({ ends }: Slice): readonly [SliceEnd, SliceEnd?] {
  const [first, second] = ends;
  if (first === undefined) throw new Error("A slice has no end.");
  return second === undefined ? [first] : [first, second];
}

/** A phase that could not begin. */
export function endedBefore(call: PhaseCall, failure: Failure): PhaseOutcome {
  const { record } = beginPhase(call);
  const used = { fuel: 0, calls: 0, runningMs: 0, waitingMs: 0, callsAfterEnd: 0 };
  return { result: { kind: "failed", failure }, record, trace: [], activeMs: 0, used };
}

function failed(code: FailureCode, message: string): PhaseResult {
  return { kind: "failed", failure: { code, message, position: null } };
}

export function lostFailure(error: ThreadLost, msMax: number): Failure {
  if (error.reason === "died") {
    const message = `The thread it ran in has died: ${error.message}.`;
    return { code: "SCRIPT_ENGINE", message, position: null };
  }
  const message = `It ran longer than ${msMax} ms.`;
  return { code: "SCRIPT_RUNNING_TIME", message, position: null };
}
