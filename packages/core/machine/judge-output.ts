import { type CanonicalRecord, hashText, utf8ByteCount } from "../canonical/index.ts";
import { canonicalize } from "./canonicalize.ts";
import type { Cell, Mail } from "./cell.ts";
import type { CompiledEffect } from "./effect.ts";
import { hex } from "./hex.ts";
import { deriveIdempotencyKey, deriveIntentHash, type OpenIntent } from "./intent.ts";
import type { Kernel } from "./kernel.ts";
import type { MachineLimits } from "./limits.ts";
import type { CompiledMachine } from "./machine-set.ts";
import { routeEvent, type Target } from "./route-event.ts";
import { type StepEffect, type StepEmission, StepFault, type StepOutput } from "./step.ts";

/** An output of which every part is known to be good. */
export type JudgedOutput = {
  readonly state: Uint8Array | null;
  readonly annotations: Uint8Array | null;
  readonly done: boolean;
  readonly events: readonly JudgedEvent[];
  readonly intents: readonly OpenIntent[];
};

export type JudgedEvent = StepEmission & { readonly targets: readonly Target[] };

export type Turn = {
  readonly machine: CompiledMachine;
  readonly cell: Cell;
  readonly mail: Mail;
};

/** Looks at the whole output before any of it counts. Throws `StepFault`; changes nothing. */
export function judgeOutput(kernel: Kernel, turn: Turn, output: StepOutput): JudgedOutput {
  checkLimits(output, kernel.limits);
  const { machine, mail } = turn;
  if (output.state === null && output.effects.length > 0) {
    throw new StepFault("step.null_with_effects", "a cell that ends waits for nothing");
  }
  const state = output.state === null ? null : readState(machine, output.state);
  const annotations = readAnnotations(machine, output.annotations);
  const causesMore = output.events.length + output.effects.length > 0;
  if (causesMore && mail.depth >= kernel.limits.cascadeLevelsMax) {
    throw new StepFault("step.cascade_too_deep", `${mail.depth} steps from the outside`);
  }
  const events = output.events.map((event) => judgeEvent(kernel, event));
  const intents = output.effects.map((effect, at) => judgeEffect(kernel, turn, effect, at));
  return { state, annotations, done: output.done, events, intents };
}

/** First of all, and by size alone. */
function checkLimits(output: StepOutput, limits: MachineLimits): void {
  const { state, annotations, events, effects } = output;
  if (effects.length > limits.stepEffectsMax) {
    throw new StepFault("step.too_many_effects", `${effects.length} effects`);
  }
  if (events.length > limits.stepEventsMax) {
    throw new StepFault("step.too_many_events", `${events.length} events`);
  }
  let byteCount = sizeOf(state) + sizeOf(annotations);
  for (const { topic, value, key } of events) {
    byteCount += textSize(topic) + sizeOf(value) + sizeOf(key);
  }
  for (const { effect, params, issuerRef, requestedKey } of effects) {
    byteCount += textSize(effect) + sizeOf(params) + textSize(issuerRef) + sizeOf(requestedKey);
  }
  if (byteCount > limits.stepBytesMax) {
    throw new StepFault("step.output_too_large", `${byteCount} bytes`);
  }
}

function sizeOf(bytes: Uint8Array | null): number {
  return bytes === null ? 0 : bytes.length;
}

function textSize(text: string | null): number {
  return text === null ? 0 : utf8ByteCount(text);
}

function readState(machine: CompiledMachine, given: Uint8Array): Uint8Array {
  const state = canonicalize(machine.state, given);
  if (!state.ok) throw new StepFault("step.state_invalid", state.note);
  return state.bytes;
}

function readAnnotations(machine: CompiledMachine, given: Uint8Array | null): Uint8Array | null {
  if (given === null) return null;
  if (machine.annotations === null) {
    throw new StepFault("step.annotations_invalid", "the machine declares none");
  }
  const annotations = canonicalize(machine.annotations, given);
  if (!annotations.ok) throw new StepFault("step.annotations_invalid", annotations.note);
  return annotations.bytes;
}

/** Texts that go into records as they are must have bytes, or a good step would end half done. */
function checkText(text: string | null, what: string): void {
  if (text === null || (text.isWellFormed() && utf8ByteCount(text) <= idBytesMax)) return;
  throw new StepFault("workflow.output_invalid", `${what} is no id`);
}

const idBytesMax = 512;

function judgeEvent(kernel: Kernel, event: StepEmission): JudgedEvent {
  checkText(event.messageId, "messageId");
  const routed = routeEvent(kernel.set, event);
  if (routed.ok) return { ...event, value: routed.value, targets: routed.targets };
  const isUnknown = routed.code === "event.topic_unknown";
  const code = isUnknown ? "workflow.output_invalid" : "step.event_invalid";
  throw new StepFault(code, `${event.topic}: ${routed.code} ${routed.note}`);
}

function judgeEffect(
  kernel: Kernel,
  turn: Turn,
  given: StepEffect,
  effectIndex: number,
): OpenIntent {
  checkText(given.issuerRef, "issuerRef");
  const effect = findEffect(kernel, turn.machine, given.effect);
  const params = readParams(effect, given.params);
  return intentOf(turn, effect, { ...given, params, effectIndex });
}

type Asked = Omit<StepEffect, "effect"> & { readonly effectIndex: number };

/** What is asked for in a turn, by its place in history; the params are in their form. */
export function intentOf(
  { machine, cell, mail }: Turn,
  { name, hash: effectHash, kind, executor }: CompiledEffect,
  given: Asked,
): OpenIntent {
  const { params, requestedKey, issuerRef, effectIndex } = given;
  const origin = {
    machine: machine.name,
    machineHash: machine.hash,
    key: cell.key,
    emittedAtSeq: mail.stamp.height,
  };
  const parts = { ...origin, effect: name, effectHash, requestedKey, effectIndex };
  const idempotencyKey = deriveIdempotencyKey(parts);
  const hash = deriveIntentHash({ effect: name, effectHash, executor, params, idempotencyKey });
  return {
    ...parts,
    hash,
    id: hex(hash),
    cellId: cell.id,
    kind,
    executor,
    params,
    paramsHash: hashText(params),
    idempotencyKey,
    issuerRef,
    deadlineNs: readDeadline(given, mail),
    root: mail.root,
    cursor: 0,
    cancelAsked: false,
  };
}

function findEffect(kernel: Kernel, machine: CompiledMachine, name: string): CompiledEffect {
  if (!machine.effects.has(name)) {
    throw new StepFault("workflow.output_invalid", `${name} is not declared`);
  }
  const effect = kernel.set.effects.get(name);
  if (effect === undefined) throw new StepFault("effect.op_unsupported", name);
  return effect;
}

function readParams(effect: CompiledEffect, given: Uint8Array): Uint8Array {
  const params = canonicalize(effect.params, given);
  if (!params.ok) throw new StepFault("effect.params_invalid", `${effect.name}: ${params.note}`);
  if (effect.complete === null) return params.bytes;
  const whole = effect.complete(params.value as CanonicalRecord);
  if (whole === null) {
    throw new StepFault("effect.params_invalid", `${effect.name}: the params contradict`);
  }
  return effect.params.encode(whole);
}

const i64Max = 2n ** 63n - 1n;

function readDeadline(
  { deadlineNs }: Pick<StepEffect, "deadlineNs">,
  { stamp }: Mail,
): bigint | null {
  if (deadlineNs === null) return null;
  const at = stamp.logicalNowNs + deadlineNs;
  if (deadlineNs < 0n || at > i64Max) throw new StepFault("effect.deadline_invalid", `${at}`);
  return at;
}
