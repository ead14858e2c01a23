import { type CanonicalValue, decodeCanonical, type Store } from "@holdfast/core";
import { cellIdOf, findInstance, hex, type InstanceView } from "@holdfast/core/machine";
import type { JsonValue } from "../queries/answers.ts";
import { plainValue } from "../queries/plain-value.ts";
import { type Diagnosis, diagnose } from "./diagnose.ts";
import { type ReadParts, readKernel } from "./kept-kernels.ts";
import type { OpenedKernel } from "./open-kernel.ts";
import { type RecordFields, recordsAfter, shownRecord } from "./show-records.ts";

type Parts = ReadParts & { readonly store: Store };

/** By what a trace is looked for. */
export type TraceQuery =
  /** Number of an event's record, or its hash as a step saw it. */
  | { readonly by: "event"; readonly event: string }
  | { readonly by: "intent"; readonly intentId: string }
  /** The newest event of a topic with this at a path of its value, with dots. */
  | { readonly by: "value"; readonly topic: string; readonly path: string; readonly value: string };

export type MachineTrace = {
  /** Number of the record that it all came of. */
  readonly root: number;
  readonly items: readonly {
    readonly seq: number;
    readonly kind: string;
    /** Number of the record that led to it; null = the outside did. */
    readonly cause: number | null;
    readonly record: JsonValue;
  }[];
  /** How many came of it in all, and the numbers of the first and the last. */
  readonly window: { readonly count: number; readonly from: number; readonly to: number };
  readonly waits: TraceWaits;
  readonly state: TraceState;
  readonly diagnosis: Diagnosis;
};

export type TraceState = "failed" | "waiting_receipt" | "waiting_event" | "completed" | "unknown";

export type TraceWaits = {
  /** Intents of it without a receipt, each with how many records ago it was asked for. */
  readonly intents: readonly {
    readonly intentId: string;
    readonly effect: string;
    readonly age: number;
  }[];
  readonly instances: readonly { readonly cell: string; readonly status: string }[];
  /** Events that wait in the mailboxes of its cells. */
  readonly waiting: number;
};

/** So many records of a trace are shown, the newest. */
const shownMax = 400;

/** A record of the trace, before it is shown. */
export type Traced = { readonly seq: number; readonly fields: RecordFields };

/** All that came of one thing from outside, over the whole journal; null = there is none such. */
export async function traceMachines(parts: Parts, query: TraceQuery): Promise<MachineTrace | null> {
  const roots = new Roots();
  let found: number | null = null;
  for await (const [seq, fields] of recordsAfter(parts, 0)) {
    const root = roots.add(seq, fields);
    if (isMeant(query, seq, fields)) found = root;
  }
  if (found === null) return null;
  // Read twice, so that only what belongs to it is held.
  const traced: Traced[] = [];
  for await (const [seq, fields] of recordsAfter(parts, found - 1)) {
    if (roots.of(seq) === found) traced.push({ seq, fields });
  }
  const waits = await readKernel(parts, (opened) => waitsOf(opened, traced));
  const state = stateOf(waits, traced);
  return {
    root: found,
    items: traced.slice(-shownMax).map(({ seq, fields }) => ({
      seq,
      kind: String(fields["name"] ?? fields["kind"]),
      cause: typeof fields["cause"] === "number" ? fields["cause"] : null,
      record: shownRecord(fields),
    })),
    window: { count: traced.length, from: found, to: traced.at(-1)?.seq ?? found },
    waits,
    state,
    diagnosis: diagnose(traced, waits, state),
  };
}

/** Which record from outside each came of: a receipt came of what asked for its effect. */
class Roots {
  readonly #rootOf = new Map<number, number>();
  readonly #intents = new Map<string, number>();

  of(seq: number): number | undefined {
    return this.#rootOf.get(seq);
  }

  add(seq: number, fields: RecordFields): number {
    const { cause, kind, intent_hash: intent } = fields;
    const ofIntent = intent instanceof Uint8Array ? this.#intents.get(hex(intent)) : undefined;
    const before = typeof cause === "number" ? this.#rootOf.get(cause) : ofIntent;
    const root = before ?? seq;
    this.#rootOf.set(seq, root);
    if (kind === "effect_intent" && intent instanceof Uint8Array) {
      this.#intents.set(hex(intent), root);
    }
    return root;
  }
}

function isMeant(query: TraceQuery, seq: number, fields: RecordFields): boolean {
  const { kind, event_hash: hash, intent_hash: intent, topic, value } = fields;
  switch (query.by) {
    case "event":
      if (kind === "domain_event" && String(seq) === query.event) return true;
      return hash instanceof Uint8Array && hex(hash) === query.event.replace(/^sha256:/, "");
    case "intent":
      return intent instanceof Uint8Array && hex(intent) === query.intentId;
    case "value":
      if (kind !== "domain_event" || topic !== query.topic) return false;
      return value instanceof Uint8Array && textAt(value, query.path) === query.value;
  }
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

async function waitsOf(
  { kernel, driver }: OpenedKernel,
  traced: readonly Traced[],
): Promise<TraceWaits> {
  const names = new Map(traced.flatMap(({ fields }) => cellsOf(fields)));
  const known: InstanceView[] = [];
  for (const [, name] of [...names].sort(([left], [right]) => (left < right ? -1 : 1))) {
    const found = await driver.drive(kernel, findInstance(kernel, name));
    if (found !== null) known.push(found);
  }
  const intents = traced.flatMap(({ seq, fields }) => {
    const { kind, intent_hash: hash } = fields;
    if (kind !== "effect_intent" || !(hash instanceof Uint8Array)) return [];
    const open = kernel.intents.get(hex(hash));
    if (open === undefined) return [];
    return [{ intentId: open.id, effect: open.effect, age: kernel.seq - seq }];
  });
  return {
    intents,
    instances: known.map(({ id: cell, status }) => ({ cell, status })),
    waiting: known.reduce((sum, { mailboxCount }) => sum + mailboxCount, 0),
  };
}

type CellName = { readonly machine: string; readonly key: Uint8Array | null };

/** By their ids. */
function cellsOf(fields: RecordFields): readonly (readonly [string, CellName])[] {
  const targets = (fields["targets"] ?? []) as readonly CanonicalValue[];
  return [fields, ...targets].flatMap((each) => {
    const { machine, key = null } = each as { machine?: unknown; key?: Uint8Array | null };
    return typeof machine === "string" ? [[cellIdOf(machine, key), { machine, key }] as const] : [];
  });
}

function stateOf({ intents, instances, waiting }: TraceWaits, traced: readonly Traced[]) {
  if (instances.some(({ status }) => status === "failed")) return "failed";
  if (intents.length > 0) return "waiting_receipt";
  const isStepped = traced.some(({ fields }) => fields["kind"] === "step");
  if (!isStepped) return waiting > 0 ? "waiting_event" : "unknown";
  // A cell that ended without a state is not there any more.
  const isDone = instances.every(({ status }) => status === "completed");
  return isDone ? "completed" : "waiting_event";
}
