/** A call of a step as a guest gets it, and a step's return as a guest gives it. */
import {
  type CanonicalRecord,
  type CanonicalValue,
  type CompiledSchema,
  decodeCanonical,
  encodeCanonical,
} from "../canonical/index.ts";
import { type ChainAnswer, stateLeft } from "./chain.ts";
import { compileText, type WriteText, type Writing } from "./guest-text.ts";
import { sameBytes } from "./hex.ts";
import { receiptSchemaName } from "./host-schemas.ts";
import type { CompiledMachine, MachineSet } from "./machine-set.ts";
import { isHostName } from "./names.ts";
import type { StepCall } from "./step.ts";
import { closeStepReturn } from "./step-return.ts";
import { openStepCall, typedPayload } from "./step-values.ts";
import { guestTexts, readReturned } from "./tagged-json.ts";

export type StepTexts = Readonly<Record<"state" | "event" | "context" | "apart", string>>;

export type KnownOfStep = {
  /** What the call's own says, if it is known as a value. */
  readonly state?: CanonicalValue | null;
  /** Empty; what lies in it afterwards is handed over beside the texts, which have its number. */
  readonly beside?: Uint8Array[];
};

export function stepTexts(
  set: MachineSet,
  call: StepCall,
  { state = null, beside }: KnownOfStep = {},
): StepTexts {
  const machine = set.machines.get(call.machine);
  const quick = machine === undefined ? null : quickTexts(set, machine, call, { state, beside });
  if (quick !== null) return quick;
  beside?.splice(0);
  const { ctx: context, ...opened } = openStepCall(set, call);
  return guestTexts({ ...opened, context });
}

type Known = {
  readonly state: CanonicalValue | null;
  readonly beside: Uint8Array[] | undefined;
};

/** Null = the long way: it has a type that is seldom, or the moment in its context. */
function quickTexts(
  set: MachineSet,
  machine: CompiledMachine,
  call: StepCall,
  { state: known, beside }: Known,
): StepTexts | null {
  if (call.ctx !== null) return null;
  const { state, key } = machine;
  const writing: Writing = { way: ["state"], apart: [], beside };
  const write = (of: CompiledSchema, value: CanonicalValue) =>
    writerOf(of, set.names)(value, writing);
  const before = call.state;
  const stateText = before === null ? "null" : write(state, known ?? decodeCanonical(before));
  if (stateText === null) return null;
  writing.way[0] = "event";
  const eventText = writeEvent(set, machine, decodeCanonical(call.event.value), writing);
  if (eventText === null) return null;
  writing.way.splice(0, 1, "context", "key");
  const cell = key === null ? null : call.event.key;
  const keyText = key === null || cell === null ? "null" : write(key, decodeCanonical(cell));
  if (keyText === null) return null;
  const apart = writing.apart.length === 0 ? "[]" : JSON.stringify(writing.apart);
  return { state: stateText, event: eventText, context: `{"key":${keyText}}`, apart };
}

/** A receipt has its payload behind all that its envelope says. */
function writeEvent(
  set: MachineSet,
  { event: { schemaName, compiled, tags, hostTags } }: CompiledMachine,
  event: CanonicalValue,
  writing: Writing,
): string | null {
  if (isHostName(schemaName)) return null;
  const text = writerOf(compiled, set.names)(event, writing);
  const { $tag: tag, $value: envelope } = event as CanonicalRecord;
  if (text === null || typeof tag !== "string" || !hostTags.has(tag)) return text;
  if (tag !== tags.get(receiptSchemaName)) return null;
  const typed = typedPayload(set, envelope as CanonicalRecord);
  if (typed === null) return null;
  writing.way.push("$value", "payload");
  const payload = writerOf(typed.schema, set.names)(typed.value, writing);
  writing.way.length -= 2;
  return payload === null ? null : `${text.slice(0, -2)},"payload":${payload}}}`;
}

const writers = new WeakMap<CompiledSchema, WriteText>();

function writerOf(of: CompiledSchema, names: MachineSet["names"]): WriteText {
  const known = writers.get(of);
  if (known !== undefined) return known;
  const write = compileText(of.schema, names);
  writers.set(of, write);
  return write;
}

export type ClosedStep = ChainAnswer & {
  /** What the next step of the cell may be called with; null = nothing, or the bytes say it. */
  readonly leftValue: CanonicalValue | null;
};

/**
 * The answer to a call, from the text that the guest returned. `machine`: the next step of the cell
 * is to be called with the state that this one left.
 */
export function closeStepText(text: string | null, machine: CompiledMachine | null): ClosedStep {
  const { value: returned, isPlain } = text === null ? nothing : readReturned(text);
  const answer = closeStepReturn(returned);
  if (machine === null || answer.kind !== "output" || answer.output.state === null) {
    return { answer, left: null, leftValue: null };
  }
  if (!isPlain) return { answer, left: stateLeft(machine, answer), leftValue: null };
  // It is what its bytes say, so they need not be read again.
  const formed = machine.state.validate((returned as { readonly state: unknown }).state);
  if (!formed.ok) return { answer, left: null, leftValue: null };
  const bytes = encodeCanonical(formed.value);
  const given = answer.output.state;
  return { answer, left: sameBytes(given, bytes) ? given : bytes, leftValue: formed.value };
}

const nothing = { value: null, isPlain: true };
