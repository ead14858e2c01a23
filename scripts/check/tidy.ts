import type { Excess } from "./exception-list.ts";
import type { Finding } from "./finding.ts";
import { findFunctions } from "./function-spans.ts";
import { isCode, isTestSupport, isTypeScript, type SourceFile } from "./source-files.ts";

/** Tripwires: passing one asks for a second look, not for a trick to get under it. */
export const limits = {
  fileLinesMax: 400,
  fileLinesSoftMax: 250, // reported, never failed
  functionLinesMax: 60,
  lineCharsMax: 100,
} as const;

export function checkSizes(files: readonly SourceFile[]): Excess[] {
  return files
    .filter((file) => isCode(file.path))
    .flatMap((file) => [...longFile(file), ...longFunctions(file), ...longLines(file)]);
}

export function listBigFiles(files: readonly SourceFile[]): string[] {
  return files
    .filter((file) => isCode(file.path) && lineCount(file) > limits.fileLinesSoftMax)
    .map((file) => `${file.path} has ${lineCount(file)} lines (over ${limits.fileLinesSoftMax})`);
}

function lineCount(file: SourceFile): number {
  return file.text.replace(/\n$/, "").split("\n").length;
}

function longFile(file: SourceFile): Excess[] {
  const size = lineCount(file);
  if (size <= limits.fileLinesMax) return [];
  const finding = {
    path: file.path,
    line: null,
    problem: `the file has ${size} lines; the limit is ${limits.fileLinesMax}`,
    mend: "split it by what it is about: one file per command, table or rule",
  };
  return [{ rule: "file-lines", path: file.path, subject: "", size, findings: [finding] }];
}

function longFunctions(file: SourceFile): Excess[] {
  if (!isTypeScript(file.path)) return [];
  return findFunctions(file)
    .filter((span) => !(span.listsTests && isTestSupport(file.path)))
    .filter((span) => span.lineCount > limits.functionLinesMax)
    .map(({ name, line, lineCount: size }) => {
      const problem = `${name} has ${size} lines; the limit is ${limits.functionLinesMax}`;
      const mend = "give its parts names of their own";
      const findings = [{ path: file.path, line, problem, mend }];
      return { rule: "function-lines", path: file.path, subject: name, size, findings };
    });
}

function longLines(file: SourceFile): Excess[] {
  const findings = file.text.split("\n").flatMap((text, index) => {
    const size = [...text].length;
    if (size <= limits.lineCharsMax) return [];
    const problem = `the line has ${size} characters; the limit is ${limits.lineCharsMax}`;
    return [{ path: file.path, line: index + 1, problem, mend: "break it" }];
  });
  if (findings.length === 0) return [];
  const size = findings.length;
  return [{ rule: "line-chars", path: file.path, subject: "", size, findings }];
}

export function checkNames(files: readonly SourceFile[]): Finding[] {
  return files.flatMap(({ path }) => {
    const problem = nameProblem(path);
    if (!problem) return [];
    const mend = "name the file in kebab-case after its main export, by what it is about";
    return [{ path, line: null, problem, mend }];
  });
}

// These names gather whatever has no home; a file named after its subject does not.
const vague = /(^|-)(utils?|helpers?|common|misc|managers?|services?)(-|$)|^types$/;
const kebabCase = /^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9-]+)*$/;

function nameProblem(path: string): string | null {
  const names = path.split("/").map((name) => name.replace(/\..*$/, ""));
  const bad = names.find((name) => vague.test(name));
  if (bad) return `"${bad}" says nothing about what is inside`;
  const file = path.slice(path.lastIndexOf("/") + 1);
  return isTypeScript(path) && !kebabCase.test(file) ? `"${file}" is not in kebab-case` : null;
}
