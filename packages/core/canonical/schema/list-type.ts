import type { CanonicalValue } from "../canonical-value.ts";
import type { SchemaType } from "./schema-type.ts";
import type { Schema } from "./type-table.ts";

export type ListSchema = {
  readonly type: "list";
  readonly item: Schema;
  readonly itemsMax?: number;
};

export const listType: SchemaType<ListSchema> = {
  properties: ["item", "itemsMax"],
  mapKey: false,
  parse: (reader) => ({ type: "list", item: reader.inner("item"), ...reader.limit("itemsMax") }),
  compile: ({ item, itemsMax = Infinity }, compileInner) => {
    const admitItem = compileInner(item);
    return (value, walk) => {
      if (!Array.isArray(value)) return walk.refuseValue("list", value);
      const count = value.length;
      if (count > itemsMax) {
        return walk.refuse(`list of at most ${itemsMax} items`, `${count} items`);
      }
      const list: CanonicalValue[] = [];
      for (let at = 0; at < count; at++) {
        walk.enter(at);
        list.push(admitItem(value[at], walk));
        walk.leave();
      }
      return list;
    };
  },
};
