import { inOrder, type Problem, problemAt } from "../validate/problem.ts";
import { checkImports } from "./check-imports.ts";
import { checkModuleForm } from "./check-module-form.ts";
import type { ScriptSource } from "./script-source.ts";
import { problemsMax, treeDepthLevelsMax } from "./source-limits.ts";
import { type ParsedFile, parseFile } from "./tree/parsed-file.ts";
import { depthOf } from "./tree/syntax-node.ts";

export type ReadSource =
  | { readonly ok: true; readonly files: ReadonlyMap<string, ParsedFile> }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/** Parses every file and holds the rules about modules. Call it in `apart` only. */
export function readSource(source: ScriptSource): ReadSource {
  const files = new Map<string, ParsedFile>();
  for (const [path, text] of Object.entries(source.files)) files.set(path, parseFile(path, text));
  const broken = [...files.values()].flatMap(syntaxProblems);
  if (broken.length > 0) return { ok: false, problems: inOrder(broken).slice(0, problemsMax) };
  const problems = [...files.values()].flatMap((file) => [
    ...checkImports(source, file),
    ...checkModuleForm(file, file.path === source.entry),
  ]);
  if (problems.length > 0) return { ok: false, problems: inOrder(problems).slice(0, problemsMax) };
  return { ok: true, files };
}

function syntaxProblems(file: ParsedFile): Problem[] {
  if (file.errors.length > 0) {
    return file.errors.map(({ cause, offset }) => {
      const sentence = /[.!?]$/.test(cause) ? cause : `${cause}.`;
      return problemAt(file.placeAt(offset), "syntax_error", sentence);
    });
  }
  const { levels, deepest } = depthOf(file.program);
  if (levels <= treeDepthLevelsMax) return [];
  const cause = `The syntax has ${levels} levels; at most ${treeDepthLevelsMax} are allowed.`;
  return [problemAt(file.placeAt(deepest.start), "source_too_deep", cause)];
}
