import type { CanonicalValue, NamedSchemas, Schema } from "../canonical/index.ts";
import { followRef } from "./key-path.ts";

/** A typed value as scripts know it: integers are numbers while they are exact. */
export function guestValue(
  schema: Schema | null,
  value: CanonicalValue,
  names: NamedSchemas,
): CanonicalValue {
  const known = schema === null ? null : followRef(schema, names);
  if (known === null || value === null) return value;
  const inner = (type: Schema | null | undefined, part: CanonicalValue) =>
    guestValue(type ?? null, part, names);
  switch (known.type) {
    case "int":
    case "nat":
      return guestInteger(value);
    case "option":
      return inner(known.inner, value);
    case "list":
    case "set":
      return Array.isArray(value) ? value.map((item) => inner(known.item, item)) : value;
    case "map":
      if (value instanceof Map) {
        return new Map([...value].map(([key, part]) => [guestKey(key), inner(known.value, part)]));
      }
      return mapFields(value, (part) => inner(known.value, part));
    case "record":
      return mapFields(value, (part, name) => inner(known.fields[name], part));
    case "variant":
      return mapFields(value, (part, name, all) =>
        name === "$value" ? inner(known.arms[String(all["$tag"])], part) : part,
      );
    default:
      return value;
  }
}

type Plain = { readonly [name: string]: CanonicalValue };

function mapFields(
  value: CanonicalValue,
  change: (part: CanonicalValue, name: string, all: Plain) => CanonicalValue,
): CanonicalValue {
  const all = value as Plain;
  const entries = Object.entries(all).map(([name, part]) => [name, change(part, name, all)]);
  return Object.fromEntries(entries);
}

function guestInteger(value: CanonicalValue): CanonicalValue {
  if (typeof value !== "bigint") return value;
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

function guestKey(key: string | number | bigint): string | number | bigint {
  return typeof key === "bigint" && Number.isSafeInteger(Number(key)) ? Number(key) : key;
}
