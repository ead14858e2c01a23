import { i64Max, i64Min } from "../canonical-value.ts";
import { admitInteger } from "./admit-integer.ts";
import type { SchemaType } from "./schema-type.ts";

export type IntSchema = { readonly type: "int" };

const admit = admitInteger({ name: "int", min: i64Min, max: i64Max });

export const intType: SchemaType<IntSchema> = {
  properties: [],
  mapKey: true,
  parse: () => ({ type: "int" }),
  compile: () => admit,
};
