/** How a call looks without its values: the names in it, and of which kind each value is. */
export function shapeOf(value: unknown): string {
  if (Array.isArray(value)) return `[${[...new Set(value.map(shapeOf))].sort().join("|")}]`;
  if (!isRecord(value)) return value === null ? "null" : typeof value;
  const names = Object.keys(value).sort();
  return `{${names.map((name) => `${JSON.stringify(name)}:${shapeOf(value[name])}`).join()}}`;
}

/** What calls of one shape have in common, by its place; and where they differ. */
export function compareCalls(calls: readonly unknown[]): {
  readonly same: Readonly<Record<string, unknown>>;
  readonly different: readonly string[];
} {
  const [first = new Map<string, string>(), ...others] = calls.map((each) => leavesOf(each));
  const entries = [...first].filter(([at, text]) =>
    others.every((other) => other.get(at) === text),
  );
  const places = new Set([first, ...others].flatMap((leaves) => [...leaves.keys()]));
  const same = Object.fromEntries(entries.map(([at, text]) => [at, JSON.parse(text)]));
  return { same, different: [...places].filter((at) => !(at in same)).sort() };
}

/** Lists are compared whole: which of their entries belong together nobody can say. */
function leavesOf(value: unknown, at = ""): Map<string, string> {
  if (!isRecord(value)) return new Map([[at, JSON.stringify(value ?? null)]]);
  const parts = Object.entries(value).map(([name, each]) => {
    const step = name.replaceAll("~", "~0").replaceAll("/", "~1");
    return [...leavesOf(each, `${at}/${step}`)];
  });
  return new Map(parts.flat());
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
