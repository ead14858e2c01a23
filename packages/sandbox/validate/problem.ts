import type { Place } from "../compile/tree/parsed-file.ts";
import { codeEntry, type ProblemCode } from "./problem-codes.ts";

/** One thing to repair, precise enough for a model to do it without a person. */
export type Problem = {
  readonly code: ProblemCode;
  readonly severity: "error" | "warning";
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly cause: string; // one sentence
  readonly hint: string; // how to mend it
  readonly docs: string; // docs/authoring.md#<code>
};

export function problemAt(place: Place, code: ProblemCode, cause: string, hint?: string): Problem {
  const entry = codeEntry(code);
  return {
    code,
    severity: entry.severity,
    file: place.file,
    line: place.line,
    column: place.column,
    cause,
    hint: hint ?? entry.hint,
    docs: `docs/authoring.md#${code}`,
  };
}

/** By place, so that the same script always gives the same list. */
export function inOrder(problems: readonly Problem[]): readonly Problem[] {
  return [...problems].sort(
    (a, b) =>
      compareText(a.file, b.file) ||
      a.line - b.line ||
      a.column - b.column ||
      compareText(a.code, b.code),
  );
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
