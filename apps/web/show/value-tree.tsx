import { useState } from "react";
import { countText, type Json, valueText } from "../words/values.ts";
import { Fold } from "./fold.tsx";
import { LongText } from "./value-table.tsx";

/** What is longer or deeper is folded. */
const openEntriesMax = 8;
const openDepthMax = 2;

type Props = { readonly value: Json; readonly depth?: number };
type Fields = { readonly [name: string]: Json };

/** A value as it is built: fields below each other, what is inside indented, long parts folded. */
export function ValueTree({ value, depth = 0 }: Props) {
  if (typeof value !== "object" || value === null) return <Leaf value={value} />;
  const { $tag, $value = null } = value as Fields;
  if (typeof $tag === "string") return <Variant tag={$tag} value={$value} depth={depth} />;
  const entries = Object.entries(value as Fields);
  if (entries.length === 0) return <span className="quiet">nothing</span>;
  const isList = Array.isArray(value);
  const inside = () => <Entries entries={entries} isList={isList} depth={depth} />;
  if (depth === 0 || (depth <= openDepthMax && entries.length <= openEntriesMax)) return inside();
  const [one, many] = isList ? ["entry", "entries"] : ["field", "fields"];
  return <Fold title={countText(entries.length, one, many)}>{inside}</Fold>;
}

type EntriesProps = {
  readonly entries: readonly (readonly [name: string, value: Json])[];
  readonly isList: boolean;
  readonly depth: number;
};

/** So many are drawn at once: a browser is slow with more, and nobody reads them in one go. */
const drawnAtOnce = 200;

function Entries({ entries, isList, depth }: EntriesProps) {
  const [drawn, setDrawn] = useState(drawnAtOnce);
  const left = entries.length - drawn;
  return (
    <>
      <dl className="tree">
        {entries.slice(0, drawn).map(([name, each]) => (
          <div key={name}>
            <dt>{isList ? Number(name) + 1 : name}</dt>
            <dd>
              <ValueTree value={each} depth={depth + 1} />
            </dd>
          </div>
        ))}
      </dl>
      {left > 0 && (
        <button type="button" className="plain" onClick={() => setDrawn(drawn + drawnAtOnce)}>
          Show {Math.min(left, drawnAtOnce)} of {countText(left, "more", "more")}
        </button>
      )}
    </>
  );
}

type VariantProps = { readonly tag: string; readonly value: Json; readonly depth: number };

/** One of several forms: its name, and what it holds. */
function Variant({ tag, value, depth }: VariantProps) {
  return (
    <>
      <strong>{tag}</strong> {value !== null && <ValueTree value={value} depth={depth} />}
    </>
  );
}

function Leaf({ value }: { readonly value: null | boolean | number | string }) {
  if (value === null) return <span className="quiet">–</span>;
  return (
    <span className={`leaf is-${typeof value}`}>
      <LongText text={valueText(value)} />
    </span>
  );
}
