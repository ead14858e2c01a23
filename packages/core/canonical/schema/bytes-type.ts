import type { SchemaType } from "./schema-type.ts";

export type BytesSchema = { readonly type: "bytes"; readonly bytesMax?: number };

export const bytesType: SchemaType<BytesSchema> = {
  properties: ["bytesMax"],
  mapKey: false,
  parse: (reader) => ({ type: "bytes", ...reader.limit("bytesMax") }),
  compile: ({ bytesMax = Infinity }) => {
    return (value, walk) => {
      if (!(value instanceof Uint8Array)) return walk.refuseValue("bytes", value);
      if (value.length > bytesMax) {
        return walk.refuse(`at most ${bytesMax} bytes`, `${value.length} bytes`);
      }
      // The caller may go on writing into its own array.
      return walk.purpose === "value" ? new Uint8Array(value) : value;
    };
  },
};
