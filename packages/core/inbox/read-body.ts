import { type CanonicalValue, hasRef, parseSchema, type Schema } from "../canonical/index.ts";

/** Thrown inside a parser only; parseCommand turns it into a refusal with the path. */
export class MalformedBody extends Error {
  override readonly name = "MalformedBody";
}

/** One field's reader: takes an unknown value and its path, answers the typed value. */
export type Read<T> = (value: CanonicalValue | undefined, path: string) => T;

type Shape<T> = { readonly [K in keyof T]: Read<T[K]> };

function expected(path: string, what: string): never {
  throw new MalformedBody(`${path}: expected ${what}`);
}

export const text: Read<string> = (value, path) =>
  typeof value === "string" ? value : expected(path, "text");

export const natural: Read<number> = (value, path) =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0
    ? value
    : expected(path, "a whole number, 0 or more");

export const flag: Read<boolean> = (value, path) =>
  typeof value === "boolean" ? value : expected(path, "true or false");

export const bytes: Read<Uint8Array> = (value, path) =>
  value instanceof Uint8Array ? value : expected(path, "bytes");

export const schema: Read<Schema> = (value, path) => {
  const parsed = parseSchema(value);
  if (!parsed.ok) throw new MalformedBody(`${path}: not a schema: ${parsed.message}`);
  // Events are checked where no names are known; what cannot be compiled there must not get there.
  return hasRef(parsed.schema) ? expected(path, "a schema without refs") : parsed.schema;
};

export function orNull<T>(read: Read<T>): Read<T | null> {
  return (value, path) => (value === null ? null : read(value, path));
}

/** For what came to a command later than others: one that lacks it was given before. */
export function orAbsent<T>(read: Read<T>): Read<T | null> {
  return (value, path) => (value === undefined || value === null ? null : read(value, path));
}

export function oneOf<const T extends string>(...options: readonly T[]): Read<T> {
  return (value, path) =>
    options.find((option) => option === value) ?? expected(path, options.join(" or "));
}

export function listOf<T>(read: Read<T>): Read<T[]> {
  return (value, path) =>
    Array.isArray(value)
      ? value.map((one, index) => read(one, `${path}[${index}]`))
      : expected(path, "a list");
}

/** Every field present, no field unknown: a body is exactly what its command says. */
export function record<T extends object>(shape: Shape<T>): Read<T> {
  return (value, path) => {
    const fields = fieldsOf(value, path);
    const unknown = Object.keys(fields).find((name) => !Object.hasOwn(shape, name));
    if (unknown !== undefined) expected(`${path}.${unknown}`, "no such field");
    const entries = Object.entries<Read<unknown>>(shape).map(([name, read]) => [
      name,
      read(Object.hasOwn(fields, name) ? fields[name] : undefined, `${path}.${name}`),
    ]);
    return Object.fromEntries(entries) as T;
  };
}

/** A union told apart by its field `says`. */
export function saysOneOf<T extends { readonly says: string }>(
  options: {
    readonly [K in T["says"]]: Read<Extract<T, { says: K }>>;
  },
): Read<T> {
  return (value, path) => {
    const { says } = fieldsOf(value, path);
    const names = Object.keys(options);
    if (typeof says !== "string" || !Object.hasOwn(options, says)) {
      expected(`${path}.says`, names.join(" or "));
    }
    return options[says as T["says"]](value, path) as T;
  };
}

export function fieldsOf(
  value: CanonicalValue | undefined,
  path: string,
): Readonly<Record<string, CanonicalValue>> {
  const isRecord =
    typeof value === "object" &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof Uint8Array);
  return isRecord ? (value as Record<string, CanonicalValue>) : expected(path, "a record");
}
