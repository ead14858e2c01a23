import { type Refusal, refusalFrom } from "./refusal.ts";
import { SchemaReader } from "./schema-reader.ts";
import type { Schema } from "./type-table.ts";

export type ParsedSchema = { readonly ok: true; readonly schema: Schema } | Refusal;

/** A frozen copy of a schema that came from outside, or the place where it is wrong. */
export function parseSchema(given: unknown): ParsedSchema {
  const reader = new SchemaReader();
  try {
    return { ok: true, schema: reader.read(given) };
  } catch (error) {
    return refusalFrom(error, reader.path);
  }
}
