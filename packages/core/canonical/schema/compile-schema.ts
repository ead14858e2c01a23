import type { CanonicalValue } from "../canonical-value.ts";
import { decodeCanonical, encodeCanonical } from "../cbor.ts";
import type { PathSegment } from "../value-path.ts";
import { parseSchema } from "./parse-schema.ts";
import { type Refusal, refusalFrom, SchemaError } from "./refusal.ts";
import { checkRefs, type NamedSchemas } from "./resolve-refs.ts";
import type { Admit } from "./schema-type.ts";
import { findType, type Schema } from "./type-table.ts";
import { type Purpose, Walk } from "./walk.ts";

export type Validated = { readonly ok: true; readonly value: CanonicalValue } | Refusal;

export type CompiledSchema = {
  readonly schema: Schema;
  /** The value in canonical form, sharing nothing with the input, or why not. Never throws. */
  validate(value: unknown): Validated;
  /** Canonical bytes of anything `validate` accepts. Throws `SchemaError`. */
  encode(value: unknown): Uint8Array;
  /**
   * The typed value of bytes that `encode` made. Bytes of any other form are refused, never
   * guessed at: throws `CanonicalError` or `SchemaError`.
   */
  decode(bytes: Uint8Array): CanonicalValue;
  /** The second half of `decode`, for a value that `decodeCanonical` has given already. */
  accept(decoded: CanonicalValue): CanonicalValue;
};

/**
 * `rootName` begins every path in a refusal: `order` gives `order.lines[3].qty`. `names` are the
 * schemas a ref may name; each must have been parsed.
 */
export type CompileOptions = { readonly rootName?: string; readonly names?: NamedSchemas };

const noNames: NamedSchemas = new Map();

/** Checks the schema again, so that no unparsed one can be compiled. Throws `SchemaError`. */
export function compileSchema(schema: Schema, options: CompileOptions = {}): CompiledSchema {
  const parsed = parseSchema(schema);
  if (!parsed.ok) throw new SchemaError("SCHEMA_INVALID", parsed);
  const names = options.names ?? noNames;
  refuseUnsoundRefs(parsed.schema, names);
  const admit = compilerOf(names)(parsed.schema);
  const rootName = options.rootName ?? "";

  function validateFor(purpose: Purpose, value: unknown): Validated {
    const walk = new Walk(purpose, rootName);
    try {
      return { ok: true, value: admit(value, walk) };
    } catch (error) {
      return refusalFrom(error, walk.path);
    }
  }

  function mustAdmit(purpose: Purpose, value: unknown): CanonicalValue {
    const validated = validateFor(purpose, value);
    if (!validated.ok) throw new SchemaError("SCHEMA_VALUE_REFUSED", validated);
    return validated.value;
  }

  return {
    schema: parsed.schema,
    validate: (value) => validateFor("value", value),
    encode: (value) => encodeCanonical(mustAdmit("bytes", value)),
    decode: (bytes) => mustAdmit("stored", decodeCanonical(bytes)),
    accept: (decoded) => mustAdmit("stored", decoded),
  };
}

function refuseUnsoundRefs(schema: Schema, names: NamedSchemas): void {
  const path: PathSegment[] = [];
  try {
    checkRefs(schema, names, path);
  } catch (error) {
    throw new SchemaError("SCHEMA_INVALID", refusalFrom(error, path));
  }
}

/** A named schema is compiled once, however often it is named. */
function compilerOf(names: NamedSchemas): (schema: Schema) => Admit {
  const byName = new Map<string, Admit>();

  function compileName(name: string): Admit {
    const known = byName.get(name);
    if (known !== undefined) return known;
    const target = names.get(name);
    if (target === undefined) throw new TypeError(`no schema is named ${name}`);
    const admit = compileNode(target);
    byName.set(name, admit);
    return admit;
  }

  function compileNode(schema: Schema): Admit {
    if (schema.type === "ref") return compileName(schema.name);
    const type = findType(schema.type);
    if (type === null) throw new TypeError(`no schema type ${schema.type}`);
    return type.compile(schema, compileNode);
  }

  return compileNode;
}
