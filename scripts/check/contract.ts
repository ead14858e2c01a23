import { type Finding, type Verdict, verdict } from "./finding.ts";
import { isTestFile, type SourceFile } from "./source-files.ts";
import { parseTree, walk } from "./syntax-tree.ts";

export const contractPath = "docs/contract.md";

const id = String.raw`(?:M\.[A-Z]+[0-9.]*-\d+|[BRLS]\d+)`;
const citation = new RegExp(String.raw`\[(${id}(?:[,\s]+${id})*)\]`, "g");
const restatement = new RegExp(String.raw`^- \*\*(${id})\*\*\s+\S`);

export type Place = { readonly path: string; readonly line: number };
export type Places = ReadonlyMap<string, readonly Place[]>;

/** Ids in brackets in the strings of test files: in titles, mostly. A comment proves nothing. */
export function findCitations(files: readonly SourceFile[]): Places {
  const places = new Map<string, Place[]>();
  for (const file of files.filter(({ path }) => isTestFile(path))) {
    const { program, lineAt } = parseTree(file);
    walk(program, (node) => {
      if (node.type !== "Literal" && node.type !== "TemplateElement") return;
      const text =
        typeof node.value === "string" ? node.value : file.text.slice(node.start, node.end);
      const place = { path: file.path, line: lineAt(node.start) };
      for (const [, ids = ""] of text.matchAll(citation)) {
        for (const each of ids.split(/[,\s]+/)) add(places, each, place);
      }
    });
  }
  return places;
}

/** The lines `- **R31** what it says` of docs/contract.md. */
export function findRestatements(markdown: string): Places {
  const places = new Map<string, Place[]>();
  for (const [index, line] of markdown.split("\n").entries()) {
    const found = restatement.exec(line)?.[1];
    if (found) add(places, found, { path: contractPath, line: index + 1 });
  }
  return places;
}

function add(places: Map<string, Place[]>, key: string, place: Place): void {
  places.set(key, [...(places.get(key) ?? []), place]);
}

/** What we say we prove and what the tests prove must be the same list. */
export function checkContract(files: readonly SourceFile[]): Verdict {
  const document = files.find(({ path }) => path === contractPath);
  const cited = findCitations(files);
  if (!document) {
    return verdict([], [`${contractPath} does not exist yet; the tests cite ${cited.size} ids`]);
  }
  const restated = findRestatements(document.text);
  return verdict([
    ...[...cited].flatMap(([key, places]) => notRestated(key, places, restated)),
    ...[...restated].flatMap(([key, places]) => notProven(key, places, cited)),
  ]);
}

function notRestated(key: string, places: readonly Place[], restated: Places): Finding[] {
  const [first] = places;
  if (!first || restated.has(key)) return [];
  const problem = `cites ${key}, which ${contractPath} does not restate`;
  return [{ ...first, problem, mend: `add "- **${key}** …" in our own words to ${contractPath}` }];
}

function notProven(key: string, places: readonly Place[], cited: Places): Finding[] {
  const [first, second] = places;
  if (!first) return [];
  if (second) return [{ ...second, problem: `${key} is restated twice`, mend: "keep one of them" }];
  if (cited.has(key)) return [];
  const problem = `claims ${key}, but no test cites it`;
  return [{ ...first, problem, mend: `write the test and put [${key}] in its title` }];
}

/** Every id a contract document defines, for the coverage of `npm run contract`. */
export function findDefinitions(markdown: string): string[] {
  const definition = new RegExp(String.raw`^(?:- )?(${id})\s`);
  return markdown.split("\n").flatMap((line) => definition.exec(line)?.[1] ?? []);
}

/** R2 before R10, and the groups apart. */
export function compareIds(a: string, b: string): number {
  return a.localeCompare(b, "en", { numeric: true });
}
