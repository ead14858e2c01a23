import { hexOf, isTagName, writeMap } from "./exact-values.ts";
import {
  arrayPrototype,
  bareList,
  bytesPrototype,
  cut,
  datePrototype,
  getOwnPropertyDescriptor,
  getPrototypeOf,
  glue,
  isArray,
  isFiniteNumber,
  isWellFormed,
  mapPrototype,
  objectPrototype,
  ownKeys,
  stringifyJson,
  text,
} from "./intrinsics.ts";

const depthLevelsMax = 64;
const tooDeep = `lies deeper than ${depthLevelsMax} levels, or holds itself`;

/** Why a value cannot leave the isolate. */
export class ValueFault {
  readonly path: string;
  readonly why: string;

  constructor(path: string, why: string) {
    this.path = path;
    this.why = why;
  }
}

/** Where a value lies: the name of the whole, then keys and indexes. */
type Names = (string | number)[];

/**
 * JSON of a value that is plain data. Everything is read once and written at once, by syntax and
 * by what was taken before the script came: the engine's own writer reaches for list places and
 * toJSON, which a script can have changed, and it is given nothing but single texts here.
 */
export function encode(value: unknown, name: string, exact = false): string {
  const names: Names = bareList();
  names[0] = name;
  isExact = exact;
  return write(value, names, 0);
}

/** Whether the value may hold what only steps work with; one value is written at a time. */
let isExact = false;

function write(value: unknown, names: Names, depth: number): string {
  switch (typeof value) {
    case "string":
      if (isWellFormed(value)) return stringifyJson(value);
      return fault(names, depth, "is broken text: half of a surrogate pair");
    case "number":
      return isFiniteNumber(value) ? text(value) : fault(names, depth, "is not a finite number");
    case "boolean":
      return value ? "true" : "false";
    case "object":
      if (value === null) return "null";
      if (depth === depthLevelsMax) return fault(names, depth, tooDeep);
      return isArray(value) ? writeList(value, names, depth) : writeRecord(value, names, depth);
    case "bigint":
      if (isExact) return glue('{"$int":"', text(value), '"}');
      return fault(names, depth, "is a BigInt: give a number or a text instead");
    case "undefined":
      return fault(names, depth, "is undefined");
    default:
      return fault(names, depth, glue("is a ", typeof value));
  }
}

function writeList(value: readonly unknown[], names: Names, depth: number): string {
  const { length } = value;
  let written = "[";
  for (let index = 0; index < length; index++) {
    if (index > 0) written += ",";
    names[depth + 1] = index;
    written += write(value[index], names, depth + 1);
  }
  written += "]";
  return written;
}

function writeRecord(value: object, names: Names, depth: number): string {
  const prototype = getPrototypeOf(value);
  if (isExact && prototype === bytesPrototype) {
    return glue('{"$bytes":"', hexOf(value as Uint8Array), '"}');
  }
  if (isExact && prototype === mapPrototype) return writeEntries(value, names, depth);
  if (prototype !== objectPrototype && prototype !== null) fault(names, depth, notPlain(prototype));
  let written = "{";
  let isTagged = false;
  const keys = ownKeys(value);
  for (let index = 0; index < keys.length; index++) {
    const key = keys[index] as string | symbol;
    if (typeof key === "symbol") continue;
    if (getOwnPropertyDescriptor(value, key)?.enumerable !== true) continue;
    const inner = (value as Record<string, unknown>)[key];
    if (inner === undefined) continue;
    names[depth + 1] = key;
    if (key === "__proto__" || !isWellFormed(key)) {
      fault(names, depth + 1, "is not a name that can be kept");
    }
    if (isExact && isTagName(key)) isTagged = true;
    if (written !== "{") written += ",";
    written += stringifyJson(key);
    written += ":";
    written += write(inner, names, depth + 1);
  }
  written += "}";
  return isTagged ? glue('{"$plain":', written, "}") : written;
}

function writeEntries(value: object, names: Names, depth: number): string {
  names[depth + 1] = "map";
  const entries = writeMap(value as Map<unknown, unknown>, (key, part) =>
    glue("[", write(key, names, depth + 1), ",", write(part, names, depth + 1), "]"),
  );
  return glue('{"$map":[', entries, "]}");
}

function fault(names: Names, depth: number, why: string): never {
  let path = text(names[0]);
  for (let index = 1; index <= depth; index++) {
    const name = names[index] as string | number;
    path += typeof name === "number" ? glue("[", text(name), "]") : glue(".", cut(name, 100));
  }
  throw new ValueFault(path, why);
}

function notPlain(prototype: object): string {
  if (prototype === datePrototype) return "is a Date: give toISOString() or a number instead";
  if (prototype === arrayPrototype) return "is not a plain list";
  return "is not plain data (an object of a class, a Map, a Set or the like)";
}
