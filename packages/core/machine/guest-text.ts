/** The short way to a guest: JSON of a value, written while its schema is followed. */
import { isPlainObject, type NamedSchemas, type Schema } from "../canonical/index.ts";

/** As `guestTexts` would write it; null = JSON cannot say all of it, or it does not fit. */
export type WriteText = (value: unknown) => string | null;

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
    byName.set(name, (value) => (byName.get(name) ?? never)(value));
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

function integerText(value: unknown): string | null {
  if (typeof value === "number") return Number.isSafeInteger(value) ? String(value) : null;
  return typeof value === "bigint" && value >= safeMin && value <= safeMax ? String(value) : null;
}

function textText(value: unknown): string | null {
  return typeof value === "string" ? JSON.stringify(value) : null;
}

function boolText(value: unknown): string | null {
  return typeof value === "boolean" ? String(value) : null;
}

function optionText(inner: WriteText): WriteText {
  return (value) => (value === null ? "null" : inner(value));
}

function listText(item: WriteText): WriteText {
  return (value) => {
    if (!Array.isArray(value)) return null;
    let text = "";
    for (let at = 0; at < value.length; at++) {
      const part = item(value[at]);
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
  return (value) => {
    if (!isPlainObject(value) || Object.keys(value).length !== parts.length) return null;
    let text = "{";
    for (const { name, write, begin } of parts) {
      const part = write(value[name]);
      if (part === null) return null;
      text += begin + part;
    }
    return `${text}}`;
  };
}

function variantText(arms: ReadonlyMap<string, WriteText | null>): WriteText {
  return (value) => {
    if (!isPlainObject(value)) return null;
    const { $tag: tag, $value: inner } = value;
    const write = typeof tag === "string" ? arms.get(tag) : undefined;
    if (write === undefined) return null;
    const begin = `{"$tag":${JSON.stringify(tag)}`;
    if (write === null) return inner === undefined ? `${begin}}` : null;
    const text = write(inner);
    return text === null ? null : `${begin},"$value":${text}}`;
  };
}
