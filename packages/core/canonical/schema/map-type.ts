import type { CanonicalMap, CanonicalRecord, CanonicalValue } from "../canonical-value.ts";
import { compareIntegerKeys, shapeOf } from "../encoded-key.ts";
import { isPlainObject, setOwn } from "../plain-object.ts";
import type { Admit, SchemaType } from "./schema-type.ts";
import type { Schema } from "./type-table.ts";
import type { Walk } from "./walk.ts";

/**
 * With keys that are written as text (text, hash, uuid) the canonical form is a plain object, as in
 * JSON, and a Map is accepted too. With integer keys it is a Map with bigint keys, in the order of
 * their bytes; an object never stands for one, but for the empty object, which has the same bytes.
 */
export type MapSchema = {
  readonly type: "map";
  readonly key: Schema;
  readonly value: Schema;
  readonly entriesMax?: number;
};

export const mapType: SchemaType<MapSchema> = {
  properties: ["key", "value", "entriesMax"],
  mapKey: false,
  parse: (reader) => ({
    type: "map",
    key: reader.mapKey("key"),
    value: reader.inner("value"),
    ...reader.limit("entriesMax"),
  }),
  compile: ({ key, value: inner, entriesMax = Infinity }, compileInner) => {
    const admits: Inner = { admitKey: compileInner(key), admitValue: compileInner(inner) };
    const isIntegerKey = key.type === "int" || key.type === "nat";
    const readEntries = isIntegerKey ? integerEntries : textEntries;
    return (value, walk) => {
      const entries = readEntries(value, walk);
      if (entries.length > entriesMax) {
        walk.refuse(`map of at most ${entriesMax} entries`, `${entries.length} entries`);
      }
      const admitted = admitEntries(entries, admits, walk);
      return isIntegerKey ? inIntegerOrder(admitted) : inTextOrder(admitted);
    };
  },
};

type Inner = { readonly admitKey: Admit; readonly admitValue: Admit };
type Entry = readonly [key: unknown, read: () => unknown];
type Admitted = Map<string | bigint, CanonicalValue>;

function textEntries(value: unknown, walk: Walk): Entry[] {
  if (value instanceof Map) return mapEntries(value);
  const record = walk.plainObject("map", value);
  return Object.keys(record).map((key) => [key, () => record[key]]);
}

function integerEntries(value: unknown, walk: Walk): Entry[] {
  if (value instanceof Map) return mapEntries(value);
  // The bytes of an empty map do not say what its keys would be, and decode as an empty object.
  const isEmpty = isPlainObject(value) && Object.keys(value).length === 0;
  return isEmpty ? [] : walk.refuseValue("Map with integer keys", value);
}

function mapEntries(map: ReadonlyMap<unknown, unknown>): Entry[] {
  return [...map].map(([key, value]) => [key, () => value]);
}

function admitEntries(entries: readonly Entry[], inner: Inner, walk: Walk): Admitted {
  const admitted: Admitted = new Map();
  for (const [given, read] of entries) {
    walk.enter(isKey(given) || typeof given === "number" ? given : "(key)");
    const key = inner.admitKey(given, walk);
    if (!isKey(key)) return walk.refuseValue("text or integer key", given);
    if (admitted.has(key)) walk.refuse("each key once", "the key twice");
    admitted.set(key, inner.admitValue(read(), walk));
    walk.leave();
  }
  return admitted;
}

function isKey(key: unknown): key is string | bigint {
  return typeof key === "string" || typeof key === "bigint";
}

function inIntegerOrder(admitted: Admitted): CanonicalMap {
  const integers = [...admitted.keys()].filter((key) => typeof key === "bigint");
  integers.sort(compareIntegerKeys);
  return new Map(integers.map((key) => [key, admitted.get(key) ?? null]));
}

function inTextOrder(admitted: Admitted): CanonicalRecord {
  const names = [...admitted.keys()].filter((key) => typeof key === "string");
  const record: Record<string, CanonicalValue> = {};
  for (const name of shapeOf(names).sorted) setOwn(record, name, admitted.get(name) ?? null);
  return record;
}
