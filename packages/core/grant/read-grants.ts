import { type CanonicalValue, encodeCanonical } from "../canonical/index.ts";
import { amountParts } from "./amount.ts";
import { type Constraint, type Grant, grantWords, type Limit, periods } from "./grant.ts";
import { compilePattern } from "./pattern.ts";
import { parsePointer } from "./pointer.ts";
import { riskTiers } from "./risk.ts";

export type ReadGrants =
  | { readonly ok: true; readonly grants: readonly Grant[] }
  /** With the path of what is wrong. */
  | { readonly ok: false; readonly message: string };

const grantsMax = 2_000;
const constraintsMax = 50;
const choicesMax = 1_000;
const limitsMax = 8;
const textCharsMax = 500;

type Fields = Readonly<Record<string, CanonicalValue>>;

class GrantFault extends Error {}

function fault(path: string, what: string): never {
  throw new GrantFault(`${path}: ${what}`);
}

/** A list of grants as a person wrote it, exactly understood or refused. */
export function readGrants(value: CanonicalValue): ReadGrants {
  try {
    const grants = listOf(value, "grants", grantsMax).map(readGrant);
    checkAmounts(grants);
    return { ok: true, grants };
  } catch (error) {
    if (error instanceof GrantFault) return { ok: false, message: error.message };
    throw error;
  }
}

const grantFields = [
  "operation",
  "say",
  "where",
  "limits",
  "amount",
  "spent",
  "riskMax",
  "fourEyes",
  "expiresAt",
];

function readGrant(value: CanonicalValue, index: number): Grant {
  const path = `grants[${index}]`;
  const given = fieldsOf(value, path, grantFields);
  const operation = textOf(given["operation"], `${path}.operation`);
  if (!/^[^.]+\..+$/.test(operation)) fault(`${path}.operation`, "it is connection.operation");
  const say = grantWords.find((word) => word === given["say"]);
  if (say === undefined) fault(`${path}.say`, `it is ${grantWords.join(" or ")}`);
  const where = optionalList(given["where"], `${path}.where`, constraintsMax).map((each, at) =>
    readConstraint(each, `${path}.where[${at}]`),
  );
  const limits = optionalList(given["limits"], `${path}.limits`, limitsMax).map((each, at) =>
    readLimit(each, `${path}.limits[${at}]`),
  );
  const amount = given["amount"] ?? null;
  const grant: Grant = {
    operation,
    say,
    where,
    limits,
    amount: amount === null ? null : pointerOf(amount, `${path}.amount`),
    ...spentOf(given["spent"], `${path}.spent`),
    ...riskOf(given["riskMax"], `${path}.riskMax`),
    fourEyes: flagOf(given["fourEyes"], `${path}.fourEyes`),
    expiresAt: instantOf(given["expiresAt"], `${path}.expiresAt`),
  };
  checkSense(grant, path);
  return grant;
}

/** What would be ignored is refused: who wrote it meant something by it. */
function checkSense(grant: Grant, path: string): void {
  const { say, limits, amount, spent, fourEyes, riskMax } = grant;
  if (say === "deny" && riskMax !== undefined) {
    fault(`${path}.riskMax`, "what is denied is denied at any risk");
  }
  if (spent !== undefined && amount === null) {
    fault(`${path}.spent`, "what is spent takes the place of an `amount`, which is missing");
  }
  if (say === "deny" && limits.length > 0) fault(`${path}.limits`, "what is denied has no limits");
  if (say === "deny" && amount !== null) fault(`${path}.amount`, "what is denied has no amount");
  if (fourEyes && say !== "ask") fault(`${path}.fourEyes`, "only what is asked has an approver");
  if (new Set(limits.flatMap(({ of }) => of ?? [])).size > 1) {
    fault(`${path}.limits`, "a call is charged to one budget");
  }
  if (amount === null && limits.some((limit) => limit.amount !== null)) {
    fault(`${path}.limits`, "a limit on the amount needs `amount`, where it stands in the call");
  }
}

/** What the ledger has summed up must be the same thing for all grants of an operation. */
function checkAmounts(grants: readonly Grant[]): void {
  const known = new Map<string, string>();
  for (const [index, { operation, amount }] of grants.entries()) {
    if (amount === null) continue;
    const before = known.get(operation) ?? amount;
    known.set(operation, before);
    if (before !== amount) {
      fault(`grants[${index}].amount`, `an earlier grant of ${operation} counts ${before}`);
    }
  }
}

const tested = ["equals", "oneOf", "prefix", "pattern", "keys"] as const;

function readConstraint(value: CanonicalValue, path: string): Constraint {
  const given = fieldsOf(value, path, ["at", ...tested, "min", "max"]);
  const at = pointerOf(given["at"], `${path}.at`);
  const tests = tested.filter((name) => name in given);
  const isRange = "min" in given || "max" in given;
  if (tests.length + (isRange ? 1 : 0) !== 1) {
    fault(path, `it has exactly one of ${tested.join(", ")}, or min and max`);
  }
  switch (tests[0]) {
    case "equals":
      return { at, equals: given["equals"] ?? null };
    case "oneOf":
      return { at, oneOf: listOf(given["oneOf"] ?? null, `${path}.oneOf`, choicesMax) };
    case "prefix":
      return { at, prefix: textOf(given["prefix"], `${path}.prefix`) };
    case "pattern":
      return { at, pattern: patternOf(given["pattern"], `${path}.pattern`) };
    case "keys":
      return { at, keys: namesOf(given["keys"] ?? null, `${path}.keys`) };
    default:
      return { at, ...rangeOf(given, path) };
  }
}

