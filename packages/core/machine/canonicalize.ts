import {
  CanonicalError,
  type CanonicalValue,
  type CompiledSchema,
  decodeCanonical,
  encodeCanonical,
  encodeCanonicalAs,
} from "../canonical/index.ts";

export type Canonicalized =
  | { readonly ok: true; readonly value: CanonicalValue; readonly bytes: Uint8Array }
  | { readonly ok: false; readonly note: string };

/**
 * Canonical bytes of any form an author may write, brought into the one form of the schema. Those
 * that are in it already are given back as they are; nobody writes into them.
 */
export function canonicalize(schema: CompiledSchema, given: Uint8Array): Canonicalized {
  const decoded = decode(given);
  if (!decoded.ok) return decoded;
  const validated = schema.validate(decoded.value);
  if (!validated.ok) return { ok: false, note: validated.message };
  const { value } = validated;
  return { ok: true, value, bytes: encodeCanonicalAs(value, given) };
}

/** The schema must have no json: all other types have bytes in the form they are validated in. */
export function canonicalizeValue(schema: CompiledSchema, given: CanonicalValue): Canonicalized {
  const validated = schema.validate(given);
  if (!validated.ok) return { ok: false, note: validated.message };
  return { ok: true, value: validated.value, bytes: encodeCanonical(validated.value) };
}

function decode(bytes: Uint8Array) {
  try {
    return { ok: true, value: decodeCanonical(bytes) } as const;
  } catch (error) {
    if (!(error instanceof CanonicalError)) throw error;
    return { ok: false, note: error.message } as const;
  }
}
