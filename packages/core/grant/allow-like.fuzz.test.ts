import fc from "fast-check";
import { expect, test } from "vitest";
import type { CanonicalValue } from "../canonical/index.ts";
import { contentHash } from "../canonical/index.ts";
import { allowLike } from "./allow-like.ts";
import { compileEnvelope } from "./envelope.ts";
import { type Constraint, plainGrants } from "./grant.ts";
import { judge } from "./judge.ts";

const operation = "shop.post";
const now = 1_800_000_000_000;
const names = ["a", "b", "a/b", "~", "__proto__", ""] as const;
const name = fc.constantFrom(...names);
const leaf = fc.constantFrom<CanonicalValue>(0, 1, 5, "", "o-1", "o-2", true, null);
const value: fc.Arbitrary<CanonicalValue> = fc.letrec<{ value: CanonicalValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    leaf,
    fc.array(tie("value"), { maxLength: 2 }),
    fc.dictionary(name, tie("value"), { maxKeys: 3, noNullPrototype: true }),
  ),
})).value;

type Place = { readonly at: string; readonly path: readonly string[] };

/** Every value that is in no list, with its pointer, said once more in the simplest way. */
function placesIn(of: CanonicalValue, path: readonly string[] = []): readonly Place[] {
  const escaped = path.map((part) => `/${part.replace(/~/g, "~0").replace(/\//g, "~1")}`);
  const here = { at: escaped.join(""), path };
  if (typeof of !== "object" || of === null || Array.isArray(of)) return [here];
  return [here, ...Object.entries(of).flatMap(([key, each]) => placesIn(each, [...path, key]))];
}

function valueAt(of: CanonicalValue, path: readonly string[]): CanonicalValue | undefined {
  let at: unknown = of;
  for (const part of path) {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, part)) return undefined;
    at = Object.getOwnPropertyDescriptor(at, part)?.value;
  }
  return at as CanonicalValue | undefined;
}

function withAt(of: CanonicalValue, path: readonly string[], put: CanonicalValue): CanonicalValue {
  const [part, ...rest] = path;
  if (part === undefined) return put;
  const old = typeof of === "object" && of !== null && !Array.isArray(of) ? Object.entries(of) : [];
  const inner = old.find(([key]) => key === part)?.[1] ?? null;
  const others = old.filter(([key]) => key !== part);
  return Object.fromEntries([...others, [part, withAt(inner, rest, put)]]) as CanonicalValue;
}

/** Judged by hand. */
function fits(given: CanonicalValue | undefined, constraint: Constraint): boolean {
  if (given === undefined) return false;
  if ("prefix" in constraint)
    return typeof given === "string" && given.startsWith(constraint.prefix);
  if ("max" in constraint) return typeof given === "number" && given <= (constraint.max ?? 0);
  return "oneOf" in constraint && constraint.oneOf.some((each) => same(each, given));
}

function same(one: CanonicalValue, other: CanonicalValue): boolean {
  return contentHash(one) === contentHash(other);
}

const scale = Number(process.env["HOLDFAST_FUZZ_SCALE"] ?? 1);
const seed = Number(process.env["HOLDFAST_FUZZ_SEED"] ?? Date.now() % 1_000_000);

test(`[R86] a standing rule never covers what it does not say (seed ${seed})`, () => {
  let coveredCount = 0;
  const made = fc.property(
    value,
    fc.array(fc.nat(), { minLength: 16, maxLength: 16 }),
    value,
    (params, dice, put) => {
      const left = [...dice];
      const pick = <T>(all: readonly T[]): T => all[(left.pop() ?? 0) % all.length] as T;
      const places = placesIn(params);
      const opened = pick([0, 1, 1, 2]) === 0 ? [] : [pick(places), pick(places)];
      const open = opened.map(({ at, path }): Constraint => {
        const own = valueAt(params, path) ?? null;
        if (typeof own === "string") return { at, prefix: pick(["", "o-"]) };
        return typeof own === "number" ? { at, max: pick([3, 5]) } : { at, oneOf: [own, put] };
      });
      const limits = [{ per: "run", count: 1, amount: null }] as const;
      const rule = { open, limits, amount: null, expiresAt: now + 1 };
      const asks = plainGrants("ask", [operation]);
      const found = allowLike(asks, { operation, params }, { rule, now });
      if (!found.ok) return;
      const envelope = compileEnvelope(2, [...asks, found.grant]);
      const used = { calls: { run: { count: 0, amount: 0, oldestAt: null } }, times: {} };
      const place = pick([...places, { at: "/new", path: ["new"] }, ...opened]);
      const other = pick([params, withAt(params, place.path, put), put]);
      const { says } = judge(envelope, { operation, params: other }, used, now);
      expect(judge(envelope, { operation, params }, used, now).says).toBe("allow");
      // Put back what may differ: then nothing may.
      const back = opened.reduce((so, { path }) => {
        return withAt(so, path, valueAt(params, path) ?? null);
      }, other);
      const isSaid = open.every((each, index) =>
        fits(valueAt(other, opened[index]?.path ?? []), each),
      );
      expect(says).toBe(isSaid && same(back, params) ? "allow" : "ask");
      if (says === "allow" && !same(other, params)) coveredCount += 1;
    },
  );
  fc.assert(made, { seed, numRuns: 2_000 * scale });
  // A property of rules that cover nothing would show nothing.
  expect(coveredCount).toBeGreaterThan(50);
});
