import {
  CanonicalError,
  type CanonicalValue,
  type CompiledSchema,
  compileSchema,
  decodeCanonical,
  type Schema,
} from "../canonical/index.ts";
import { refuse } from "../journal/decision.ts";
import type { Refusal } from "../journal/refusal.ts";
import type { TopicRow } from "../view/rows.ts";
import { eventName } from "./event-name.ts";

/** A commit may publish thousands of events of one topic; its schema is compiled once. */
const compiledSchemas = new WeakMap<Schema, CompiledSchema>();

function compiled(schema: Schema): CompiledSchema {
  const known = compiledSchemas.get(schema);
  if (known) return known;
  const made = compileSchema(schema, { rootName: "payload" });
  compiledSchemas.set(schema, made);
  return made;
}

/** Names the event, the place in its payload and what is wrong there. */
export function whyNotInSchema(
  { schema }: TopicRow,
  event: { readonly topic: string; readonly messageId: string; readonly payload: Uint8Array },
): Refusal | null {
  if (schema === null) return null;
  const name = eventName(event);
  const value = decoded(event.payload);
  if ("fault" in value) return refuse("payload_not_in_schema", `${name}: ${value.fault}.`);
  const validated = compiled(schema).validate(value.value);
  if (validated.ok) return null;
  return refuse("payload_not_in_schema", `${name}: ${validated.message}.`);
}

function decoded(
  payload: Uint8Array,
): { readonly value: CanonicalValue } | { readonly fault: string } {
  try {
    return { value: decodeCanonical(payload) };
  } catch (error) {
    if (!(error instanceof CanonicalError)) throw error;
    return { fault: `payload: ${error.message}` };
  }
}
