import type { Finding } from "./finding.ts";

/**
 * A place that may break a rule for now. The list can only shrink: an entry states the size it has
 * today, and an entry that is not needed, or whose size changed, fails the check.
 */
export type Exception = {
  readonly rule: string;
  readonly path: string;
  readonly subject: string;
  readonly size: number;
  readonly why: string;
};

/** Something over its limit. It fails unless the exception list names it with exactly this size. */
export type Excess = {
  readonly rule: string;
  readonly path: string;
  readonly subject: string; // the function, package or word; "" = the file as a whole
  readonly size: number;
  readonly findings: readonly Finding[];
};

const listPath = "scripts/check/exceptions.json";

export function parseExceptions(text: string): Exception[] {
  const list: unknown = JSON.parse(text);
  if (!Array.isArray(list)) throw new Error(`${listPath} must hold a list`);
  return list.map(parseException);
}

function parseException(entry: unknown): Exception {
  const field = (name: string): unknown =>
    typeof entry === "object" && entry !== null ? Reflect.get(entry, name) : undefined;
  const text = (name: string): string => {
    const value = field(name);
    if (typeof value === "string") return value;
    throw new Error(`${listPath}: "${name}" must be text in ${JSON.stringify(entry)}`);
  };
  const size = field("size");
  if (typeof size !== "number") throw new Error(`${listPath}: "size" must be a number`);
  if (text("why").length < 10) throw new Error(`${listPath}: "why" must give a reason`);
  return {
    rule: text("rule"),
    path: text("path"),
    subject: text("subject"),
    size,
    why: text("why"),
  };
}

/** Drops the findings that the list forgives and adds one for every entry that does not fit. */
export function applyExceptions(
  excesses: readonly Excess[],
  exceptions: readonly Exception[],
): Finding[] {
  const findings: Finding[] = [];
  const used = new Set<Exception>();
  for (const excess of excesses) {
    const entry = exceptions.find((candidate) => isSamePlace(candidate, excess));
    if (entry) used.add(entry);
    if (!entry) findings.push(...excess.findings);
    else if (entry.size !== excess.size) findings.push(sizeChanged(entry, excess));
  }
  return [...findings, ...exceptions.filter((entry) => !used.has(entry)).map(notNeeded)];
}

function isSamePlace(entry: Exception, excess: Excess): boolean {
  return (
    entry.rule === excess.rule && entry.path === excess.path && entry.subject === excess.subject
  );
}

function sizeChanged(entry: Exception, excess: Excess): Finding {
  const grew = excess.size > entry.size;
  return {
    path: excess.path,
    line: excess.findings[0]?.line ?? null,
    problem: `${describe(entry)} ${grew ? "grew" : "shrank"} from ${entry.size} to ${excess.size}`,
    mend: grew
      ? "exceptions only shrink: bring it back, or better below the limit"
      : `thank you; write "size": ${excess.size} in ${listPath}`,
  };
}

function notNeeded(entry: Exception): Finding {
  return {
    path: listPath,
    line: null,
    problem: `the exception for ${entry.path} (${describe(entry)}) is not needed`,
    mend: "delete the entry",
  };
}

/** Compares with the list of an earlier commit; a moved file may take its entry along. */
export function checkOnlyShrinks(
  now: readonly Exception[],
  before: readonly Exception[],
): Finding[] {
  const rules = new Set(now.map((entry) => entry.rule));
  return [...rules].flatMap((rule) => {
    const [after, earlier] = [ofRule(now, rule), ofRule(before, rule)];
    if (after.count <= earlier.count && after.size <= earlier.size) return [];
    return {
      path: listPath,
      line: null,
      problem: `the exceptions for "${rule}" grew since the last commit`,
      mend: "keep the rule instead: split the file or function, or take the import as a port",
    };
  });
}

function ofRule(list: readonly Exception[], rule: string): { count: number; size: number } {
  const entries = list.filter((entry) => entry.rule === rule);
  return { count: entries.length, size: entries.reduce((sum, entry) => sum + entry.size, 0) };
}

function describe(entry: Exception): string {
  return entry.subject === "" ? entry.rule : `${entry.rule}, ${entry.subject}`;
}
