import type { SchemaType } from "./schema-type.ts";
import type { Schema } from "./type-table.ts";

/** Null or the inner type, without a wrapper; as a record field it may be left out. */
export type OptionSchema = { readonly type: "option"; readonly inner: Schema };

export const optionType: SchemaType<OptionSchema> = {
  properties: ["inner"],
  mapKey: false,
  parse: (reader) => {
    const inner = reader.inner("inner");
    // Without a wrapper, "none" and "some none" would be the same null.
    if (inner.type === "option" || inner.type === "unit") {
      return reader.refuseAt("inner", "a type other than option and unit");
    }
    return { type: "option", inner };
  },
  compile: ({ inner }, compileInner) => {
    const admitInner = compileInner(inner);
    return (value, walk) => (value === null ? null : admitInner(value, walk));
  },
};
