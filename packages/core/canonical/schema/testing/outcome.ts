import { compileSchema } from "../compile-schema.ts";
import type { Schema } from "../type-table.ts";

/** What validate gives, or the sentence of the refusal. */
export function outcome(schema: Schema, value: unknown): unknown {
  const validated = compileSchema(schema).validate(value);
  return validated.ok ? validated.value : validated.message;
}
