import { type Infer, schema } from "./schema.ts";

const fenceSchema = schema.list(schema.text());

/** The ids that went through, newest last. Part of the state. */
export type Fence = Infer<typeof fenceSchema>;

/** Null: this id was here before, and is not to be handled again. */
function pass(seen: Fence, id: string, keep: number): Fence | null {
  for (const each of seen) if (each === id) return null;
  const all = [...seen, id];
  const first = all.length > keep ? all.length - keep : 0;
  const kept: string[] = [];
  for (let at = first; at < all.length; at++) kept[kept.length] = all[at] ?? "";
  return kept;
}

/** Keeps duplicates out: `keep` says how many ids are remembered. */
export const fence = { schema: fenceSchema, pass } as const;
