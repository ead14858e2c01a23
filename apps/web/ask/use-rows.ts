import { useCallback, useEffect, useMemo, useState } from "react";
import { get, type Query } from "./api.ts";
import { useAsk } from "./asked.ts";
import { mergeRows } from "./merged-rows.ts";

type Page<T> = { readonly items: readonly T[]; readonly next: string | null };

export type Rows<T> = {
  /** Null = not told yet. */
  readonly rows: readonly T[] | null;
  readonly error: unknown;
  readonly freshCount: number;
  readonly showFresh: () => void;
  readonly isMore: boolean;
  readonly isAskingMore: boolean;
  readonly askMore: () => void;
  readonly refetch: () => void;
};

type Known<T> = {
  readonly rows: readonly T[];
  readonly next: string | null;
  /** Pages after the first: at which row each begins, and the cursor that leads there. */
  readonly pages: readonly { readonly start: number; readonly after: string }[];
};

const rowsPerPage = 50;

type Options<T> = {
  readonly path: string;
  readonly query?: Query;
  readonly idOf: (row: T) => string;
  /** The reader is in the middle of it: what is new waits. */
  readonly isHeld: () => boolean;
  /** The first row on the screen. */
  readonly firstSeen: number;
};

/**
 * A list that is as long as the host says, of which only what was scrolled to is here. Its newest
 * page follows the host, and so does the page on the screen. The caller gives it a key, so that
 * another list is another one.
 */
export function useRows<T>(options: Options<T>): Rows<T> {
  const { path, query = {}, idOf, isHeld, firstSeen } = options;
  const head = useAsk<Page<T>>(path, { ...query, limit: rowsPerPage });
  const [known, setKnown] = useState<Known<T> | null>(null);
  const [isAskingMore, setAskingMore] = useState(false);
  const [trouble, setTrouble] = useState<unknown>(null);
  const told = head.data;
  const seen = useAsk<Page<T>>(told === undefined ? null : path, {
    ...query,
    limit: rowsPerPage,
    after: known?.pages.findLast(({ start }) => start <= firstSeen)?.after,
  }).data;
  const merged = useMemo(() => {
    if (known === null || told === undefined) return null;
    const withSeen = mergeRows(known.rows, seen?.items ?? [], idOf).shown;
    return mergeRows(withSeen, told.items, idOf);
  }, [known, told, seen, idOf]);
  const showFresh = useCallback(() => {
    if (told !== undefined) setKnown((before) => taken(before, told, idOf));
  }, [told, idOf]);
  const isFirst = known === null;
  useEffect(() => {
    if (isFirst || !isHeld()) showFresh();
  }, [isFirst, showFresh, isHeld]);
  const askMore = async () => {
    if (isAskingMore || known?.next == null) return;
    setAskingMore(true);
    try {
      const after = known.next;
      const page = await get<Page<T>>(path, { ...query, limit: rowsPerPage, after });
      setKnown((before) => (before === null ? null : lengthened(before, page)));
      setTrouble(null);
    } catch (error) {
      setTrouble(error);
    }
    setAskingMore(false);
  };
  return {
    rows: merged?.shown ?? known?.rows ?? null,
    error: known === null ? head.error : trouble,
    freshCount: merged?.fresh.length ?? 0,
    showFresh,
    isMore: known?.next != null,
    isAskingMore,
    askMore: () => void askMore(),
    refetch: () => void head.refetch(),
  };
}

function lengthened<T>(known: Known<T>, page: Page<T>): Known<T> {
  const { rows, next, pages } = known;
  const begun = next === null ? [] : [{ start: rows.length, after: next }];
  return { rows: [...rows, ...page.items], next: page.next, pages: [...pages, ...begun] };
}

/** If nothing told is known, there is a gap between: then the list begins anew. */
function taken<T>(before: Known<T> | null, told: Page<T>, idOf: (row: T) => string): Known<T> {
  const anew = { rows: told.items, next: told.next, pages: [] };
  if (before === null || told.next === null) return anew;
  const { shown, fresh } = mergeRows(before.rows, told.items, idOf);
  if (fresh.length === told.items.length) return anew;
  const pages = before.pages.map((page) => ({ ...page, start: page.start + fresh.length }));
  return { ...before, rows: [...fresh, ...shown], pages };
}
