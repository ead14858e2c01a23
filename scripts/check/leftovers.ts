import type { Finding } from "./finding.ts";
import { rootName } from "./function-spans.ts";
import { isMarkdown, isTestFile, isTypeScript, type SourceFile } from "./source-files.ts";
import { keyName, type Node, parseTree, walk } from "./syntax-tree.ts";

/** What must not stay behind in a commit: marks, switched-off tests, traces of one machine. */
export function checkLeftovers(files: readonly SourceFile[]): Finding[] {
  return files.flatMap((file) => [
    ...findMarks(file),
    ...findTraces(file),
    ...(isTestFile(file.path) ? findIdleTests(file) : []),
  ]);
}

const marks = /\b(FIXME|XXX|HACK)\b/;

function findMarks(file: SourceFile): Finding[] {
  return readProse(file).flatMap(({ text, line }) => {
    const mark = marks.exec(text)?.[1];
    if (!mark) return [];
    const mend = "mend it now, or open an issue and say in a plain comment what holds today";
    return [{ path: file.path, line, problem: `${mark} left in the text`, mend }];
  });
}

type Prose = { readonly text: string; readonly line: number };

/** Comments of code, and the text of everything else; what is in backticks speaks about code. */
export function readProse(file: SourceFile): Prose[] {
  if (isTypeScript(file.path)) {
    const { comments, lineAt } = parseTree(file);
    return comments.flatMap((comment) => {
      const first = lineAt(comment.start);
      return withoutCode(comment.value).map((text, index) => ({ text, line: first + index }));
    });
  }
  if (file.path.endsWith(".json")) return [];
  const text = isMarkdown(file.path) ? blankFences(file.text) : file.text;
  return withoutCode(text).map((each, index) => ({ text: each, line: index + 1 }));
}

function withoutCode(text: string): string[] {
  return text.split("\n").map((line) => line.replace(/`[^`]*`/g, "``"));
}

function blankFences(text: string): string {
  return text.replace(/^( *)(```|~~~)[\s\S]*?^\1\2/gm, (block) => block.replace(/[^\n]/g, ""));
}

// Put together from parts, so that this file does not find itself.
const homes = ["home", "root", "work", "Users"].join("|");
const registries = [
  "registry\\.[\\w-]+\\.",
  "npm\\.pkg\\.",
  "art" + "ifactory",
  "_auth" + "Token",
].join("|");
const traces: readonly { readonly pattern: RegExp; readonly problem: string }[] = [
  {
    pattern: new RegExp(`(?<![\\w.~)}-])/(${homes})/`),
    problem: "names a folder of one machine",
  },
  { pattern: new RegExp(`\\b(${registries})`, "i"), problem: "names a package registry" },
];

function findTraces(file: SourceFile): Finding[] {
  return file.text.split("\n").flatMap((text, index) =>
    traces
      .filter(({ pattern }) => pattern.test(text))
      .map(({ problem }) => ({
        path: file.path,
        line: index + 1,
        problem,
        mend: "the project must install and run anywhere: use a relative path, or none",
      })),
  );
}

const idle = new Set(["skip", "only", "todo", "skipIf", "runIf"]);

function findIdleTests(file: SourceFile): Finding[] {
  const { program, lineAt } = parseTree(file);
  const findings: Finding[] = [];
  walk(program, (node) => {
    const word = idleWord(node);
    if (!word) return;
    const problem = `a test is switched off or singled out (${word})`;
    const mend = "make it run everywhere, or delete it";
    findings.push({ path: file.path, line: lineAt(node.start), problem, mend });
  });
  return findings;
}

const testRoots = new Set(["test", "it", "describe", "suite", "context", "ctx"]);

function idleWord(node: Node): string | null {
  if (node.type !== "MemberExpression" || node.computed) return null;
  const word = keyName(node.property);
  return word !== null && idle.has(word) && testRoots.has(rootName(node.object)) ? word : null;
}
