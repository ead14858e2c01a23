import { type Finding, type Verdict, verdict } from "./finding.ts";
import { isTestSupport, isTypeScript, type SourceFile } from "./source-files.ts";
import { keyName, literalText, type Node, parseTree, walk } from "./syntax-tree.ts";

/** Errors of the host, and reasons why a script was ended. */
const tables: Readonly<Record<string, string>> = {
  "packages/core/ports/error-codes.ts": "errorCodes",
  "packages/sandbox/failure.ts": "failureCodes",
};
const tablePaths = Object.keys(tables).join(" or ");
const pageFolder = "docs/errors/";
const codePattern = /^[A-Z][A-Z0-9]*(_[A-Z0-9]+)+$/;

type Use = { readonly code: string; readonly path: string; readonly line: number };

/** The table of codes, the pages about them and the code that raises them must tell one story. */
export function checkErrorPages(files: readonly SourceFile[]): Verdict {
  const found = files.filter(({ path }) => path in tables);
  if (found.length === 0) return verdict([], [`${tablePaths} does not exist; nothing compared`]);
  const codes = found.flatMap(readCodes);
  const uses = files.filter(({ path }) => !(path in tables)).flatMap(findUses);
  return verdict([
    ...codes.flatMap((use) => missingPage(files, use)),
    ...files.flatMap((file) => strayPage(file, codes)),
    ...codes.flatMap((use) => neverRaised(uses, use)),
    ...files.flatMap((file) => unknownCodes(file, codes)),
  ]);
}

function readCodes(table: SourceFile): Use[] {
  const { program, lineAt } = parseTree(table);
  const codes: Use[] = [];
  walk(program, (node, parents) => {
    if (node.type !== "Property" || !parents.some((parent) => isTable(parent, table.path))) return;
    const code = keyName(node.key);
    if (code !== null) codes.push({ code, path: table.path, line: lineAt(node.start) });
  });
  return codes;
}

function isTable(node: Node, path: string): boolean {
  return node.type === "VariableDeclarator" && keyName(node.id) === tables[path];
}

/** Production code raises an error with `code: "STORE_LOCKED"`, or names the code as text. */
function findUses(file: SourceFile): Use[] {
  if (!isProduction(file.path)) return [];
  const { program, lineAt } = parseTree(file);
  const uses: Use[] = [];
  walk(program, (node) => {
    const code = literalText(node);
    if (code === null || !codePattern.test(code)) return;
    uses.push({ code, path: file.path, line: lineAt(node.start) });
  });
  return uses;
}

function missingPage(files: readonly SourceFile[], { code, path, line }: Use): Finding[] {
  const page = `${pageFolder}${code}.md`;
  const found = files.find((file) => file.path === page);
  if (found?.text.startsWith(`# ${code}`)) return [];
  const problem = found ? `${page} does not begin with "# ${code}"` : `${code} has no page`;
  return [{ path, line, problem, mend: `write ${page}: what it means, why, what to do` }];
}

function strayPage({ path }: SourceFile, codes: readonly Use[]): Finding[] {
  if (!path.startsWith(pageFolder) || path.endsWith("README.md")) return [];
  const name = path.slice(pageFolder.length).replace(/\.md$/, "");
  if (codes.some(({ code }) => code === name)) return [];
  const mend = `add the code to ${tablePaths}, or delete the page`;
  return [{ path, line: null, problem: `${name} is not a code of the table`, mend }];
}

function neverRaised(uses: readonly Use[], { code, path, line }: Use): Finding[] {
  if (uses.some((use) => use.code === code)) return [];
  return [
    { path, line, problem: `nothing raises ${code}`, mend: "raise it, or delete it and its page" },
  ];
}

/** `code: "…"` in our own objects; the codes of Node and of databases are compared, not raised. */
function unknownCodes(file: SourceFile, codes: readonly Use[]): Finding[] {
  if (file.path in tables || !isProduction(file.path)) return [];
  const { program, lineAt } = parseTree(file);
  const findings: Finding[] = [];
  walk(program, (node) => {
    if (node.type !== "Property" || keyName(node.key) !== "code") return;
    const code = literalText(node.value);
    if (code === null || !codePattern.test(code)) return;
    if (codes.some((each) => each.code === code)) return;
    const mend = `add it to ${tablePaths} and write ${pageFolder}${code}.md`;
    const problem = `${code} is not in the table of error codes`;
    findings.push({ path: file.path, line: lineAt(node.start), problem, mend });
  });
  return findings;
}

function isProduction(path: string): boolean {
  return isTypeScript(path) && /^(packages|apps)\//.test(path) && !isTestSupport(path);
}
