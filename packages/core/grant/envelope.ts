import { type CanonicalValue, contentHash } from "../canonical/index.ts";
import { invariant } from "../ports/invariant.ts";
import { amountParts } from "./amount.ts";
import type { Constraint, Grant } from "./grant.ts";
import { compilePattern } from "./pattern.ts";
import { follow, isIndex, parsePointer } from "./pointer.ts";

/** Null = it holds; otherwise why not, or why nobody can tell whether it does. */
type Test = (params: CanonicalValue) => Doubt | null;

export type Doubt = { readonly says: "no" | "unclear"; readonly why: string };

export type ReadyGrant = {
  /** Its place in the envelope. */
  readonly index: number;
  readonly grant: Grant;
  readonly tests: readonly Test[];
};

type OfOperation = {
  readonly grants: readonly ReadyGrant[];
  /** Null = no grant of it counts an amount. */
  readonly amountPath: readonly string[] | null;
};

/**
 * The grants of an envelope, made ready once: patterns are compiled, and a call meets those of its
 * own operation only, however many there are.
 */
export type Envelope = {
  readonly number: number;
  readonly byOperation: ReadonlyMap<string, OfOperation>;
};

const nothingGranted: OfOperation = { grants: [], amountPath: null };

export function compileEnvelope(number: number, grants: readonly Grant[]): Envelope {
  const lists = new Map<string, ReadyGrant[]>();
  for (const [index, grant] of grants.entries()) {
    const list = lists.get(grant.operation) ?? [];
    list.push({ index, grant, tests: grant.where.map(testOf) });
    lists.set(grant.operation, list);
  }
  const byOperation = new Map<string, OfOperation>();
  for (const [operation, list] of lists) {
    const pointer = list.find(({ grant }) => grant.amount !== null)?.grant.amount ?? null;
    const amountPath = pointer === null ? null : pathOf(pointer);
    byOperation.set(operation, { grants: list, amountPath });
  }
  return { number, byOperation };
}

export function grantsOf({ byOperation }: Envelope, operation: string): readonly ReadyGrant[] {
  return (byOperation.get(operation) ?? nothingGranted).grants;
}

/** In ten-thousandths; null = none is counted, or there is none that could be. */
export function amountOf(
  { byOperation }: Envelope,
  operation: string,
  params: CanonicalValue,
): number | null {
  const { amountPath } = byOperation.get(operation) ?? nothingGranted;
  return amountPath === null ? null : amountParts(follow(params, amountPath));
}

function pathOf(pointer: string): readonly string[] {
  const path = parsePointer(pointer);
  invariant(path !== null, `${pointer} was read as a pointer`);
  return path;
}

function testOf(constraint: Constraint): Test {
  const path = pathOf(constraint.at);
  const name = constraint.at === "" ? "the call" : constraint.at;
  const { wanted, judge } = judgeOf(constraint);
  return (params) => {
    const value = follow(params, path);
    if (value === undefined) {
      return { says: isHidden(params, path) ? "unclear" : "no", why: `${name} is missing` };
    }
    const holds = judge(value);
    if (holds === true) return null;
    const why = `${name} is ${shown(value)}, not ${wanted}`;
    // Nothing is there, which is nothing else in disguise.
    return { says: holds === null && value !== null ? "unclear" : "no", why };
  };
}

/** It leads into text, or by a name into a list: what it means may be in there, in another form. */
function isHidden(params: CanonicalValue, path: readonly string[]): boolean {
  const firstLost = path.findIndex((_, at) => follow(params, path.slice(0, at + 1)) === undefined);
  const holder = follow(params, path.slice(0, firstLost)) ?? null;
  if (Array.isArray(holder)) return !isIndex(path[firstLost] ?? "");
  return holder !== null && keysOf(holder) === null;
}

type Judge = {
  /** What the value would have to be. */
  readonly wanted: string;
  /** Null = it is of another kind, or too much to be looked at. */
  readonly judge: (value: CanonicalValue) => boolean | null;
};

function judgeOf(constraint: Constraint): Judge {
  if ("equals" in constraint) return judgeEqual([constraint.equals], shown(constraint.equals));
  if ("oneOf" in constraint) {
    const count = new Set(constraint.oneOf.map((each) => contentHash(each))).size;
    return judgeEqual(constraint.oneOf, `one of ${count} allowed values`);
  }
  if ("prefix" in constraint) {
    const { prefix } = constraint;
    const judge = (value: CanonicalValue) =>
      typeof value === "string" ? value.startsWith(prefix) : null;
    return { wanted: `text that begins with ${shown(prefix)}`, judge };
  }
  if ("pattern" in constraint) {
    const matches = compilePattern(constraint.pattern);
    invariant(typeof matches === "function", `${constraint.pattern} was read as a pattern`);
    const judge = (value: CanonicalValue) => (typeof value === "string" ? matches(value) : null);
    return { wanted: `text like ${constraint.pattern}`, judge };
  }
  if ("keys" in constraint) {
    const wanted = JSON.stringify(constraint.keys);
    const judge = (value: CanonicalValue) => {
      const keys = keysOf(value);
      return keys === null ? null : JSON.stringify(keys) === wanted;
    };
    return { wanted: `a record of exactly ${wanted}`, judge };
  }
  const { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY } = constraint;
  const judge = (value: CanonicalValue) =>
    typeof value === "number" ? value >= min && value <= max : null;
  return { wanted: rangeText(constraint), judge };
}

/** What is of another kind than one of the values may still be taken for it: "5" for 5. */
function judgeEqual(values: readonly CanonicalValue[], wanted: string): Judge {
  const hashes = new Set(values.map((each) => contentHash(each)));
  const kinds = new Set(values.filter((each) => each !== null).map(kindOf));
  const judge = (value: CanonicalValue) => {
    if (hashes.has(contentHash(value))) return true;
    return [...kinds].every((kind) => kind === kindOf(value)) ? false : null;
  };
  return { wanted, judge };
}

function kindOf(value: CanonicalValue): string {
  if (Array.isArray(value)) return "list";
  return keysOf(value) === null && typeof value === "object" ? "other" : typeof value;
}

/** Null = it is no record. */
function keysOf(value: CanonicalValue): readonly string[] | null {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  if (!isObject || value instanceof Uint8Array || value instanceof Map) return null;
  return Object.keys(value).sort();
}

function rangeText({ min, max }: { readonly min?: number; readonly max?: number }): string {
  if (min === undefined) return `a number up to ${max}`;
  return max === undefined ? `a number from ${min} on` : `a number from ${min} to ${max}`;
}

const valueCharsShownMax = 60;

/** Untrusted: one short line of JSON. */
function shown(value: CanonicalValue): string {
  const text = value instanceof Uint8Array ? "bytes" : jsonText(value);
  return text.length <= valueCharsShownMax ? text : `${text.slice(0, valueCharsShownMax)}…`;
}

function jsonText(value: CanonicalValue): string {
  const plain = (_: string, each: unknown) => (typeof each === "bigint" ? String(each) : each);
  return JSON.stringify(value, plain) ?? "nothing";
}
