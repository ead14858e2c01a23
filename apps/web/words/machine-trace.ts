import type { MachineTraceAnswer } from "@holdfast/protocol";
import { sayEntry, type Told, timeOf } from "./machine-story.ts";
import { cellName, sayEffect, sayFault } from "./machines.ts";
import type { Said } from "./states.ts";
import { countText, type Json } from "./values.ts";

type Item = MachineTraceAnswer["items"][number];
type Fields = { readonly [name: string]: Json };

const kinds: Readonly<Record<string, string>> = {
  step: "step",
  effect_intent: "effect",
  effect_receipt: "receipt",
  stream_frame: "frame",
  step_killed: "killed",
  cancel: "canceled",
  restart: "restarted",
};

/** A record of a trace has the name of what is kept; the words are those of a story. */
function kindOf({ kind, record }: Item): string {
  if (kind === "domain_event") return (record as Fields)["from"] == null ? "event" : "said";
  return kinds[kind] ?? (kind.startsWith("workflow.") ? "fault" : kind);
}

const nsPerMs = 1_000_000;

function instantOf({ record }: Item): number | null {
  const { now_ns: now } = ((record as Fields)["stamp"] ?? {}) as Fields;
  return now == null ? null : Number(now) / nsPerMs;
}

export function sayTraced(item: Item, items: readonly Item[]): Told & { at: number | null } {
  const told = sayEntry({ kind: kindOf(item), record: item.record });
  const timed = items.map((each) => ({ ...each, at: instantOf(each) }));
  return { ...told, at: timeOf(timed, item.seq) };
}

/** The cell it is about; null = it is about several, or none. */
export function whoseRecord({ record }: Pick<Item, "record">): string | null {
  const { machine, key = null } = record as Fields;
  return typeof machine === "string" ? cellName({ machine, key: key as never }) : null;
}

type Judged = Pick<MachineTraceAnswer, "diagnosis" | "waits" | "items">;

/** Why it is as it is, and what to do; null = nothing. */
export function sayTraceState({ diagnosis, waits, items }: Judged): {
  readonly said: Said;
  readonly todo: string | null;
} {
  const quiet = (text: string, todo: string | null = null) => {
    return { said: { text, tone: "quiet" } as const, todo };
  };
  const [first] = waits.intents;
  const asked = items.find(({ kind, record }) => {
    return kind === "effect_intent" && (record as Fields)["intent_hash"] === first?.intentId;
  });
  const params = ((asked?.record ?? {}) as Fields)["params"] ?? null;
  switch (diagnosis.cause) {
    case "adapter_timeout":
      return quiet("What was asked for last was not answered in time.");
    case "adapter_error":
      return quiet("What was asked for last did not work, for certain.");
    case "invariant_violation":
      return quiet(
        `A script made a mistake: ${sayFault(diagnosis.note)}`,
        "Open what stopped, and let it go on from there.",
      );
    case "unknown_failure":
      return quiet("Something stopped.", "Open it: it says why, and goes on from there.");
    case "waiting_receipt":
      return quiet(
        `${countText(waits.intents.length, "answer")} to come: ` +
          sayEffect(first?.effect ?? "", params),
      );
    case "waiting_event":
      return quiet("It waits for what comes in next.");
    case "completed":
      return quiet("All of it is done.");
    default:
      return quiet("Nothing has come of it yet.");
  }
}
