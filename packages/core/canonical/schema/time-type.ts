import { i64Max, i64Min } from "../canonical-value.ts";
import { admitInteger } from "./admit-integer.ts";
import type { SchemaType } from "./schema-type.ts";

/** Nanoseconds since 1970 as i64: the years 1677 to 2262, so that older dates can be told too. */
export type TimeSchema = { readonly type: "time" };

const admit = admitInteger({ name: "time", min: i64Min, max: i64Max });

export const timeType: SchemaType<TimeSchema> = {
  properties: [],
  mapKey: false,
  parse: () => ({ type: "time" }),
  compile: () => admit,
};
