import { type BoolSchema, boolType } from "./bool-type.ts";
import { type BytesSchema, bytesType } from "./bytes-type.ts";
import { type Dec128Schema, dec128Type } from "./dec128-type.ts";
import { type DurationSchema, durationType } from "./duration-type.ts";
import { type HashSchema, hashType } from "./hash-type.ts";
import { type IntSchema, intType } from "./int-type.ts";
import { type JsonSchema, jsonType } from "./json-type.ts";
import { type ListSchema, listType } from "./list-type.ts";
import { type MapSchema, mapType } from "./map-type.ts";
import { type NatSchema, natType } from "./nat-type.ts";
import { type OptionSchema, optionType } from "./option-type.ts";
import { type RecordSchema, recordType } from "./record-type.ts";
import { type RefSchema, refType } from "./ref-type.ts";
import type { SchemaType } from "./schema-type.ts";
import { type SetSchema, setType } from "./set-type.ts";
import { type TextSchema, textType } from "./text-type.ts";
import { type TimeSchema, timeType } from "./time-type.ts";
import { type UnitSchema, unitType } from "./unit-type.ts";
import { type UuidSchema, uuidType } from "./uuid-type.ts";
import { type VariantSchema, variantType } from "./variant-type.ts";

/** A schema is data: it is stored, hashed and compared like any other canonical value. */
export type Schema =
  | BoolSchema
  | BytesSchema
  | Dec128Schema
  | DurationSchema
  | HashSchema
  | IntSchema
  | JsonSchema
  | ListSchema
  | MapSchema
  | NatSchema
  | OptionSchema
  | RecordSchema
  | RefSchema
  | SetSchema
  | TextSchema
  | TimeSchema
  | UnitSchema
  | UuidSchema
  | VariantSchema;

type TypeTable = {
  readonly [Name in Schema["type"]]: SchemaType<Extract<Schema, { type: Name }>>;
};

/** Every schema type there is. */
const typeTable: TypeTable = {
  bool: boolType,
  bytes: bytesType,
  dec128: dec128Type,
  duration: durationType,
  hash: hashType,
  int: intType,
  json: jsonType,
  list: listType,
  map: mapType,
  nat: natType,
  option: optionType,
  record: recordType,
  ref: refType,
  set: setType,
  text: textType,
  time: timeType,
  unit: unitType,
  uuid: uuidType,
  variant: variantType,
};

export const typeNames: readonly string[] = Object.keys(typeTable);

/** Null for a name that is not a type, `constructor` and the like included. */
export function findType(name: string): SchemaType<Schema> | null {
  if (!Object.hasOwn(typeTable, name)) return null;
  return typeTable[name as Schema["type"]] as SchemaType<Schema>;
}
