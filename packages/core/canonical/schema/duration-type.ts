import { i64Max, i64Min } from "../canonical-value.ts";
import { admitInteger } from "./admit-integer.ts";
import type { SchemaType } from "./schema-type.ts";

/** Nanoseconds as i64: almost 292 years, either way. */
export type DurationSchema = { readonly type: "duration" };

const admit = admitInteger({ name: "duration", min: i64Min, max: i64Max });

export const durationType: SchemaType<DurationSchema> = {
  properties: [],
  mapKey: false,
  parse: () => ({ type: "duration" }),
  compile: () => admit,
};
