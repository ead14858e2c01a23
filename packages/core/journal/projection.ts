import type { RowChange } from "../view/row-change.ts";
import type { JournalRecord } from "./record.ts";

/** One function per kind of fact: the compiler sees to it that none is forgotten. */
export type ProjectionsOf<F extends { readonly kind: string }> = {
  readonly [K in F["kind"]]: (fact: Extract<F, { kind: K }>, record: JournalRecord) => RowChange[];
};
