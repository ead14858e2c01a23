/** Where two plain values first differ, and how. */
export type Difference = {
  /** As one would write it: `publishes[0].payload.at`. */
  readonly path: string;
  readonly first: unknown;
  readonly second: unknown;
};

/** Null = they are the same, byte for byte. */
export function firstDifference(first: unknown, second: unknown, path = ""): Difference | null {
  if (Object.is(first, second)) return null;
  if (!isBranch(first) || !isBranch(second) || Array.isArray(first) !== Array.isArray(second)) {
    return { path, first, second };
  }
  const names = new Set([...Object.keys(first), ...Object.keys(second)]);
  for (const name of names) {
    const below = Array.isArray(first) ? `${path}[${name}]` : joined(path, name);
    const [one, other] = [first, second].map((each) => Reflect.get(each, name) as unknown);
    const found = firstDifference(one, other, below);
    if (found !== null) return found;
  }
  return null;
}

function joined(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}

function isBranch(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
