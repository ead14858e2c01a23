import { hex } from "@holdfast/core/machine";
import type { Traced, TraceState, TraceWaits } from "./trace-machines.ts";

/** Why it is as it is: one cause, and what to do next. */
export type Diagnosis = {
  readonly cause: DiagnosedCause;
  readonly note: string;
  readonly next: string;
  /** Number of the record that says so; null = none does. */
  readonly seq: number | null;
  readonly intentId: string | null;
};

export type DiagnosedCause =
  | "adapter_timeout"
  | "adapter_error"
  | "invariant_violation"
  | "unknown_failure"
  | "waiting_receipt"
  | "waiting_event"
  | "completed"
  | "unknown";

/** In this order: what failed before what waits. A receipt counts if no better one followed it. */
export function diagnose(
  traced: readonly Traced[],
  waits: TraceWaits,
  state: TraceState,
): Diagnosis {
  const last = traced.findLast(({ fields }) => fields["kind"] === "effect_receipt");
  const status = last?.fields["status"];
  if (last !== undefined && (status === "timeout" || status === "error")) {
    return ofReceipt(last, status);
  }
  const fault = traced.findLast(({ fields }) => isFault(fields));
  if (state === "failed" && fault !== undefined) return ofFault(fault);
  if (state === "failed") {
    return about("unknown_failure", "an instance has failed", "see machine timeline of the cell");
  }
  return ofWait(waits, state);
}

function ofReceipt({ seq, fields }: Traced, status: "timeout" | "error"): Diagnosis {
  const hash = fields["intent_hash"];
  const intentId = hash instanceof Uint8Array ? hex(hash) : null;
  const [cause, note, next] =
    status === "timeout"
      ? (["adapter_timeout", "an effect was not answered in time", "ask again"] as const)
      : ([
          "adapter_error",
          "an effect failed for certain",
          "see its receipt; mend and ask again",
        ] as const);
  return { cause, note, next, seq, intentId };
}

function isFault({ kind, name }: Traced["fields"]): boolean {
  return (
    kind === "step_killed" || name === "workflow.step_fault" || name === "workflow.receipt_fault"
  );
}

function ofFault({ seq, fields }: Traced): Diagnosis {
  const code = String(fields["code"] ?? fields["error_code"] ?? fields["reason"]);
  const next = "mend the step and deploy it, then machine restart";
  return { ...about("invariant_violation", code, next), seq };
}

function ofWait({ intents, instances }: TraceWaits, state: TraceState): Diagnosis {
  switch (state) {
    case "waiting_receipt": {
      const [first] = intents;
      const note = `${intents.length} effects without a receipt, ${first?.effect} the longest`;
      const next = "see machine intents: who is asked, and whether a person is";
      return { ...about("waiting_receipt", note, next), intentId: first?.intentId ?? null };
    }
    case "waiting_event": {
      const note = `${instances.length} instances wait for an event`;
      return about("waiting_event", note, "send or publish what they wait for");
    }
    case "completed":
      return about("completed", "all of it is done", "nothing");
    default:
      return about("unknown", "nothing was stepped", "see machine journal");
  }
}

function about(cause: DiagnosedCause, note: string, next: string): Diagnosis {
  return { cause, note, next, seq: null, intentId: null };
}
