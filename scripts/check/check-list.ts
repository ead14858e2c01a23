import { execFileSync } from "node:child_process";
import { checkAmbient } from "./ambient.ts";
import { checkContract } from "./contract.ts";
import { checkErrorPages } from "./error-pages.ts";
import {
  applyExceptions,
  checkOnlyShrinks,
  type Exception,
  type Excess,
  parseExceptions,
} from "./exception-list.ts";
import { type Finding, formatFinding, type Verdict, verdict } from "./finding.ts";
import { checkFolderMap } from "./folder-map.ts";
import { checkGlossary, glossaryPath, parseGlossary } from "./glossary.ts";
import { checkImports } from "./imports.ts";
import { checkLeftovers } from "./leftovers.ts";
import type { SourceFile } from "./source-files.ts";
import { checkNames, checkSizes, listBigFiles } from "./tidy.ts";
import { runTool } from "./tool-run.ts";

export type Outcome = {
  readonly passed: boolean;
  readonly details: readonly string[]; // what is wrong and how to mend it
  readonly notices: readonly string[];
};

export type Check = { readonly name: string; readonly run: () => Promise<Outcome> };

const exceptionsPath = "scripts/check/exceptions.json";
const exceptedRules = ["import", "file-lines", "function-lines", "line-chars", "glossary"];

/** All checks in the order they are printed. The tools run beside the rules of our own. */
export function listChecks(root: string, files: readonly SourceFile[]): Check[] {
  const listed = parseExceptions(textOf(files, exceptionsPath) ?? "[]");
  const forgive = (excesses: readonly Excess[], rules: readonly string[]): Finding[] =>
    applyExceptions(
      excesses,
      listed.filter(({ rule }) => rules.includes(rule)),
    );
  const sizes = ["file-lines", "function-lines", "line-chars"];
  const tool = (mend: string, ...command: [string, ...string[]]) => {
    return () => runAsCheck(root, command, mend);
  };
  return [
    {
      name: "types",
      run: tool("mend the types", "tsc", "-p", "tsconfig.json", "--pretty", "false"),
    },
    {
      name: "types of the page",
      run: tool("mend the types", "tsc", "-p", "apps/web/tsconfig.json", "--pretty", "false"),
    },
    {
      name: "format+lint",
      run: tool(
        "try npm run format first",
        "biome",
        "ci",
        "--colors=off",
        "--error-on-warnings",
        ".",
      ),
    },
    { name: "dead code", run: tool("delete it, or use it", "knip", "--no-progress") },
    rule("imports", () => verdict(forgive(checkImports(files), ["import"]))),
    rule("ambient", () => verdict(checkAmbient(files))),
    rule("tidy", () =>
      verdict(
        [...forgive(checkSizes(files), sizes), ...checkNames(files), ...checkLeftovers(files)],
        listBigFiles(files),
      ),
    ),
    rule("glossary", () => verdict(forgive(spellingOf(files), ["glossary"]))),
    rule("errors", () => checkErrorPages(files)),
    rule("folder map", () => checkFolderMap(files)),
    rule("contract", () => checkContract(files)),
    rule("exceptions", () => verdict(checkExceptions(root, listed))),
  ];
}

function textOf(files: readonly SourceFile[], path: string): string | undefined {
  return files.find((file) => file.path === path)?.text;
}

function spellingOf(files: readonly SourceFile[]): Excess[] {
  const words = parseGlossary(textOf(files, glossaryPath) ?? "");
  if (words.length === 0) throw new Error(`${glossaryPath} forbids nothing; is its table broken?`);
  return checkGlossary(files, words);
}

function rule(name: string, judge: () => Verdict): Check {
  const run = async (): Promise<Outcome> => {
    const { findings, notices } = judge();
    return { passed: findings.length === 0, details: findings.map(formatFinding), notices };
  };
  return { name, run };
}

async function runAsCheck(
  root: string,
  command: [string, ...string[]],
  mend: string,
): Promise<Outcome> {
  const { exitCode, output } = await runTool(root, command);
  if (exitCode === 0) return { passed: true, details: [], notices: [] };
  return { passed: false, details: [output, `-> ${mend} (${command.join(" ")})`], notices: [] };
}

function checkExceptions(root: string, listed: readonly Exception[]): Finding[] {
  const unknown = listed.filter(({ rule: name }) => !exceptedRules.includes(name));
  const before = earlierExceptions(root, listed);
  return [
    ...unknown.map((entry) => ({
      path: exceptionsPath,
      line: null,
      problem: `"${entry.rule}" is no rule that allows exceptions`,
      mend: `use one of: ${exceptedRules.join(", ")}`,
    })),
    ...(before ? checkOnlyShrinks(listed, before) : []),
  ];
}

/** The list of the last commit, or of the one before if nothing changed since. */
function earlierExceptions(root: string, listed: readonly Exception[]): Exception[] | null {
  const last = exceptionsAt(root, "HEAD");
  const isUnchanged = JSON.stringify(last) === JSON.stringify(listed);
  return isUnchanged ? exceptionsAt(root, "HEAD^") : last;
}

// Without git, or without an earlier commit, there is nothing to compare with.
function exceptionsAt(root: string, commit: string): Exception[] | null {
  try {
    const args = ["show", `${commit}:${exceptionsPath}`];
    const text = execFileSync("git", args, { cwd: root, stdio: ["ignore", "pipe", "ignore"] });
    return parseExceptions(text.toString("utf8"));
  } catch {
    return null;
  }
}
