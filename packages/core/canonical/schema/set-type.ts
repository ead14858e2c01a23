import type { CanonicalValue } from "../canonical-value.ts";
import { encodeCanonical } from "../cbor.ts";
import { compareBytes } from "../encoded-key.ts";
import type { Admit, SchemaType } from "./schema-type.ts";
import type { Schema } from "./type-table.ts";
import { Walk } from "./walk.ts";

/** The canonical form is a list in the order of its items' bytes, each once. */
export type SetSchema = {
  readonly type: "set";
  readonly item: Schema;
  readonly itemsMax?: number;
};

export const setType: SchemaType<SetSchema> = {
  properties: ["item", "itemsMax"],
  mapKey: false,
  parse: (reader) => ({ type: "set", item: reader.inner("item"), ...reader.limit("itemsMax") }),
  compile: ({ item, itemsMax = Infinity }, compileInner) => {
    const admitItem = compileInner(item);
    return (value, walk) => {
      const given = value instanceof Set ? [...value] : value;
      if (!Array.isArray(given)) return walk.refuseValue("set", value);
      const items = admitItems(given, admitItem, walk);
      const ordered = inByteOrder(items, walk.purpose === "bytes" ? null : admitItem);
      if (ordered.length > itemsMax) {
        walk.refuse(`set of at most ${itemsMax} items`, `${ordered.length} items`);
      }
      if (walk.purpose === "stored" && ordered.some((each, at) => each !== items[at])) {
        walk.refuse("set in canonical order", "another order");
      }
      if (walk.purpose === "stored" && ordered.length !== items.length) {
        walk.refuse("each item once", "an item twice");
      }
      return ordered;
    };
  },
};

function admitItems(given: readonly unknown[], admitItem: Admit, walk: Walk): CanonicalValue[] {
  const items: CanonicalValue[] = [];
  for (let at = 0; at < given.length; at++) {
    walk.enter(at);
    items.push(admitItem(given[at], walk));
    walk.leave();
  }
  return items;
}

/** `admitItem` = null for items that are in the form that has bytes already. */
function inByteOrder(items: readonly CanonicalValue[], admitItem: Admit | null): CanonicalValue[] {
  // Items are ours by now, so they may be read once more.
  const keyed = items.map((item) => {
    const plain = admitItem === null ? item : admitItem(item, new Walk("bytes", ""));
    return { item, bytes: encodeCanonical(plain) };
  });
  keyed.sort((left, right) => compareBytes(left.bytes, right.bytes));
  return keyed
    .filter(({ bytes }, at) => at === 0 || compareBytes(keyed[at - 1]?.bytes ?? bytes, bytes) !== 0)
    .map(({ item }) => item);
}
