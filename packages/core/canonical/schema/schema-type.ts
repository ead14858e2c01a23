import type { CanonicalValue } from "../canonical-value.ts";
import type { SchemaReader } from "./schema-reader.ts";
import type { Schema } from "./type-table.ts";
import type { Walk } from "./walk.ts";

/** Accepts a value of one type, giving its canonical form, or refuses through the walk. */
export type Admit = (value: unknown, walk: Walk) => CanonicalValue;

/**
 * One schema type. To add one: write its file, add it to `type-table.ts`. Values nested in a
 * value are visited between `walk.enter` and `walk.leave`, each property read exactly once.
 */
export type SchemaType<S> = {
  /** Properties a schema of this type may have besides `type`. */
  readonly properties: readonly string[];
  /** May be the key type of a map. */
  readonly mapKey: boolean;
  parse(reader: SchemaReader): S;
  compile(schema: S, compileInner: (inner: Schema) => Admit): Admit;
};
