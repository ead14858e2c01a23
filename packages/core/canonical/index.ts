export { CanonicalError, type CanonicalErrorCode } from "./canonical-error.ts";
export type { CanonicalMap, CanonicalRecord, CanonicalValue } from "./canonical-value.ts";
export { canonicalBytesMax, canonicalDepthLevelsMax } from "./canonical-value.ts";
export { decodeCanonical, encodeCanonical } from "./cbor.ts";
export { encodeCanonicalAs, withCanonical } from "./encode-canonical.ts";
export {
  contentHash,
  contentSha256,
  type Hash,
  hashText,
  parseHash,
  sha256,
} from "./hash.ts";
export { isPlainObject } from "./plain-object.ts";
export {
  type CompiledSchema,
  type CompileOptions,
  compileSchema,
  type Validated,
} from "./schema/compile-schema.ts";
export { type ParsedSchema, parseSchema } from "./schema/parse-schema.ts";
export { type Refusal, SchemaError } from "./schema/refusal.ts";
export { hasRef, innerSchemas, type NamedSchemas } from "./schema/resolve-refs.ts";
export {
  schemaDepthLevelsMax,
  schemaNameCharsMax,
  schemaNodesMax,
} from "./schema/schema-reader.ts";
export { utf8ByteCount } from "./schema/text-type.ts";
export type { Schema } from "./schema/type-table.ts";
export { valueNodesMax } from "./schema/walk.ts";
export { readByteStrings, splitRecord } from "./split-record.ts";
