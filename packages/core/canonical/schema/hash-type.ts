import { parseHash } from "../hash.ts";
import type { SchemaType } from "./schema-type.ts";

/** `sha256:` and 64 lower-case hex digits; there is no second spelling. */
export type HashSchema = { readonly type: "hash" };

export const hashType: SchemaType<HashSchema> = {
  properties: [],
  mapKey: true,
  parse: () => ({ type: "hash" }),
  compile: () => (value, walk) => parseHash(value) ?? walk.refuseValue("hash", value),
};