/** In one order, so that the same names are the same constraint. */
function namesOf(value: CanonicalValue, path: string): readonly string[] {
  const names = listOf(value, path, choicesMax).map((each, at) => textOf(each, `${path}[${at}]`));
  return [...new Set(names)].sort();
}

function rangeOf(given: Fields, path: string): { min?: number; max?: number } {
  const bound = (name: "min" | "max") =>
    name in given ? { [name]: numberOf(given[name], `${path}.${name}`) } : {};
  const range: { min?: number; max?: number } = { ...bound("min"), ...bound("max") };
  const { min, max } = range;
  if (min !== undefined && max !== undefined && min > max) fault(path, "min is more than max");
  return range;
}

function readLimit(value: CanonicalValue, path: string): Limit {
  const given = fieldsOf(value, path, ["per", "count", "amount", "activeMs", "of"]);
  const per = periods.find((word) => word === given["per"]);
  if (per === undefined) fault(`${path}.per`, `it is ${periods.join(" or ")}`);
  const count = given["count"] ?? null;
  const amount = given["amount"] ?? null;
  const activeMs = given["activeMs"] ?? null;
  if (count === null && amount === null && activeMs === null) {
    fault(path, "it limits nothing: give count, amount or activeMs");
  }
  if (count !== null && !isNatural(count)) fault(`${path}.count`, "it is a whole number");
  if (amount !== null && amountParts(amount) === null) {
    fault(`${path}.amount`, "it is a number, 0 or more, with at most four decimals");
  }
  const own = {
    per,
    count: count as number | null,
    amount: amount as number | null,
    ...activeOf(activeMs, path),
  };
  if (given["of"] === undefined) return own;
  if (activeMs !== null) {
    fault(`${path}.activeMs`, "time is counted for one workflow: put it into a limit without `of`");
  }
  return { ...own, of: budgetName(given["of"], path) };
}

function activeOf(activeMs: CanonicalValue, path: string): Pick<Limit, "activeMs"> {
  if (activeMs === null) return {};
  if (!isNatural(activeMs)) fault(`${path}.activeMs`, "it is a whole number of milliseconds");
  return { activeMs };
}

function budgetName(value: CanonicalValue | undefined, path: string): string {
  const name = textOf(value, `${path}.of`);
  if (!/^[\w-]{1,64}$/.test(name)) fault(`${path}.of`, "it is a name of letters, digits, - and _");
  return name;
}

function spentOf(value: CanonicalValue | undefined, path: string): Pick<Grant, "spent"> {
  return value === undefined || value === null ? {} : { spent: pointerOf(value, path) };
}

function riskOf(value: CanonicalValue | undefined, path: string): Pick<Grant, "riskMax"> {
  if (value === undefined || value === null) return {};
  const riskMax = riskTiers.find((tier) => tier === value);
  return riskMax === undefined ? fault(path, `it is ${riskTiers.join(" or ")}`) : { riskMax };
}

function isNatural(value: CanonicalValue): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

function patternOf(value: CanonicalValue | undefined, path: string): string {
  const text = textOf(value, path);
  const compiled = compilePattern(text);
  return typeof compiled === "function" ? text : fault(path, compiled.fault);
}

function pointerOf(value: CanonicalValue | undefined, path: string): string {
  if (typeof value !== "string" || value.length > textCharsMax || parsePointer(value) === null) {
    fault(path, 'it is a JSON pointer such as "/body/amount"');
  }
  return value;
}

function textOf(value: CanonicalValue | undefined, path: string): string {
  if (typeof value === "string" && value.length <= textCharsMax) return value;
  return fault(path, `it is text of at most ${textCharsMax} characters`);
}

function numberOf(value: CanonicalValue | undefined, path: string): number {
  return typeof value === "number" ? value : fault(path, "it is a number");
}

function flagOf(value: CanonicalValue | undefined, path: string): boolean {
  if (value === undefined || value === null) return false;
  return typeof value === "boolean" ? value : fault(path, "it is true or false");
}

function instantOf(value: CanonicalValue | undefined, path: string): number | null {
  if (value === undefined || value === null) return null;
  return isNatural(value) ? value : fault(path, "it is a time in milliseconds since 1970");
}

function listOf(value: CanonicalValue, path: string, max: number): readonly CanonicalValue[] {
  if (!Array.isArray(value)) return fault(path, "it is a list");
  if (value.length > max) fault(path, `it has at most ${max} entries`);
  return value as readonly CanonicalValue[];
}

function optionalList(
  value: CanonicalValue | undefined,
  path: string,
  max: number,
): readonly CanonicalValue[] {
  return value === undefined || value === null ? [] : listOf(value, path, max);
}

function fieldsOf(value: CanonicalValue, path: string, known: readonly string[]): Fields {
  const isRecord =
    typeof value === "object" &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof Uint8Array) &&
    !(value instanceof Map);
  if (!isRecord) return fault(path, "it is a record");
  const given = value as Fields;
  const unknown = Object.keys(given).find((name) => !known.includes(name));
  return unknown === undefined ? given : fault(`${path}.${unknown}`, "there is no such field");
}

/** Equal grants have equal bytes, however they were written. */
export function encodeGrants(grants: readonly Grant[]): Uint8Array {
  return encodeCanonical(grants as unknown as CanonicalValue);
}
