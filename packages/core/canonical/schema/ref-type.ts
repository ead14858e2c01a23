import type { SchemaType } from "./schema-type.ts";

/** Another schema by its name; whoever compiles knows the names. See `resolve-refs.ts`. */
export type RefSchema = { readonly type: "ref"; readonly name: string };

export const refType: SchemaType<RefSchema> = {
  properties: ["name"],
  mapKey: false,
  parse: (reader) => ({ type: "ref", name: reader.text("name") }),
  compile: (schema, compileInner) => compileInner(schema),
};
