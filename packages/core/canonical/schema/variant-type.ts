import type { CanonicalValue } from "../canonical-value.ts";
import type { Admit, SchemaType } from "./schema-type.ts";
import type { Schema } from "./type-table.ts";
import type { Walk } from "./walk.ts";

/** An arm is the type of its value, or null for an arm that is only a name. */
export type VariantSchema = {
  readonly type: "variant";
  readonly arms: { readonly [tag: string]: Schema | null };
};

type Arms = ReadonlyMap<string, Admit | null>;

export const variantType: SchemaType<VariantSchema> = {
  properties: ["arms"],
  mapKey: false,
  parse: (reader) => {
    const arms = reader.named("arms", (inner, given) => (given === null ? null : armOf(inner())));
    const tags = Object.keys(arms);
    if (tags.length === 0) return reader.refuseAt("arms", "at least one arm");
    // `{ $tag: … }` must never be readable as the short form of an arm.
    if (tags.some((tag) => tag.startsWith("$"))) {
      return reader.refuseAt("arms", "names that do not begin with $");
    }
    return { type: "variant", arms };
  },
  compile: ({ arms }, compileInner) => {
    const compiled: Arms = new Map(
      Object.entries(arms).map(([tag, inner]) => [tag, inner && compileInner(inner)]),
    );
    return (value, walk) => {
      const input = walk.plainObject("variant", value);
      const keys = Object.keys(input);
      return keys.includes("$tag")
        ? admitCanonical(compiled, input, keys, walk)
        : admitSugar(compiled, input, keys, walk);
    };
  },
};

/** An arm of type unit is an arm without a value: the schema has one form too. */
function armOf(schema: Schema): Schema | null {
  return schema.type === "unit" ? null : schema;
}

type Input = Readonly<Record<string, unknown>>;

function admitCanonical(
  arms: Arms,
  input: Input,
  keys: readonly string[],
  walk: Walk,
): CanonicalValue {
  const extra = keys.find((key) => key !== "$tag" && key !== "$value");
  if (extra !== undefined) {
    walk.enter(extra);
    walk.refuse("no such field", "one beside $tag and $value");
  }
  walk.enter("$tag");
  const tag = input["$tag"];
  const admitInner = typeof tag === "string" ? arms.get(tag) : undefined;
  if (typeof tag !== "string" || admitInner === undefined) return refuseTag(arms, tag, walk);
  walk.leave();
  const hasValue = keys.includes("$value");
  if (admitInner === null) {
    if (hasValue) refuseUnitValue(tag, "$value", walk);
    return { $tag: tag };
  }
  walk.enter("$value");
  const inner = admitInner(hasValue ? input["$value"] : undefined, walk);
  walk.leave();
  return { $tag: tag, $value: inner };
}

/** `{ Tag: inner }`, for authors; never for stored bytes, where it would be a second form. */
function admitSugar(arms: Arms, input: Input, keys: readonly string[], walk: Walk): CanonicalValue {
  const tag = keys[0];
  if (walk.purpose === "stored" || tag === undefined || keys.length > 1) {
    return walk.refuse("variant with $tag", `object with ${keys.length} fields`);
  }
  const admitInner = arms.get(tag);
  if (admitInner === undefined) return refuseTag(arms, tag, walk);
  walk.enter(tag);
  const given = input[tag];
  if (admitInner === null) {
    if (given !== null) walk.refuseValue("null, as the arm has no value", given);
    walk.leave();
    return { $tag: tag };
  }
  const inner = admitInner(given, walk);
  walk.leave();
  return { $tag: tag, $value: inner };
}

function refuseUnitValue(tag: string, field: string, walk: Walk): never {
  walk.enter(field);
  return walk.refuse(`no $value, as ${tag} has none`, "one");
}

const tagsShownMax = 8;

function refuseTag(arms: Arms, tag: unknown, walk: Walk): never {
  const tags = [...arms.keys()];
  const shown = tags.slice(0, tagsShownMax).join(", ");
  const rest = tags.length > tagsShownMax ? ", …" : "";
  return walk.refuseValue(`one of ${shown}${rest}`, tag);
}
