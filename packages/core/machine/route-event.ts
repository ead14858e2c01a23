import type { CanonicalValue } from "../canonical/index.ts";
import { type Canonicalized, canonicalize, canonicalizeValue } from "./canonicalize.ts";
import { cellIdOf } from "./cell.ts";
import { isForged, wrapFor } from "./event-shape.ts";
import { sameBytes } from "./hex.ts";
import { valueAtPath } from "./key-path.ts";
import type { CompiledMachine, MachineSet, Route } from "./machine-set.ts";
import { type Refused, refused } from "./refused.ts";

/** One cell that gets the event, and the bytes its step will see. */
export type Target = {
  readonly machine: CompiledMachine;
  readonly key: Uint8Array | null; // null = the machine has one cell
  readonly cellId: string;
  readonly value: Uint8Array;
};

function targetOf(machine: CompiledMachine, key: Uint8Array | null, value: Uint8Array): Target {
  return { machine, key, cellId: cellIdOf(machine.name, key), value };
}

export type Routed =
  | { readonly ok: true; readonly value: Uint8Array; readonly targets: readonly Target[] }
  | Refused;

export type SentEvent = {
  readonly topic: string;
  readonly value: Uint8Array;
  readonly key: Uint8Array | null; // null = taken from the event alone
};

/** Brings an event into its topic's form and finds its cells; one that fails refuses all. */
export function routeEvent(set: MachineSet, { topic, value, key }: SentEvent): Routed {
  const found = set.topics.get(topic);
  if (found === undefined) return refused("event.topic_unknown", topic);
  const canonical = canonicalize(found.compiled, value);
  if (!canonical.ok) return refused("event.invalid", canonical.note);
  const targets: Target[] = [];
  for (const route of set.routes.get(topic) ?? []) {
    const target = follow(route, canonical, key);
    if (!target.ok) return target;
    targets.push(target.target);
  }
  return { ok: true, value: canonical.bytes, targets };
}

type Followed = { readonly ok: true; readonly target: Target } | Refused;

type Event = { readonly value: CanonicalValue; readonly bytes: Uint8Array };

function follow(route: Route, event: Event, given: Uint8Array | null): Followed {
  const { machine, keyPath } = route;
  const delivered = deliveredAs(route, event);
  if (!delivered.ok) return refused("event.invalid", delivered.note);
  if (isForged(machine.event, delivered.value)) return refused("event.reserved_arm", machine.name);
  if (machine.key === null || keyPath === null) {
    return { ok: true, target: targetOf(machine, null, delivered.bytes) };
  }
  const found = valueAtPath(route.keyInWrapped ? delivered.value : event.value, keyPath);
  if (found === undefined) return refused("event.key_missing", keyPath.join("."));
  const key = canonicalizeValue(machine.key, found);
  if (!key.ok) return refused("event.key_invalid", key.note);
  if (given !== null && !sameBytes(given, key.bytes)) {
    return refused("event.key_mismatch", machine.name);
  }
  return { ok: true, target: targetOf(machine, key.bytes, delivered.bytes) };
}

/** As it is, it has the machine's own schema and was checked by it; wrapped, it is checked anew. */
function deliveredAs({ machine, wrapAs }: Route, event: Event): Canonicalized {
  if (wrapAs === null) return { ok: true, ...event };
  const wrapped = wrapFor(machine.event, wrapAs, event.value);
  if (!wrapped.fits) return { ok: false, note: `${machine.name} has no arm for it` };
  return canonicalizeValue(machine.event.compiled, wrapped.value);
}

export type DirectEvent = {
  readonly machine: string;
  readonly value: Uint8Array;
  readonly key: Uint8Array | null; // null = the machine has one cell
};

/** An event for one cell of one machine, in the machine's own schema. */
export function addressEvent(set: MachineSet, { machine: name, value, key }: DirectEvent): Routed {
  const machine = set.machines.get(name);
  if (machine === undefined) return refused("event.machine_unknown", name);
  const canonical = canonicalize(machine.event.compiled, value);
  if (!canonical.ok) return refused("event.invalid", canonical.note);
  if (isForged(machine.event, canonical.value)) return refused("event.reserved_arm", name);
  if (machine.key === null || key === null) {
    if (machine.key !== null) return refused("event.key_missing", name);
    if (key !== null) return refused("event.key_unexpected", name);
    return {
      ok: true,
      value: canonical.bytes,
      targets: [targetOf(machine, null, canonical.bytes)],
    };
  }
  const found = canonicalize(machine.key, key);
  if (!found.ok) return refused("event.key_invalid", found.note);
  const target = targetOf(machine, found.bytes, canonical.bytes);
  return { ok: true, value: canonical.bytes, targets: [target] };
}
