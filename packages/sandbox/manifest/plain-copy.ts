/** Levels of a definition: a schema at its deepest, inside a topic. */
const definitionDepthLevelsMax = 80;
/** Values of a definition, all together. */
const definitionValuesMax = 100_000;

export type Data = null | boolean | number | string | readonly Data[] | DataRecord;
export type DataRecord = { readonly [key: string]: Data };

export type Copied =
  | { readonly ok: true; readonly data: Data }
  | { readonly ok: false; readonly path: readonly string[]; readonly cause: string };

class NotData extends Error {}

/**
 * A copy that can be read without surprise: no getters, no prototypes but our own, bounded. The
 * definition comes out of an isolate and is whatever a stranger's script says it is.
 */
export function copyPlain(given: unknown): Copied {
  const path: string[] = [];
  let valuesLeft = definitionValuesMax;
  const copy = (value: unknown): Data => {
    valuesLeft -= 1;
    if (valuesLeft < 0) throw new NotData(`has more than ${definitionValuesMax} values`);
    if (path.length > definitionDepthLevelsMax) throw new NotData("is nested too deeply");
    if (value === null || typeof value === "boolean" || typeof value === "string") return value;
    if (typeof value === "number" && Number.isFinite(value)) return value;
    if (Array.isArray(value)) return value.map((each, at) => inside(String(at), each));
    if (typeof value !== "object" || !isPlain(value)) throw new NotData("is not plain data");
    const record: Record<string, Data> = Object.create(null);
    for (const key of Object.keys(value)) {
      const inner: unknown = Reflect.get(value, key);
      if (inner !== undefined) record[key] = inside(key, inner);
    }
    return record;
  };
  const inside = (key: string, value: unknown): Data => {
    path.push(key);
    const data = copy(value);
    path.pop();
    return data;
  };
  try {
    return { ok: true, data: copy(given) };
  } catch (error) {
    const cause = error instanceof NotData ? error.message : "cannot be read";
    return { ok: false, path, cause };
  }
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

export function isRecord(data: Data | undefined): data is DataRecord {
  return typeof data === "object" && data !== null && !Array.isArray(data);
}

export function isList(data: Data | undefined): data is readonly Data[] {
  return Array.isArray(data);
}

/** Functions of the script stand as `{ "$function": name }`. */
export function isFunctionMark(data: Data | undefined): boolean {
  return isRecord(data) && typeof data["$function"] === "string" && Object.keys(data).length === 1;
}

/** A value in a sentence. */
export function shown(data: Data | undefined): string {
  if (data === undefined) return "nothing";
  if (isFunctionMark(data)) return "a function";
  if (isList(data)) return "a list";
  if (isRecord(data)) return "an object";
  if (typeof data === "string") return JSON.stringify(shortened(data));
  return String(data);
}

const charsShownMax = 60;

export function shortened(text: string): string {
  return text.length <= charsShownMax ? text : `${text.slice(0, charsShownMax).toWellFormed()}…`;
}
