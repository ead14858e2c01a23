/** From the kernel's bytes to the plain values a step works with. */
import {
  type CanonicalRecord,
  type CanonicalValue,
  type CompiledSchema,
  decodeCanonical,
} from "../canonical/index.ts";
import { invariant } from "../ports/invariant.ts";
import { payloadSchema, receiptStatuses } from "./effect.ts";
import { guestValue } from "./guest-value.ts";
import { contextSchema, frameSchemaName, receiptSchemaName } from "./host-schemas.ts";
import type { CompiledMachine, MachineSet } from "./machine-set.ts";
import type { StepCall } from "./step.ts";

export type StepArguments = {
  readonly state: CanonicalValue | null;
  readonly event: CanonicalValue;
  /** The key, and for a machine that declares it, the moment. */
  readonly ctx: CanonicalRecord;
};

/** What a step is called with. A receipt has its payload beside the bytes, as a value. */
export function openStepCall(set: MachineSet, call: StepCall): StepArguments {
  invariant(call.version === 1, "only version 1 of a step's call is known");
  const machine = set.machines.get(call.machine);
  invariant(machine !== undefined, "a step is called on a machine of the set");
  const { names } = set;
  const { state, event, key } = machine;
  const before = call.state === null ? null : state.decode(call.state);
  const value = event.compiled.decode(call.event.value);
  const keyValue = key === null || call.event.key === null ? null : key.decode(call.event.key);
  return {
    state: guestValue(state.schema, before, names),
    event: withPayload(set, machine, guestValue(event.compiled.schema, value, names)),
    ctx: {
      key: key === null ? null : guestValue(key.schema, keyValue, names),
      ...(call.ctx === null ? {} : openMoment(call.ctx)),
    },
  };
}

function openMoment(ctx: Uint8Array): CanonicalRecord {
  const { schema, decode } = contextSchema;
  const moment = guestValue(schema, decode(ctx), new Map()) as { [name: string]: CanonicalValue };
  return {
    nowNs: moment["now_ns"] ?? null,
    logicalNowNs: moment["logical_now_ns"] ?? null,
    height: moment["journal_height"] ?? null,
    entropy: moment["entropy"] ?? null,
    eventHash: moment["event_hash"] ?? null,
    manifestHash: moment["manifest_hash"] ?? null,
    machine: moment["workflow"] ?? null,
    machineHash: moment["workflow_hash"] ?? null,
  };
}

function withPayload(
  set: MachineSet,
  { event: { schemaName, tags } }: CompiledMachine,
  value: CanonicalValue,
): CanonicalValue {
  const event = value as CanonicalRecord;
  for (const [name, beside] of besides) {
    if (schemaName === name) return { ...event, ...beside(set, event) };
    if (event["$tag"] === undefined || event["$tag"] !== tags.get(name)) continue;
    const envelope = event["$value"] as CanonicalRecord;
    return { ...event, $value: { ...envelope, ...beside(set, envelope) } };
  }
  return value;
}

type Beside = (set: MachineSet, envelope: CanonicalRecord) => CanonicalRecord;

/** What stands beside the bytes of a continuation, as a value. */
const besides: readonly (readonly [string, Beside])[] = [
  [receiptSchemaName, (set, envelope) => ({ payload: payloadOf(set, envelope) })],
  [frameSchemaName, (_, { payload }) => ({ value: decodeCanonical(payload as Uint8Array) })],
];

/** Receipts were checked when they came; if the schema has changed since, the bytes still speak. */
function payloadOf(set: MachineSet, envelope: CanonicalRecord): CanonicalValue {
  const typed = typedPayload(set, envelope);
  if (typed !== null) return guestValue(typed.schema.schema, typed.value, set.names);
  return decodeCanonical(envelope["receipt_payload"] as Uint8Array);
}

/** Null = it does not fit what is declared now. */
export function typedPayload(
  set: MachineSet,
  envelope: CanonicalRecord,
): { readonly schema: CompiledSchema; readonly value: CanonicalValue } | null {
  const { effect: name, receipt_payload: bytes, status: given } = envelope;
  invariant(bytes instanceof Uint8Array, "a receipt has a payload");
  const effect = set.effects.get(String(name));
  const status = receiptStatuses.find((each) => each === given);
  if (effect === undefined || status === undefined) return null;
  const schema = payloadSchema(effect, status);
  const typed = schema.validate(decodeCanonical(bytes));
  return typed.ok ? { schema, value: typed.value } : null;
}
