import { u64Max } from "../canonical-value.ts";
import { admitInteger } from "./admit-integer.ts";
import type { SchemaType } from "./schema-type.ts";

export type NatSchema = { readonly type: "nat" };

const admit = admitInteger({ name: "nat", min: 0n, max: u64Max });

export const natType: SchemaType<NatSchema> = {
  properties: [],
  mapKey: true,
  parse: () => ({ type: "nat" }),
  compile: () => admit,
};
