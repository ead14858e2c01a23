/** From what a step returned, which may be anything, to the kernel's bytes. */
import {
  CanonicalError,
  type CanonicalValue,
  encodeCanonical,
  isPlainObject,
} from "../canonical/index.ts";
import type { StepAnswer, StepEffect, StepEmission } from "./step.ts";

/** What a step returns, as the SDK has it. */
export type StepReturn = {
  readonly state: unknown;
  readonly events?: readonly ReturnedEvent[] | undefined;
  readonly effects?: readonly ReturnedEffect[] | undefined;
  readonly done?: boolean | undefined;
  readonly annotations?: unknown;
};

type ReturnedEvent = {
  readonly topic: string;
  readonly messageId?: string | undefined;
  readonly payload: unknown;
};

type ReturnedEffect = {
  readonly effect: string;
  readonly params: unknown;
  readonly key?: string | undefined;
  readonly issuerRef?: string | undefined;
  readonly deadlineMs?: number | undefined;
};

/** The answer to a call. A shape that is not the SDK's, or no data, is a fault of the step. */
export function closeStepReturn(returned: unknown): StepAnswer {
  try {
    const fields = readFields(returned, "result", stepFields);
    const { state, events = [], effects = [], done = false, annotations = null } = fields;
    return {
      kind: "output",
      output: {
        state: state === null ? null : encodePlain(state),
        events: readList(events, "events").map(closeEvent),
        effects: readList(effects, "effects").map(closeEffect),
        done: typeof done === "boolean" ? done : unreadable("done"),
        annotations: annotations === null ? null : encodePlain(annotations),
      },
    };
  } catch (error) {
    if (!(error instanceof CanonicalError) && !(error instanceof Unreadable)) throw error;
    return { kind: "fault", code: "step.output_unreadable", note: error.message };
  }
}

const stepFields = ["state", "events", "effects", "done", "annotations"];
const eventFields = ["topic", "messageId", "payload"];
const effectFields = ["effect", "params", "key", "issuerRef", "deadlineMs"];

class Unreadable extends Error {}

function unreadable(what: string): never {
  throw new Unreadable(`${what} is not what a step returns`);
}

type Fields = { readonly [name: string]: unknown };

function readFields(given: unknown, what: string, known: readonly string[]): Fields {
  if (!isPlainObject(given)) return unreadable(what);
  const strange = Object.keys(given).find((name) => !known.includes(name));
  return strange === undefined ? given : unreadable(`${what}.${strange}`);
}

function readList(given: unknown, what: string): readonly unknown[] {
  return Array.isArray(given) ? given : unreadable(what);
}

function readText(given: unknown, what: string): string {
  return typeof given === "string" && given.isWellFormed() ? given : unreadable(what);
}

function optionalText(given: unknown, what: string): string | null {
  return given === undefined ? null : readText(given, what);
}

function closeEvent(given: unknown): StepEmission {
  const { topic, messageId, payload } = readFields(given, "event", eventFields);
  return {
    topic: readText(topic, "event.topic"),
    messageId: optionalText(messageId, "event.messageId"),
    value: encodePlain(payload),
    key: null,
  };
}

const nsPerMs = 1_000_000n;

function closeEffect(given: unknown): StepEffect {
  const fields = readFields(given, "effect", effectFields);
  const { effect, params, key, issuerRef, deadlineMs } = fields;
  if (deadlineMs !== undefined && !Number.isSafeInteger(deadlineMs))
    unreadable("effect.deadlineMs");
  return {
    effect: readText(effect, "effect.effect"),
    params: encodePlain(params),
    requestedKey: key === undefined ? null : encodePlain(readText(key, "effect.key")),
    issuerRef: optionalText(issuerRef, "effect.issuerRef"),
    deadlineNs: deadlineMs === undefined ? null : BigInt(Number(deadlineMs)) * nsPerMs,
  };
}

/** Fields that are undefined are left out, as authors mean them. */
function encodePlain(value: unknown): Uint8Array {
  return encodeCanonical(withoutUndefined(value, 0) as CanonicalValue);
}

/** Deeper than any value may be; encoding then says so. */
const depthMax = 200;

/** The value itself where nothing is undefined, which is nearly always. */
function withoutUndefined(value: unknown, depth: number): unknown {
  if (typeof value !== "object" || value === null || depth > depthMax) return value;
  if (Array.isArray(value)) {
    const items = value.map((item) => withoutUndefined(item, depth + 1));
    return items.every((item, at) => item === value[at]) ? value : items;
  }
  if (!isPlainObject(value)) return value;
  let isSame = true;
  const kept: (readonly [string, unknown])[] = [];
  for (const name of Object.keys(value)) {
    const part = value[name];
    const own = withoutUndefined(part, depth + 1);
    if (own !== part || part === undefined) isSame = false;
    if (part !== undefined) kept.push([name, own]);
  }
  return isSame ? value : Object.fromEntries(kept);
}
