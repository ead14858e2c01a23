import type { CanonicalValue } from "@holdfast/core";

/** Takes credentials out of texts of others, who may repeat what they were sent. */
export type Hide = (text: string) => string;

/** Shorter ones are in every text, and guard nothing. */
const lengthMin = 4;

/** JSON in a text of JSON, and once more; deeper ones are nobody's way to repeat a header. */
const levelsMax = 3;

/** A text as it is, or as JSON reads it; and where in the first each unit of it begins. */
type Reading = { readonly text: string; readonly startOf: (at: number) => number };

type Range = { readonly start: number; readonly end: number };

export function hiding(secrets: readonly string[]): Hide {
  const forms = [...new Set(secrets.filter((each) => each.length >= lengthMin).flatMap(formsOf))];
  return (text) => {
    const found = readingsOf(text).flatMap((reading) =>
      forms.flatMap((form) => rangesOf(reading, form)),
    );
    return withoutRanges(text, found);
  };
}

function formsOf(secret: string): readonly string[] {
  return [secret, encodeURIComponent(secret)];
}

/** There are many ways to escape a text in JSON, so it is read and not guessed at. */
function readingsOf(text: string): readonly Reading[] {
  const readings: Reading[] = [{ text, startOf: (at) => at }];
  for (let level = 0; level < levelsMax; level += 1) {
    const last = readings.at(-1);
    if (last === undefined || !last.text.includes("\\")) break;
    readings.push(unescaped(last));
  }
  return readings;
}

const escaped = /\\(?:u[0-9a-fA-F]{4}|["\\/bfnrt])/g;

function unescaped({ text, startOf }: Reading): Reading {
  const parts: string[] = [];
  const starts: number[] = [];
  let end = 0;
  const copyUntil = (start: number) => {
    parts.push(text.slice(end, start));
    for (let at = end; at < start; at += 1) starts.push(startOf(at));
  };
  for (const { 0: whole, index } of text.matchAll(escaped)) {
    copyUntil(index);
    parts.push(String(JSON.parse(`"${whole}"`)));
    starts.push(startOf(index));
    end = index + whole.length;
  }
  copyUntil(text.length);
  const wholeEnd = startOf(text.length);
  return { text: parts.join(""), startOf: (at) => starts[at] ?? wholeEnd };
}

function rangesOf({ text, startOf }: Reading, form: string): readonly Range[] {
  const ranges: Range[] = [];
  for (let at = text.indexOf(form); at >= 0; at = text.indexOf(form, at + form.length)) {
    ranges.push({ start: startOf(at), end: startOf(at + form.length) });
  }
  return ranges;
}

/** Those that overlap are one: a credential may be the beginning of another. */
function withoutRanges(text: string, ranges: readonly Range[]): string {
  const parts: string[] = [];
  let shown = 0;
  for (const { start, end } of ranges.toSorted((one, other) => one.start - other.start)) {
    if (start >= shown) parts.push(text.slice(shown, start), "(hidden)");
    shown = Math.max(shown, end);
  }
  return [...parts, text.slice(shown)].join("");
}

/** In every text, name and number of a value of JSON. */
export function hideInValue(value: CanonicalValue, hide: Hide): CanonicalValue {
  if (value === null) return null;
  if (Array.isArray(value)) return value.map((each: CanonicalValue) => hideInValue(each, hide));
  if (typeof value === "object") {
    const entries = Object.entries(value as Readonly<Record<string, CanonicalValue>>);
    return Object.fromEntries(entries.map(([name, each]) => [hide(name), hideInValue(each, hide)]));
  }
  const text = String(value);
  const shown = hide(text);
  return shown === text ? value : shown;
}
