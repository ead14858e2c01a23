import type { Instant, LogLine, PhaseOutcome, TraceEntry } from "@holdfast/core";
import type { TraceSource } from "../workflow-owner.ts";
import type { StoppedRead } from "./guest-reads.ts";
import { encodeTrace, type KeptCall, type PhaseFailure, type PhaseNote } from "./trace-text.ts";

/** Of a failure as the trace shows it; the run itself has it at length. */
const messageCharsMax = 1_000;

/** Gathers what the phases on the way to one change did. */
export class PhaseTrace {
  readonly #runId: string;
  readonly #bytesMax: number;
  readonly #phases: PhaseNote[] = [];

  constructor({ runId, bytesMax }: { readonly runId: string; readonly bytesMax: number }) {
    this.#runId = runId;
    this.#bytesMax = bytesMax;
  }

  add(
    outcome: PhaseOutcome,
    given: { readonly phase: string; readonly at: Instant; readonly durationMs: number | null },
    notes: readonly LogLine[],
  ): void {
    const { result, record, trace } = outcome;
    this.#phases.push({
      ...given,
      ended: result.kind,
      failure: failureOf(outcome),
      logs: [...record.logs, ...notes],
      logsLeftOut: 0,
      calls: callsOf(trace),
      callsLeftOut: 0,
    });
  }

  /** Something the host has to say about what the last phase gave. */
  note(line: LogLine): void {
    const last = this.#phases.pop();
    if (last) this.#phases.push({ ...last, logs: [...last.logs, line] });
  }

  /** Of a run that fails with this change everything is kept, also a phase that did nothing. */
  source({ fails }: { readonly fails: boolean }): TraceSource {
    return { runId: this.#runId, text: () => this.#text(fails) };
  }

  #text(fails: boolean): string | null {
    const worth = fails ? this.#phases : this.#phases.filter(isTelling);
    return worth.length === 0 ? null : encodeTrace(worth, this.#bytesMax);
  }
}

function isTelling({ ended, logs, calls }: PhaseNote): boolean {
  return ended === "failed" || ended === "stopped" || logs.length > 0 || calls.length > 0;
}

function callsOf(trace: readonly TraceEntry[]): readonly KeptCall[] {
  const first = trace[0]?.startedAtMs ?? 0;
  return trace.map(({ startedAtMs, durationMs, ...call }) => ({
    ...call,
    afterMs: tenths(startedAtMs - first),
    durationMs: tenths(durationMs),
  }));
}

function tenths(ms: number): number {
  return Math.round(ms * 10) / 10;
}

function failureOf({ result }: PhaseOutcome): PhaseFailure | null {
  if (result.kind === "failed") {
    return { code: result.failure.code, message: shortened(result.failure.message) };
  }
  if (result.kind !== "stopped") return null;
  const { failure } = result.reason as StoppedRead;
  return { code: failure.class, message: shortened(failure.message) };
}

function shortened(message: string): string {
  return message.length <= messageCharsMax ? message : `${message.slice(0, messageCharsMax)}…`;
}
