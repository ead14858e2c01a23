import type { SchemaType } from "./schema-type.ts";

export type BoolSchema = { readonly type: "bool" };

export const boolType: SchemaType<BoolSchema> = {
  properties: [],
  mapKey: false,
  parse: () => ({ type: "bool" }),
  compile: () => (value, walk) =>
    typeof value === "boolean" ? value : walk.refuseValue("bool", value),
};
