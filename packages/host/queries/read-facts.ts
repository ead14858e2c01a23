import type { CanonicalValue, JournalEntry, Seq, Store } from "@holdfast/core";
import type { JsonValue, RecordItem } from "./answers.ts";
import { pageItemsMax } from "./paged-list.ts";
import { plainValue } from "./plain-value.ts";
import { openedRecord } from "./read-record.ts";

export type RecordPage = {
  /** In the order they were written. */
  readonly items: readonly RecordItem[];
  /** To be given as `after` for those that come later. */
  readonly next: Seq;
  readonly head: Seq;
};

/** Facts after a position; null = the last ones there are. */
export async function readFacts(
  store: Store,
  workflow: string,
  { after, limit }: { readonly after: Seq | null; readonly limit: number },
): Promise<RecordPage> {
  const { head } = await store.load(workflow, []);
  const count = Math.min(limit, pageItemsMax);
  const from = after ?? Math.max(0, head.seq - count);
  const entries = await store.readJournal(workflow, from, count);
  const items = entries.map((entry) => recordItem(workflow, entry));
  return { items, next: items.at(-1)?.seq ?? from, head: head.seq };
}

export function recordItem(workflow: string, entry: JournalEntry): RecordItem {
  const { seq, at, fact } = openedRecord(workflow, entry);
  const { kind, ...told } = fact;
  return { seq, at, kind, hash: entry.hash, fact: shown(told as unknown as CanonicalValue) };
}

/** Bytes are shown by their size; the key that a service honors is nobody's to see. */
function shown(fact: CanonicalValue): { readonly [key: string]: JsonValue } {
  const plain = plainValue(fact) as { readonly [key: string]: JsonValue };
  return withoutKeys(plain) as { readonly [key: string]: JsonValue };
}

function withoutKeys(value: JsonValue): JsonValue {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(withoutKeys);
  const entries = Object.entries(value).filter(([name]) => name !== "providerKey");
  return Object.fromEntries(entries.map(([name, each]) => [name, withoutKeys(each)]));
}
