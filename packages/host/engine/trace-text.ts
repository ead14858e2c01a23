import type { Instant, JsonText, LogLine, TraceEntry } from "@holdfast/core";

/** One phase as it is kept: what it asked for, what it said, and how it ended. */
export type PhaseNote = {
  readonly phase: string;
  /** When it was run; the clock that mutate and next see stands at an earlier time. */
  readonly at: Instant;
  /** Null = it ran in one go with the phase before it, whose time is that of both. */
  readonly durationMs: number | null;
  readonly ended: "returned" | "mutation" | "failed" | "stopped";
  readonly failure: PhaseFailure | null;
  readonly logs: readonly LogLine[];
  readonly logsLeftOut: number;
  readonly calls: readonly KeptCall[];
  readonly callsLeftOut: number;
};

export type PhaseFailure = {
  /** Of the script's own failure, or the class of what the outside answered. */
  readonly code: string;
  readonly message: string;
};

export type KeptCall = {
  readonly name: string;
  readonly kind: TraceEntry["kind"];
  readonly params: JsonText;
  /** Null = it was not answered before the phase ended. */
  readonly result: JsonText | null;
  readonly stopped: boolean;
  /** Since the first call of the phase. */
  readonly afterMs: number;
  readonly durationMs: number;
};

const textVersion = 1;

/** No longer than `bytesMax`, as far as leaving out calls and lines can help. */
export function encodeTrace(phases: readonly PhaseNote[], bytesMax: number): string {
  const text = textOf(phases);
  return Buffer.byteLength(text) <= bytesMax ? text : textOf(cut(phases, bytesMax));
}

/** Null = a newer program wrote it. */
export function decodeTrace(text: string): readonly PhaseNote[] | null {
  const { v, phases } = JSON.parse(text) as { v: number; phases: readonly PhaseNote[] };
  return v === textVersion ? phases : null;
}

function textOf(phases: readonly PhaseNote[]): string {
  return JSON.stringify({ v: textVersion, phases });
}

/** What came last tells most about why it ended; the lines of a phase get half of what is left. */
function cut(phases: readonly PhaseNote[], bytesMax: number): readonly PhaseNote[] {
  const bare = phases.map((phase) => {
    const { logs, calls } = phase;
    return { ...phase, logs: [], calls: [], logsLeftOut: logs.length, callsLeftOut: calls.length };
  });
  let left = bytesMax - Buffer.byteLength(textOf(bare));
  const short: PhaseNote[] = [];
  for (const phase of phases.toReversed()) {
    const logs = lastOf(phase.logs, left / 2);
    left -= logs.bytes;
    const calls = lastOf(phase.calls, left);
    left -= calls.bytes;
    short.push({
      ...phase,
      logs: logs.kept,
      logsLeftOut: phase.logs.length - logs.kept.length,
      calls: calls.kept,
      callsLeftOut: phase.calls.length - calls.kept.length,
    });
  }
  return short.reverse();
}

function lastOf<T>(
  items: readonly T[],
  bytesMax: number,
): { readonly kept: readonly T[]; readonly bytes: number } {
  let bytes = 0;
  let from = items.length;
  while (from > 0) {
    // With the comma that parts it from the next.
    const size = Buffer.byteLength(JSON.stringify(items[from - 1])) + 1;
    if (bytes + size > bytesMax) break;
    bytes += size;
    from -= 1;
  }
  return { kept: items.slice(from), bytes };
}
