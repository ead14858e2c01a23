import { type Problem, problemAt } from "../validate/problem.ts";
import type { ScriptSource } from "./script-source.ts";
import { sourceBytesMax, sourceFilesMax, sourcePathCharsMax } from "./source-limits.ts";

const plainPath = /^(?:[A-Za-z0-9_][A-Za-z0-9_.-]*\/)*[A-Za-z0-9_][A-Za-z0-9_.-]*\.m?[jt]s$/;
const entryShown = "script";

/** What can be said about a script before anything reads it. */
export function checkSource(source: ScriptSource): readonly Problem[] {
  const start = { file: shownPath(source.entry), line: 1, column: 1 };
  const paths = Object.keys(source.files);
  if (paths.length > sourceFilesMax) {
    const cause = `The script has ${paths.length} files; at most ${sourceFilesMax} are allowed.`;
    return [problemAt(start, "source_too_large", cause)];
  }
  const problems = paths.flatMap((path) => checkFile(path, source.files[path]));
  if (problems.length > 0) return problems;
  if (!Object.hasOwn(source.files, source.entry)) {
    return [problemAt(start, "source_invalid", `The script has no file "${start.file}".`)];
  }
  let bytes = 0;
  for (const path of paths) bytes += Buffer.byteLength(source.files[path] ?? "", "utf8");
  if (bytes <= sourceBytesMax) return [];
  const cause = `The script has ${bytes} bytes; at most ${sourceBytesMax} are allowed.`;
  return [problemAt(start, "source_too_large", cause)];
}

function checkFile(path: string, text: unknown): Problem[] {
  const start = { file: shownPath(path), line: 1, column: 1 };
  if (path.length > sourcePathCharsMax || !plainPath.test(path)) {
    const cause = `"${start.file}" is not a plain relative path that ends in .ts or .js.`;
    const hint = "Use letters, digits, dots, dashes and underscores, and the ending .ts or .js.";
    return [problemAt(start, "source_invalid", cause, hint)];
  }
  if (typeof text !== "string" || !text.isWellFormed() || text.includes("\u0000")) {
    return [problemAt(start, "source_invalid", `The file "${start.file}" is not text.`)];
  }
  return [];
}

/** A path from outside, fit to stand in a sentence. */
function shownPath(path: unknown): string {
  if (typeof path !== "string" || path === "") return entryShown;
  return JSON.stringify(path.slice(0, sourcePathCharsMax).toWellFormed()).slice(1, -1);
}
