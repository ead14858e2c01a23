import {
  type CanonicalRecord,
  type CompiledSchema,
  compileSchema,
  contentHash,
  type Hash,
  type Schema,
} from "../canonical/index.ts";
import { errorSchema } from "./host-schemas.ts";

/** Reads deliver timeouts; a mutation's outcome is found out, or a person is asked. */
export type EffectKind = "read" | "mutation" | "timer" | "blob";

export type Executor = {
  readonly module: string;
  readonly moduleHash: Hash;
  readonly entrypoint: string;
};

/** An operation of a connector, or one of the host's own, as machines may ask for it. */
export type EffectDeclaration = {
  readonly name: string;
  readonly kind: EffectKind;
  readonly params: Schema;
  readonly receipt: Schema;
  readonly error: Schema | null; // null = code and message
  readonly executor: Executor;
};

/** Params as they were given, made whole before they are hashed; null = they contradict. */
type Complete = (params: CanonicalRecord) => CanonicalRecord | null;

export type CompiledEffect = {
  readonly name: string;
  readonly kind: EffectKind;
  /** Of the declared schemas, not of the code: an upgrade must not strand open work. */
  readonly hash: Hash;
  readonly params: CompiledSchema;
  readonly receipt: CompiledSchema;
  readonly error: CompiledSchema;
  readonly executor: Executor;
  readonly complete: Complete | null;
};

/** Throws `SchemaError` for a schema that does not compile, or an error without its two texts. */
export function compileEffect(
  declaration: EffectDeclaration,
  complete: Complete | null,
): CompiledEffect {
  const { name, kind, executor } = declaration;
  const params = compileSchema(declaration.params, { rootName: "params" });
  const receipt = compileSchema(declaration.receipt, { rootName: "receipt" });
  const error = compileSchema(declaration.error ?? errorSchema, { rootName: "error" });
  error.encode({ code: "", message: "" });
  const hash = contentHash({
    name,
    kind,
    params: params.schema,
    receipt: receipt.schema,
    error: error.schema,
  });
  return { name, kind, hash, params, receipt, error, executor, complete };
}

const unit = compileSchema({ type: "unit" });

export const receiptStatuses = ["ok", "error", "timeout", "skipped"] as const;
export type ReceiptStatus = (typeof receiptStatuses)[number];

export function payloadSchema(effect: CompiledEffect, status: ReceiptStatus): CompiledSchema {
  switch (status) {
    case "ok":
      return effect.receipt;
    case "error":
    case "timeout":
      return effect.error;
    case "skipped":
      return unit;
  }
}
