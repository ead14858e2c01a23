import { type CanonicalValue, decodeCanonical, type Store } from "@holdfast/core";
import { hex } from "@holdfast/core/machine";
import type { JsonValue } from "../queries/answers.ts";
import { plainValue } from "../queries/plain-value.ts";
import { recordsBefore } from "./recent-records.ts";
import type { RecordFields } from "./show-records.ts";

type Parts = { readonly store: Store; readonly workflow: string };

/** By what a trace is looked for. */
export type TraceQuery =
  /** Number of an event's record, or its hash as a step saw it. */
  | { readonly by: "event"; readonly event: string }
  | { readonly by: "intent"; readonly intentId: string }
  /** The newest event of a topic with this at a path of its value, with dots. */
  | { readonly by: "value"; readonly topic: string; readonly path: string; readonly value: string };

/** The record before that one came of; an answer came of what asked for its effect. */
type Sought =
  | { readonly by: "seq"; readonly seq: number }
  | { readonly by: "intent"; readonly intentId: string; readonly from: number };

/**
 * Number of the record from outside that the newest of what is meant came of; null = there is none
 * such. The way back is one look at the journal, which holds nothing but what it looks for next.
 */
export async function findRoot(parts: Parts, query: TraceQuery): Promise<number | null> {
  let sought: Sought | null = null;
  for await (const [seq, fields] of recordsBefore(parts, beginOf(query))) {
    const isIt = sought === null ? isMeant(query, seq, fields) : isSought(sought, seq, fields);
    if (!isIt) continue;
    sought = causeOf(seq, fields);
    if (sought === null) return seq;
  }
  // Nobody asked for the effect that it was said of.
  return sought?.by === "intent" ? sought.from : null;
}

/** Nothing behind an event with its number has to be looked at. */
function beginOf(query: TraceQuery): number | null {
  if (query.by !== "event" || !/^\d{1,15}$/.test(query.event)) return null;
  return Number(query.event) + 1;
}

function isSought(sought: Sought, seq: number, { kind, intent_hash: intent }: RecordFields) {
  if (sought.by === "seq") return seq === sought.seq;
  return kind === "effect_intent" && isHash(intent, sought.intentId);
}

function causeOf(seq: number, { cause, intent_hash: intent }: RecordFields): Sought | null {
  if (typeof cause === "number") return { by: "seq", seq: cause };
  if (!(intent instanceof Uint8Array)) return null;
  return { by: "intent", intentId: hex(intent), from: seq };
}

function isMeant(query: TraceQuery, seq: number, fields: RecordFields): boolean {
  const { kind, event_hash: hash, intent_hash: intent, topic, value } = fields;
  switch (query.by) {
    case "event":
      if (kind === "domain_event" && String(seq) === query.event) return true;
      return isHash(hash, query.event.replace(/^sha256:/, ""));
    case "intent":
      return isHash(intent, query.intentId);
    case "value":
      if (kind !== "domain_event" || topic !== query.topic) return false;
      return value instanceof Uint8Array && textAt(value, query.path) === query.value;
  }
}

function isHash(given: CanonicalValue | undefined, wanted: string): boolean {
  return given instanceof Uint8Array && hex(given) === wanted;
}

/** What stands at a path, as text; null = nothing does. */
function textAt(bytes: Uint8Array, path: string): string | null {
  let value: JsonValue | undefined = plainValue(decodeCanonical(bytes));
  for (const part of path.split(".")) {
    if (typeof value !== "object" || value === null) return null;
    value = (value as Readonly<Record<string, JsonValue>>)[part];
  }
  if (value === undefined || value === null) return null;
  return typeof value === "string" ? value : JSON.stringify(value);
}
