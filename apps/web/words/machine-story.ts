import type { MachineTimelineAnswer } from "@holdfast/protocol";
import { sayEffect, sayFault } from "./machines.ts";
import type { Said, Tone } from "./states.ts";
import type { Json } from "./values.ts";

export type Entry = MachineTimelineAnswer["items"][number];

/** One line of a story: what happened, and what belongs to it. */
export type Told = Said & {
  /** What came, was asked for or answered; undefined = nothing to show. */
  readonly value?: Json;
  /** What the value is. */
  readonly title: string;
  readonly intentId: string | null;
};

type Fields = { readonly [name: string]: Json };

const answers: Readonly<Record<string, readonly [text: string, tone: Tone]>> = {
  ok: ["answered: it is done", "done"],
  error: ["answered: it did not work", "stopped"],
  timeout: ["not answered in time", "stopped"],
  skipped: ["left out by a person", "quiet"],
};

/** A record of a trace has no note. */
type Entered = Pick<Entry, "kind" | "record"> & Partial<Pick<Entry, "note">>;

/** What happened, as who reads the story would say it. */
export function sayEntry({ kind, record, note = null }: Entered): Told {
  const fields = record as Fields;
  const text = (name: string) => (typeof fields[name] === "string" ? String(fields[name]) : "");
  const intentId = text("intent_hash") || null;
  const plain = (says: string, tone: Tone, more: Partial<Told> = {}): Told => {
    return { text: says, tone, title: "What it says", intentId, ...more };
  };
  switch (kind) {
    case "event": {
      const from = text("topic") === "" ? "sent to it by hand" : `came in: ${text("topic")}`;
      return plain(from, "quiet", shownAs(fields["value"]));
    }
    case "said":
      return plain(`told others: ${text("topic")}`, "quiet", shownAs(fields["value"]));
    case "step":
      return fields["done"] === true
        ? plain("its script looked at it, and ended it", "done")
        : plain("its script looked at it", "quiet");
    case "effect":
      return plain(`asked: ${sayEffect(text("effect"), fields["params"] ?? null)}`, "moving", {
        ...shownAs(fields["params"]),
        title: "What it asked for",
      });
    case "receipt": {
      const [says, tone] = answers[text("status")] ?? [`answered: ${text("status")}`, "quiet"];
      return plain(says, tone, { ...shownAs(fields["payload"]), title: "The answer" });
    }
    case "frame":
      return plain("heard how far it is", "moving", shownAs(fields["payload"]));
    default:
      return sayTrouble(kind, note === null ? fields : { ...fields, code: note }, plain);
  }
}

function sayTrouble(kind: string, fields: Fields, plain: (says: string, tone: Tone) => Told): Told {
  const actor = String(fields["actor"] ?? "somebody");
  switch (kind) {
    case "fault":
      return sayNoted(fields, plain);
    case "killed":
      return plain("its script was stopped: it took too long", "stopped");
    case "cancel_asked":
      return plain(`${actor} asked to take back what it had asked for`, "quiet");
    case "restarted":
      return fields["poison"] === "drop"
        ? plain(`${actor} let it go on without what it had stopped at`, "quiet")
        : plain(`${actor} let it go on with what it had stopped at`, "quiet");
    default:
      return plain(kind.replaceAll("_", " "), "quiet");
  }
}

const noted: Readonly<Record<string, readonly [text: string, tone: Tone]>> = {
  "workflow.receipt_refused": ["an answer came that cannot be relied on: not taken", "stopped"],
  "workflow.receipt_ignored": ["an answer came once more: not needed", "quiet"],
  "workflow.receipt_fault": ["an answer came that its script has no place for", "stopped"],
  "workflow.stream_drop": ["news came that was not needed", "quiet"],
  "workflow.stream_gap": ["news may have been missed", "quiet"],
  "workflow.over_capacity": ["asked for more than may be open at once: refused", "stopped"],
};

function sayNoted(fields: Fields, plain: (says: string, tone: Tone) => Told): Told {
  const name = String(fields["name"] ?? "");
  if (name === "workflow.step_fault") {
    return plain(`its script made a mistake: ${sayFault(String(fields["code"]))}`, "stopped");
  }
  const [says, tone] = noted[name] ?? [name, "quiet"];
  return plain(says, tone);
}

function shownAs(value: Json | undefined): Partial<Told> {
  return value === undefined || value === null ? {} : { value };
}

/**
 * After which record a step is whole: what it asked for and said belongs to it. Entries are in the
 * order of their numbers.
 */
export function endOfStep(entries: readonly Pick<Entry, "seq" | "cause">[], seq: number): number {
  let end = seq;
  for (const each of entries) if (each.seq === end + 1 && each.cause === seq) end = each.seq;
  return end;
}

/** When it happened: what has no time of its own has that of what led to it. */
export function timeOf(entries: readonly Pick<Entry, "seq" | "cause" | "at">[], seq: number) {
  let entry = entries.find((each) => each.seq === seq);
  while (entry !== undefined && entry.at === null && entry.cause !== null) {
    const { cause } = entry;
    entry = entries.find((each) => each.seq === cause && each.seq < seq);
  }
  return entry?.at ?? null;
}
