import type { SchemaType } from "./schema-type.ts";

/** Any of the 2^128 ids. Capitals are taken from authors, and written small. */
export type UuidSchema = { readonly type: "uuid" };

const anyCase = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export const uuidType: SchemaType<UuidSchema> = {
  properties: [],
  mapKey: true,
  parse: () => ({ type: "uuid" }),
  compile: () => (value, walk) => {
    if (typeof value !== "string" || !anyCase.test(value)) return walk.refuseValue("uuid", value);
    const small = value.toLowerCase();
    if (walk.purpose === "stored" && small !== value) return walk.refuseValue("uuid", value);
    return small;
  },
};
