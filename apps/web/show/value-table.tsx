import { useMemo, useState } from "react";
import { countText, fieldsOf, type Json, valueText } from "../words/values.ts";

const charsShown = 240;
/** Beyond this no browser lays text out while somebody waits: it is read in a file. */
const charsShownMax = 20_000;
const fieldsShown = 12;

/** Text of whoever it is from: text, however long, and never anything else. */
export function LongText({ text }: { readonly text: string }) {
  const [isWhole, setWhole] = useState(false);
  if (text.length <= charsShown) return <span className="value">{text}</span>;
  const shown = text.slice(0, isWhole ? charsShownMax : charsShown);
  const all = countText(text.length, "character");
  return (
    <span className="value">
      {shown}
      {shown.length < text.length && "…"}{" "}
      <button type="button" className="plain" onClick={() => setWhole(!isWhole)}>
        {isWhole ? "Fold" : text.length > charsShownMax ? "Show more" : `Show all ${all}`}
      </button>{" "}
      {text.length > charsShownMax && (
        <button type="button" className="plain" onClick={() => saveText(text)}>
          Save all {all} as a file
        </button>
      )}
    </span>
  );
}

function saveText(text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
  const link = document.createElement("a");
  link.href = address;
  link.download = "value.txt";
  link.click();
  URL.revokeObjectURL(address);
}

type Props = {
  readonly value: Json;
  /** Names of fields that are another than before. */
  readonly marked?: ReadonlySet<string>;
};

function Shown({ value }: { readonly value: Json }) {
  const text = useMemo(() => valueText(value), [value]);
  return <LongText text={text} />;
}

/** A value as a list of fields; long ones are folded. */
export function ValueTable({ value, marked }: Props) {
  const [isWhole, setWhole] = useState(false);
  const fields = useMemo(() => fieldsOf(value), [value]);
  const shown = isWhole ? fields : fields.slice(0, fieldsShown);
  return (
    <div>
      <dl className="values">
        {shown.map(({ name, value: each }) => (
          <div key={name} className={marked?.has(name) ? "changed" : undefined}>
            <dt>{name === "" ? "value" : name}</dt>
            <dd className={`is-${each === null ? "null" : typeof each}`}>
              <Shown value={each} />
            </dd>
          </div>
        ))}
      </dl>
      {fields.length > fieldsShown && (
        <button type="button" className="plain" onClick={() => setWhole(!isWhole)}>
          {isWhole ? "Show fewer" : `Show all ${fields.length} fields`}
        </button>
      )}
    </div>
  );
}
