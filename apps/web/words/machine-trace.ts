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
  cancel: "cancel_asked",
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

type Waits = MachineTraceAnswer["waits"];

/** What it asked for, if that is among the records that are shown; else by its name alone. */
function sayAsked({ intentId, effect }: Waits["intents"][number], items: readonly Item[]): string {
  const asked = items.find(({ kind, record }) => {
    return kind === "effect_intent" && (record as Fields)["intent_hash"] === intentId;
  });
  return sayEffect(effect, ((asked?.record ?? {}) as Fields)["params"] ?? null);
}

/** All that it waits for, one line each, and whether it is alone in that. */
export function sayWaits({ waits, items }: Pick<Judged, "waits" | "items">): readonly string[] {
  const { intents, waiting, queued, pending, quiescence } = waits;
  const stopped = waiting - queued;
  const lines = intents.map((intent) => {
    const ago = countText(intent.age, "record");
    return `waits for ${sayAsked(intent, items)}, asked for ${ago} ago`;
  });
  if (queued > 0) lines.push(`${countText(queued, "thing")} to look at: its turn comes`);
  if (stopped > 0) lines.push(`${countText(stopped, "thing")} left to those that stopped`);
  if (pending > 0) lines.push(`${countText(pending, "answer")} here, and not looked at yet`);
  return [...lines, sayQuiescence(quiescence)];
}

function sayQuiescence({ isStrict, ...under }: Waits["quiescence"]): string {
  if (isStrict) return "Nothing is under way in all of the workflow's machines.";
  const { instances, intents, timers, queued, inputs } = under;
  const some = [
    [instances, countText(instances, "instance")],
    [intents, countText(intents, "answer to come", "answers to come")],
    [timers, countText(timers, "timer")],
    [queued + inputs, countText(queued + inputs, "thing to look at", "things to look at")],
  ] as const;
  const shown = some.flatMap(([count, text]) => (count > 0 ? [text] : []));
  return `Under way in all of the workflow's machines: ${shown.join(", ")}.`;
}

/** Why it is as it is, and what to do; null = nothing. */
export function sayTraceState({ diagnosis, waits, items }: Judged): {
  readonly said: Said;
  readonly todo: string | null;
} {
  const quiet = (text: string, todo: string | null = null) => {
    return { said: { text, tone: "quiet" } as const, todo };
  };
  const [first] = waits.intents;
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
          (first === undefined ? "" : sayAsked(first, items)),
      );
    case "waiting_event":
      return quiet("It waits for what comes in next.");
    case "completed":
      return quiet("All of it is done.");
    default:
      return quiet("Nothing has come of it yet.");
  }
}
