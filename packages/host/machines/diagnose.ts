import { decodeCanonical } from "@holdfast/core";
import { exactText } from "@holdfast/core/machine";
import type { TraceState, TraceWaits } from "./trace-machines.ts";
import type { FailedEffect, Fault, Troubles } from "./troubles.ts";

type Waits = Pick<TraceWaits, "intents" | "instances">;

/** Why it is as it is: one cause, and what to do next. */
export type Diagnosis = {
  readonly cause: DiagnosedCause;
  readonly note: string;
  readonly next: string;
  /** Number of the record that says so; null = none does. */
  readonly seq: number | null;
  readonly intentId: string | null;
  /** Of the event that a step failed on, as it saw it; null = it is about none. */
  readonly eventHash: string | null;
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

/** In this order: what failed before what waits, and what nobody answered before all else. */
export function diagnose(
  { failed, fault }: Pick<Troubles, "failed" | "fault">,
  waits: Waits,
  state: TraceState,
): Diagnosis {
  if (failed !== null) return ofFailed(failed);
  if (state === "failed" && fault !== null) return ofFault(fault);
  if (state === "failed") {
    return about("unknown_failure", "an instance has failed", "see machine timeline of the cell");
  }
  return ofWait(waits, state);
}

function ofFailed({ status, seq, intentId }: FailedEffect): Diagnosis {
  const found =
    status === "timeout"
      ? about("adapter_timeout", "an effect was not answered in time", "ask again")
      : about(
          "adapter_error",
          "an effect failed for certain",
          "see its receipt; mend and ask again",
        );
  return { ...found, seq, intentId };
}

function ofFault({ note, seq, eventHash, intentId, ...cell }: Fault): Diagnosis {
  const next = `mend the step and deploy it, then ${restartOf(cell)}`;
  return { ...about("invariant_violation", note, next), seq, eventHash, intentId };
}

/** As it is typed: the name of a machine begins with its workflow's. */
function restartOf({ machine, key }: Pick<Fault, "machine" | "key">): string {
  if (machine === null) return "machine restart";
  const [workflow = ""] = machine.split("/");
  const text = key === null ? null : exactText(decodeCanonical(key)).replaceAll("'", "'\\''");
  const cell = text === null ? "" : ` --cell '${text}'`;
  return `machine restart ${workflow} ${machine}${cell} (--drop leaves out what it failed on)`;
}

function ofWait({ intents, instances }: Waits, state: TraceState): Diagnosis {
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
  return { cause, note, next, seq: null, intentId: null, eventHash: null };
}
