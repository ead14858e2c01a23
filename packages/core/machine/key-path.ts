import {
  type CanonicalValue,
  contentHash,
  type NamedSchemas,
  type Schema,
} from "../canonical/index.ts";
import { isHostName } from "./names.ts";

/** `order_id`, `order.id`, or `$value.id` for the value inside whatever arm an event has. */
export function parseKeyPath(text: string): readonly string[] | null {
  const segments = text.split(".");
  return segments.some((segment) => segment === "") ? null : segments;
}

/** The type at the end of a path; null when a value may have nothing there, or different types. */
export function typeAtPath(
  schema: Schema,
  path: readonly string[],
  names: NamedSchemas,
): Schema | null {
  const [segment, ...rest] = path;
  const known = followRef(schema, names);
  if (segment === undefined || known === null) return known;
  if (known.type === "record") {
    const field = Object.hasOwn(known.fields, segment) ? known.fields[segment] : undefined;
    return field === undefined ? null : typeAtPath(field, rest, names);
  }
  if (known.type !== "variant" || segment !== "$value") return null;
  // Only the kernel writes the host's arms, and it knows the cell without a path.
  const arms = Object.values(known.arms).filter((arm) => !isHostArm(arm));
  const types = arms.map((arm) => (arm === null ? null : typeAtPath(arm, rest, names)));
  const [first = null] = types;
  if (first === null) return null;
  return types.every((type) => type !== null && sameSchema(type, first)) ? first : null;
}

export function isHostArm(arm: Schema | null): boolean {
  return arm?.type === "ref" && isHostName(arm.name);
}

export function followRef(schema: Schema, names: NamedSchemas): Schema | null {
  if (schema.type !== "ref") return schema;
  const target = names.get(schema.name);
  return target === undefined ? null : followRef(target, names);
}

export function sameSchema(left: Schema, right: Schema): boolean {
  return contentHash(left) === contentHash(right);
}

/** Undefined = there is nothing. */
export function valueAtPath(
  value: CanonicalValue,
  path: readonly string[],
): CanonicalValue | undefined {
  let at: CanonicalValue | undefined = value;
  for (const segment of path) {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, segment)) return undefined;
    at = (at as { readonly [name: string]: CanonicalValue })[segment];
  }
  return at;
}
