import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { type ReactNode, useCallback, useEffect, useRef, useState } from "react";
import type { Query } from "../ask/api.ts";
import { useRows } from "../ask/use-rows.ts";
import { countText } from "../words/values.ts";
import { Asking } from "./answered.tsx";
import { Problem } from "./problem.tsx";

type Props<T> = {
  readonly path: string;
  readonly query?: Query;
  /** What is listed, as "what came in". */
  readonly what: string;
  readonly idOf: (row: T) => string;
  readonly row: (row: T) => ReactNode;
  readonly empty: ReactNode;
};

const rowPxGuess = 44;

/** As many rows as there are, as many drawn as are seen. Another query is another list. */
export function RowList<T>(props: Props<T>) {
  return <Listed key={JSON.stringify([props.path, props.query])} {...props} />;
}

function Listed<T>({ path, query, what, idOf, row, empty }: Props<T>) {
  const place = useRef<HTMLDivElement>(null);
  const isHeld = useCallback(() => isInUse(place.current), []);
  const [firstSeen, setFirstSeen] = useState(0);
  const found = useRows<T>({ path, ...(query && { query }), idOf, isHeld, firstSeen });
  if (found.rows === null) {
    if (found.error !== null) return <Problem error={found.error} retry={found.refetch} />;
    return <Asking what={what} />;
  }
  const { rows } = found;
  return (
    <div ref={place}>
      <div aria-live="polite">
        {found.freshCount > 0 && (
          <button type="button" className="fresh" onClick={found.showFresh}>
            {countText(found.freshCount, "new row", "new rows")}: show
          </button>
        )}
      </div>
      {rows.length === 0 && !found.isMore ? empty : null}
      <Drawn
        rows={rows}
        idOf={idOf}
        row={row}
        onEnd={found.isMore ? found.askMore : null}
        onFirst={setFirstSeen}
      />
      {found.isAskingMore && <p className="quiet">Asking the host for more of {what} …</p>}
      {found.error !== null && <Problem error={found.error} retry={found.askMore} />}
    </div>
  );
}

/** Somebody points at a row, has one in focus, or has scrolled into the list. */
function isInUse(place: HTMLElement | null): boolean {
  if (place === null) return false;
  const isFocused = place.contains(document.activeElement);
  return isFocused || place.matches(":hover") || place.getBoundingClientRect().top < 0;
}

type DrawnProps<T> = Pick<Props<T>, "idOf" | "row"> & {
  readonly rows: readonly T[];
  /** Null = that is all. */
  readonly onEnd: (() => void) | null;
  readonly onFirst: (index: number) => void;
};

const endRows = 10;

function Drawn<T>({ rows, idOf, row, onEnd, onFirst }: DrawnProps<T>) {
  const list = useRef<HTMLDivElement>(null);
  const virtual = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => rowPxGuess,
    overscan: 12,
    scrollMargin: list.current?.offsetTop ?? 0,
    getItemKey: (index) => idOf(rows[index] as T),
  });
  const drawn = virtual.getVirtualItems();
  const last = drawn.at(-1)?.index ?? 0;
  const first = virtual.range?.startIndex ?? 0;
  useEffect(() => onFirst(first), [first, onFirst]);
  const isNearEnd = last >= rows.length - endRows;
  useEffect(() => {
    if (isNearEnd) onEnd?.();
  }, [isNearEnd, onEnd]);
  return (
    <div ref={list} className="rows" style={{ height: virtual.getTotalSize() }}>
      {drawn.map(({ index, key, start }) => (
        <div
          key={key}
          ref={virtual.measureElement}
          data-index={index}
          className="row-place"
          style={{ transform: `translateY(${start - virtual.options.scrollMargin}px)` }}
        >
          {row(rows[index] as T)}
        </div>
      ))}
    </div>
  );
}
