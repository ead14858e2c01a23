/**
 * Schema builders. What they return is exactly the core's schema data, nothing added: a schema is
 * stored, hashed and compared like any other value. The TypeScript type of the values is carried
 * beside it, by a property that exists for the compiler only.
 */
import type { Flat, Json } from "./json.ts";

declare const values: unique symbol;

/** `Read` is what a script gets; `Written` is what it may give, options left out for example. */
export interface Schema<Read = unknown, Written = Read, Name extends string = string> {
  readonly type: Name;
  readonly [values]?: () => readonly [Read, Written];
}

/** The values of a schema as a script reads them: `Infer<typeof order>`. */
export type Infer<S> = S extends Schema<infer Read, unknown> ? Read : never;

/** The values of a schema as a script may write them. */
export type InferInput<S> = S extends Schema<unknown, infer Written> ? Written : never;

type Fields = { readonly [name: string]: Schema };
type Arms = { readonly [tag: string]: Schema | null };

type OptionNames<F extends Fields> = {
  [Name in keyof F]: F[Name] extends Schema<unknown, unknown, "option"> ? Name : never;
}[keyof F];

export type RecordRead<F extends Fields> = { readonly [Name in keyof F]: Infer<F[Name]> };

export type RecordWritten<F extends Fields> = Flat<
  { readonly [Name in Exclude<keyof F, OptionNames<F>>]: InferInput<F[Name]> } & {
    readonly [Name in OptionNames<F>]?: InferInput<F[Name]> | undefined;
  }
>;

type Unit = Schema<unknown, unknown, "unit"> | null;

export type VariantRead<A extends Arms> = {
  [Tag in keyof A]: A[Tag] extends Exclude<A[Tag], Unit>
    ? { readonly $tag: Tag; readonly $value: Infer<A[Tag]> }
    : { readonly $tag: Tag };
}[keyof A];

/** The tagged form, or the short one: `{ paid: 3 }`, `{ open: null }`. */
export type VariantWritten<A extends Arms> = {
  [Tag in keyof A]: A[Tag] extends Exclude<A[Tag], Unit>
    ?
        | { readonly $tag: Tag; readonly $value: InferInput<A[Tag]> }
        | { readonly [Short in Tag]: InferInput<A[Tag]> }
    : { readonly $tag: Tag } | { readonly [Short in Tag]: null };
}[keyof A];

type MapKey =
  | Schema<string, string, "text" | "hash" | "uuid">
  | Schema<number, number, "int" | "nat">;

/** Text, hashes and ids as keys make a plain object, as in JSON; integer keys need a Map. */
export type MapOf<K extends MapKey, V> =
  K extends Schema<string, string> ? { readonly [key: string]: V } : ReadonlyMap<number, V>;

type BytesLimit = { readonly bytesMax?: number };
type ItemsLimit = { readonly itemsMax?: number };
type EntriesLimit = { readonly entriesMax?: number };

/** Text; `bytesMax` counts UTF-8. */
function text(limit: BytesLimit = {}): Schema<string, string, "text"> {
  return { type: "text", ...limit };
}

/** A whole number of 64 bits with sign; exact in scripts up to 2^53. */
function int(): Schema<number, number, "int"> {
  return { type: "int" };
}

/** A whole number from 0. */
function nat(): Schema<number, number, "nat"> {
  return { type: "nat" };
}

function bool(): Schema<boolean, boolean, "bool"> {
  return { type: "bool" };
}

function bytes(limit: BytesLimit = {}): Schema<Uint8Array, Uint8Array, "bytes"> {
  return { type: "bytes", ...limit };
}

/** Nanoseconds since 1970. */
function time(): Schema<bigint, bigint, "time"> {
  return { type: "time" };
}

/** Nanoseconds between two times. */
function duration(): Schema<bigint, bigint, "duration"> {
  return { type: "duration" };
}

/** A decimal of up to 34 digits as text, such as `12.50`; zeros at its end are kept. */
function dec128(): Schema<string, string, "dec128"> {
  return { type: "dec128" };
}

/** `sha256:` and 64 hex digits. */
function hash(): Schema<string, string, "hash"> {
  return { type: "hash" };
}

function uuid(): Schema<string, string, "uuid"> {
  return { type: "uuid" };
}

/** Nothing to say: null. */
function unit(): Schema<null, null, "unit"> {
  return { type: "unit" };
}

/**
 * Another schema by its name: a topic of the workflow, or one of the host's (`sys/…@1`). The
 * second argument is for the compiler, which learns the type from it.
 */
function ref<S extends Schema = Schema>(
  name: string,
  _named?: S,
): Schema<Infer<S>, InferInput<S>, "ref"> {
  return dataOf({ type: "ref", name });
}

/** Anything JSON can say; the only type that has fractions. */
function json(): Schema<Json, Json, "json"> {
  return { type: "json" };
}

function list<S extends Schema>(
  item: S,
  limit: ItemsLimit = {},
): Schema<readonly Infer<S>[], readonly InferInput<S>[], "list"> {
  return dataOf({ type: "list", item, ...limit });
}

/** Each item once, in the order of their bytes. */
function set<S extends Schema>(
  item: S,
  limit: ItemsLimit = {},
): Schema<readonly Infer<S>[], readonly InferInput<S>[], "set"> {
  return dataOf({ type: "set", item, ...limit });
}

function map<K extends MapKey, V extends Schema>(
  key: K,
  value: V,
  limit: EntriesLimit = {},
): Schema<MapOf<K, Infer<V>>, MapOf<K, InferInput<V>>, "map"> {
  return dataOf({ type: "map", key, value, ...limit });
}

function record<const F extends Fields>(
  fields: F,
): Schema<RecordRead<F>, RecordWritten<F>, "record"> {
  return dataOf({ type: "record", fields });
}

/** Null or a value. In a record it may be left out, and is then read as null. */
function option<S extends Schema>(
  inner: S["type"] extends "option" | "unit" ? never : S,
): Schema<Infer<S> | null, InferInput<S> | null, "option"> {
  return dataOf({ type: "option", inner });
}

/** One of several named arms; null for an arm that is only a name. */
function variant<const A extends Arms>(
  arms: A,
): Schema<VariantRead<A>, VariantWritten<A>, "variant"> {
  return dataOf({ type: "variant", arms });
}

/** The builders' parts are data of the core, which their compile-time types do not show. */
function dataOf<S extends Schema>(data: {
  readonly type: S["type"];
  readonly [part: string]: unknown;
}): S {
  return data as Schema as S;
}

export const schema = {
  text,
  int,
  nat,
  bool,
  bytes,
  time,
  duration,
  dec128,
  hash,
  uuid,
  unit,
  ref,
  json,
  list,
  set,
  map,
  record,
  option,
  variant,
} as const;
