import type { CanonicalValue } from "../canonical/index.ts";
import { sayUtc } from "../why/say-time.ts";
import type { GrantDiff } from "./diff-grants.ts";
import type { Constraint, Grant, Limit } from "./grant.ts";

/** One line, the same for every reader, with everything the grant says. */
export function sayGrant(grant: Grant): string {
  const { say, operation, where, limits, amount, spent, riskMax, fourEyes, expiresAt } = grant;
  const parts = [`${say} ${operation}`];
  if (where.length > 0) parts.push(`where ${where.map(sayConstraint).join(" and ")}`);
  if (limits.length > 0) parts.push(`up to ${limits.map(sayLimit).join(" and ")}`);
  if (amount !== null) parts.push(`counting ${amount}`);
  if (spent !== undefined) parts.push(`then what its result says at ${spent}`);
  if (riskMax !== undefined) parts.push(`while its risk is ${riskMax} at most`);
  if (fourEyes) parts.push("approved by somebody who did not deploy it");
  if (expiresAt !== null) parts.push(`until ${sayUtc(expiresAt)}`);
  return parts.join(", ");
}

function sayConstraint(constraint: Constraint): string {
  const name = constraint.at === "" ? "the call" : constraint.at;
  if ("equals" in constraint) return `${name} is ${json(constraint.equals)}`;
  if ("oneOf" in constraint) return `${name} is one of ${json(constraint.oneOf)}`;
  if ("prefix" in constraint && constraint.prefix === "") return `${name} is any text`;
  if ("prefix" in constraint) return `${name} begins with ${json(constraint.prefix)}`;
  if ("pattern" in constraint) return `${name} is like ${constraint.pattern}`;
  if ("keys" in constraint) return `${name} has ${json(constraint.keys)} and nothing else`;
  const { min, max } = constraint;
  if (min === undefined) return `${name} is at most ${max}`;
  return max === undefined ? `${name} is at least ${min}` : `${name} is from ${min} to ${max}`;
}

function sayLimit({ per, count, amount, activeMs, of }: Limit): string {
  const counted = count === null ? [] : [`${count} calls`];
  const summed = amount === null ? [] : [`an amount of ${amount}`];
  const timed = activeMs === undefined ? [] : [`${activeMs} ms of active time`];
  const shared = of === undefined ? "" : ` of budget ${of}`;
  return `${[...counted, ...summed, ...timed].join(" and ")} per ${per}${shared}`;
}

function json(value: CanonicalValue): string {
  const plain = (_: string, each: unknown) => (typeof each === "bigint" ? String(each) : each);
  return JSON.stringify(value, plain) ?? "nothing";
}

/** What a new envelope would take away, change and add, a line each; empty = nothing. */
export function sayGrantDiff({ added, removed, changed }: GrantDiff): string[] {
  return [
    ...removed.map((grant) => `- ${sayGrant(grant)}`),
    ...changed.map(({ before, after }) => `~ ${sayGrant(before)} → ${sayGrant(after)}`),
    ...added.map((grant) => `+ ${sayGrant(grant)}`),
  ];
}
