import type { CanonicalValue } from "@holdfast/core";

const pathsMax = 10;

/** Where two calls differ, without what stands there: some of it may be secret. */
export function differingPaths(before: CanonicalValue, after: CanonicalValue): readonly string[] {
  const found: string[] = [];
  collect(before, after, "", found);
  const shown = found.slice(0, pathsMax);
  return found.length > pathsMax ? [...shown, `${found.length - pathsMax} more`] : shown;
}

function collect(
  before: CanonicalValue | undefined,
  after: CanonicalValue | undefined,
  path: string,
  found: string[],
): void {
  if (!isHolder(before) || !isHolder(after)) {
    if (!isSame(before, after)) found.push(path === "" ? "the whole call" : path);
    return;
  }
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  for (const key of keys) {
    collect(before[key], after[key], path === "" ? key : `${path}.${key}`, found);
  }
}

type Holder = { readonly [key: string]: CanonicalValue | undefined };

function isHolder(value: CanonicalValue | undefined): value is CanonicalValue & Holder {
  return typeof value === "object" && value !== null && !(value instanceof Uint8Array);
}

function isSame(before: CanonicalValue | undefined, after: CanonicalValue | undefined): boolean {
  if (!(before instanceof Uint8Array) || !(after instanceof Uint8Array)) return before === after;
  return before.length === after.length && before.every((byte, at) => byte === after[at]);
}
