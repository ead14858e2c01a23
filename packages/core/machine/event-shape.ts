import {
  type CanonicalValue,
  type CompiledSchema,
  compileSchema,
  type NamedSchemas,
  type Schema,
} from "../canonical/index.ts";
import { followRef, isHostArm, sameSchema } from "./key-path.ts";
import { isHostName } from "./names.ts";

/** How events of other schemas fit into the one schema a machine's step takes. */
export type EventShape = {
  /** The name a step sees: of the schema, or of the machine if it has none. */
  readonly schemaName: string;
  readonly compiled: CompiledSchema;
  /** Arms by the name of the schema each refers to. */
  readonly tags: ReadonlyMap<string, string>;
  readonly hostTags: ReadonlySet<string>;
};

export type ShapeOptions = { readonly machine: string; readonly names: NamedSchemas };

/** Null = the event schema is none that a machine can have. Throws `SchemaError`. */
export function shapeOf(event: Schema, options: ShapeOptions): EventShape | null {
  const { machine, names } = options;
  if (event.type !== "ref" && event.type !== "record" && event.type !== "variant") return null;
  const compiled = compileSchema(event, { names, rootName: "event" });
  const known = followRef(event, names);
  const arms = known?.type === "variant" ? Object.entries(known.arms) : [];
  const referring = arms.flatMap(([tag, arm]) => (arm?.type === "ref" ? [{ tag, arm }] : []));
  if (event.type === "variant" && referring.length !== arms.length) return null;
  const tags = new Map(referring.map(({ tag, arm }) => [arm.name, tag]));
  // Two arms for one schema: nobody could say which of them an event is.
  if (tags.size !== referring.length) return null;
  const hostTags = new Set(referring.filter(({ arm }) => isHostArm(arm)).map(({ tag }) => tag));
  const schemaName = event.type === "ref" ? event.name : machine;
  return { schemaName, compiled, tags, hostTags };
}

/** How a value of the named schema is written for the step; null when it does not fit. */
export function wrapFor(shape: EventShape, name: string, value: CanonicalValue): Wrapped {
  if (shape.schemaName === name) return { fits: true, value };
  const tag = shape.tags.get(name);
  if (tag === undefined) return { fits: false };
  return { fits: true, value: { $tag: tag, $value: value } };
}

export type Wrapped =
  | { readonly fits: true; readonly value: CanonicalValue }
  | { readonly fits: false };

/** True for what only the kernel may deliver: sent from elsewhere it would be a forged receipt. */
export function isForged(shape: EventShape, value: CanonicalValue): boolean {
  if (isHostName(shape.schemaName)) return true;
  if (typeof value !== "object" || value === null || !("$tag" in value)) return false;
  return shape.hostTags.has(String(value["$tag"]));
}

/** True when events of this schema need no wrapping. */
export function isOwnSchema(shape: EventShape, name: string, schema: Schema): boolean {
  return shape.schemaName === name || sameSchema(shape.compiled.schema, schema);
}
