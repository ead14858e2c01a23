import type { SchemaType } from "./schema-type.ts";

/** Nothing to say: its one value is null. As an arm of a variant it is the arm without a value. */
export type UnitSchema = { readonly type: "unit" };

export const unitType: SchemaType<UnitSchema> = {
  properties: [],
  mapKey: false,
  parse: () => ({ type: "unit" }),
  compile: () => (value, walk) => (value === null ? null : walk.refuseValue("unit", value)),
};
