import { type CanonicalValue, contentHash } from "../canonical/index.ts";
import type { Grant } from "./grant.ts";

export type GrantDiff = {
  readonly added: readonly Grant[];
  readonly removed: readonly Grant[];
  /** The only one of its operation and word on both sides, with what differs in it. */
  readonly changed: readonly {
    readonly before: Grant;
    readonly after: Grant;
    readonly fields: readonly string[];
  }[];
  readonly keptCount: number;
};

/** What a new envelope would change. Grants have no names: those that are equal are the same. */
export function diffGrants(before: readonly Grant[], after: readonly Grant[]): GrantDiff {
  const left = countsOf(before);
  const added: Grant[] = [];
  for (const grant of after) {
    const same = left.get(hashOf(grant));
    if (same === undefined || same.length === 0) added.push(grant);
    else same.pop();
  }
  const removed = [...left.values()].flat();
  const pairs = pairUp(removed, added);
  const [olds, news] = [pairs.map((pair) => pair.before), pairs.map((pair) => pair.after)];
  return {
    added: added.filter((grant) => !news.includes(grant)),
    removed: removed.filter((grant) => !olds.includes(grant)),
    changed: pairs.map((pair) => ({ ...pair, fields: differing(pair.before, pair.after) })),
    keptCount: after.length - added.length,
  };
}

export function isSameGrants({ added, removed, changed }: GrantDiff): boolean {
  return added.length + removed.length + changed.length === 0;
}

function hashOf(grant: Grant): string {
  return contentHash(grant as unknown as CanonicalValue);
}

function countsOf(grants: readonly Grant[]): Map<string, Grant[]> {
  const counts = new Map<string, Grant[]>();
  for (const grant of grants) {
    const hash = hashOf(grant);
    counts.set(hash, [...(counts.get(hash) ?? []), grant]);
  }
  return counts;
}

function pairUp(removed: readonly Grant[], added: readonly Grant[]) {
  const nameOf = ({ operation, say }: Grant) => `${say} ${operation}`;
  const only = (list: readonly Grant[], name: string) => {
    const found = list.filter((grant) => nameOf(grant) === name);
    return found.length === 1 ? found[0] : undefined;
  };
  return removed.flatMap((before) => {
    const name = nameOf(before);
    const after = only(added, name);
    return after === undefined || only(removed, name) === undefined ? [] : [{ before, after }];
  });
}

function differing(before: Grant, after: Grant): string[] {
  // Of both: an optional field is on one side only when it is added or taken away.
  const names = Object.keys({ ...before, ...after }) as (keyof Grant)[];
  const hash = (value: Grant[keyof Grant]) => contentHash((value ?? null) as CanonicalValue);
  return names.filter((name) => hash(before[name]) !== hash(after[name]));
}
