import { createHash } from "node:crypto";

/** One span as it is told: only names, ids and how it ended; never what a call was about. */
export type SpanNote = {
  readonly id: SpanId;
  /** Null = it begins its trace. */
  readonly parent: SpanId | null;
  /** What it goes on from, after a wait that may have lasted for days. */
  readonly follows: SpanId | null;
  readonly name: string;
  readonly kind: "run" | "phase" | "operation" | "attempt";
  readonly from: number;
  readonly until: number;
  readonly attributes: Readonly<Record<string, string | number>>;
  /** Null = it went well, or it is not known yet that it did not. */
  readonly fault: string | null;
};

export type SpanId = { readonly traceId: string; readonly spanId: string };

/**
 * Made of what the span is about, so that every host, and one that was started again, gives the
 * same run the same trace.
 */
export function spanIdOf(
  { workflow, runId }: { readonly workflow: string; readonly runId: string },
  ...part: readonly (string | number)[]
): SpanId {
  const traceId = digest([workflow, runId]).slice(0, 32);
  return { traceId, spanId: digest([workflow, runId, ...part]).slice(32, 48) };
}

function digest(parts: readonly (string | number)[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex");
}
