/** The short way to a guest: JSON of a value, written while its schema is followed. */
import { isPlainObject, type NamedSchemas, type Schema } from "../canonical/index.ts";
import { type Apart, tagged } from "./tagged-json.ts";

/** Where the writing is, and what JSON cannot say of what was written so far. */
export type Writing = {
  readonly way: (string | number)[];
  readonly apart: Apart;
  /** Where some bytes go that are handed over beside the text; absent = all are in `apart`. */
  readonly beside?: Uint8Array[] | undefined;
};

/** As `guestTexts` would write it; null = it does not fit, or is of a type for the long way. */
export type WriteText = (value: unknown, writing: Writing) => string | null;

const never: WriteText = () => null;

/** For values that were decoded, or validated, by the same schema. */
export function compileText(schema: Schema, names: NamedSchemas): WriteText {
  const byName = new Map<string, WriteText>();

  function ofName(name: string): WriteText {
    const known = byName.get(name);
    if (known !== undefined) return known;
    const target = names.get(name);
    if (target === undefined) return never;
    // A schema may name itself: until it is there, whoever asks looks it up when it is used.
    byName.set(name, (value, writing) => (byName.get(name) ?? never)(value, writing));
    const write = compile(target);
    byName.set(name, write);
    return write;
  }

  function compile(inner: Schema): WriteText {
    switch (inner.type) {
      case "ref":
        return ofName(inner.name);
      case "int":
      case "nat":
        return integerText;
      case "text":
      case "uuid":
      case "hash":
        return textText;
      case "bool":
        return boolText;
      case "bytes":
        return bytesText;
      case "unit":
        return (value) => (value === null ? "null" : null);
      case "option":
        return optionText(compile(inner.inner));
      case "list":
        return listText(compile(inner.item));
      case "record":
        return recordText(Object.entries(inner.fields).map(([name, of]) => [name, compile(of)]));
      case "variant":
        return variantText(
          new Map(Object.entries(inner.arms).map(([tag, arm]) => [tag, arm && compile(arm)])),
        );
      default:
        return never;
    }
  }

  return compile(schema);
}

const safeMin = BigInt(Number.MIN_SAFE_INTEGER);
const safeMax = BigInt(Number.MAX_SAFE_INTEGER);

function integerText(value: unknown, writing: Writing): string | null {
  if (typeof value === "number") return Number.isSafeInteger(value) ? String(value) : null;
  if (typeof value !== "bigint") return null;
  return value >= safeMin && value <= safeMax ? String(value) : setApart(value, writing);
}

function bytesText(value: unknown, writing: Writing): string | null {
  return value instanceof Uint8Array ? setApart(value, writing) : null;
}

/** Nothing stands in its place. */
function setApart(value: bigint | Uint8Array, { way, apart, beside }: Writing): string {
  const isBeside =
    value instanceof Uint8Array &&
    value.length >= besideBytesMin &&
    (beside?.length ?? besideMax) < besideMax;
  const what = isBeside ? { $bytes: (beside?.push(value) ?? 0) - 1 } : tagged(value);
  apart.push([[...way], what]);
  return "null";
}

/** Fewer are written and read as a list in the time that it takes to hand them over. */
const besideBytesMin = 8;
/** Each is an argument of one call. */
const besideMax = 16;

function textText(value: unknown): string | null {
  return typeof value === "string" ? JSON.stringify(value) : null;
}

function boolText(value: unknown): string | null {
  return typeof value === "boolean" ? String(value) : null;
}

function optionText(inner: WriteText): WriteText {
  return (value, writing) => (value === null ? "null" : inner(value, writing));
}

function listText(item: WriteText): WriteText {
  return (value, writing) => {
    if (!Array.isArray(value)) return null;
    let text = "";
    for (let at = 0; at < value.length; at++) {
      writing.way.push(at);
      const part = item(value[at], writing);
      writing.way.pop();
      if (part === null) return null;
      text += at === 0 ? part : `,${part}`;
    }
    return `[${text}]`;
  };
}

/** In the order of the schema, as a validated record has them. */
function recordText(fields: readonly (readonly [name: string, write: WriteText])[]): WriteText {
  if (fields.some(([name]) => name === "__proto__")) return never;
  const parts = fields.map(([name, write], at) => {
    return { name, write, begin: `${at === 0 ? "" : ","}${JSON.stringify(name)}:` };
  });
  return (value, writing) => {
    if (!isPlainObject(value) || Object.keys(value).length !== parts.length) return null;
    let text = "{";
    for (const { name, write, begin } of parts) {
      writing.way.push(name);
      const part = write(value[name], writing);
      writing.way.pop();
      if (part === null) return null;
      text += begin + part;
    }
    return `${text}}`;
  };
}

function variantText(arms: ReadonlyMap<string, WriteText | null>): WriteText {
  return (value, writing) => {
    if (!isPlainObject(value)) return null;
    const { $tag: tag, $value: inner } = value;
    const write = typeof tag === "string" ? arms.get(tag) : undefined;
    if (write === undefined) return null;
    const begin = `{"$tag":${JSON.stringify(tag)}`;
    if (write === null) return inner === undefined ? `${begin}}` : null;
    writing.way.push("$value");
    const text = write(inner, writing);
    writing.way.pop();
    return text === null ? null : `${begin},"$value":${text}}`;
  };
}
