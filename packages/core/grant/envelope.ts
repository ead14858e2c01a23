import { type CanonicalValue, contentHash } from "../canonical/index.ts";
import { invariant } from "../ports/invariant.ts";
import { amountParts } from "./amount.ts";
import type { Constraint, Grant } from "./grant.ts";
import { compilePattern } from "./pattern.ts";
import { follow, parsePointer } from "./pointer.ts";

/** Null = it holds; otherwise why not. */
type Test = (params: CanonicalValue) => string | null;

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
  const judge = judgeOf(constraint);
  return (params) => {
    const value = follow(params, path);
    if (value === undefined) return `${name} is missing`;
    const wanted = judge(value);
    return wanted === null ? null : `${name} is ${shown(value)}, not ${wanted}`;
  };
}

/** Answers null, or what the value would have to be. */
function judgeOf(constraint: Constraint): (value: CanonicalValue) => string | null {
  if ("equals" in constraint) {
    const wanted = contentHash(constraint.equals);
    const text = shown(constraint.equals);
    return (value) => (contentHash(value) === wanted ? null : text);
  }
  if ("oneOf" in constraint) {
    const wanted = new Set(constraint.oneOf.map((each) => contentHash(each)));
    const text = `one of ${wanted.size} allowed values`;
    return (value) => (wanted.has(contentHash(value)) ? null : text);
  }
  if ("prefix" in constraint) {
    const { prefix } = constraint;
    const begins = (value: CanonicalValue) => typeof value === "string" && value.startsWith(prefix);
    return (value) => (begins(value) ? null : `text that begins with ${shown(prefix)}`);
  }
  if ("pattern" in constraint) {
    const matches = compilePattern(constraint.pattern);
    invariant(typeof matches === "function", `${constraint.pattern} was read as a pattern`);
    const text = `text like ${constraint.pattern}`;
    return (value) => (typeof value === "string" && matches(value) ? null : text);
  }
  if ("keys" in constraint) {
    const wanted = JSON.stringify(constraint.keys);
    const text = `a record of exactly ${wanted}`;
    return (value) => (JSON.stringify(keysOf(value)) === wanted ? null : text);
  }
  const { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY } = constraint;
  const text = rangeText(constraint);
  return (value) => (typeof value === "number" && value >= min && value <= max ? null : text);
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
