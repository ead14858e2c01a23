import { findDeclaredNames } from "./declared-names.ts";
import type { Excess } from "./exception-list.ts";
import { readProse } from "./leftovers.ts";
import { isMarkdown, isTypeScript, type SourceFile } from "./source-files.ts";

export const glossaryPath = "GLOSSARY.md";

/** A synonym the glossary forbids. `names` are identifiers and file names; prose is the rest. */
export type BannedWord = {
  readonly banned: string;
  readonly instead: string;
  readonly scope: "names" | "names and prose";
};

/**
 * Reads every table of the glossary that has a `never` column. There, `code` is forbidden in names
 * and prose, *emphasis* in names only, and plain words are advice to the reader.
 */
export function parseGlossary(markdown: string): BannedWord[] {
  const words: BannedWord[] = [];
  let never = -1;
  for (const line of markdown.split("\n")) {
    const cells = line.startsWith("|") ? line.split("|").slice(1, -1) : [];
    if (cells.length === 0) never = -1;
    else if (never === -1) never = cells.findIndex((cell) => cell.trim() === "never");
    else words.push(...parseCell(cells[never] ?? "", (cells[0] ?? "").replace(/[*`]/g, "").trim()));
  }
  return words;
}

function parseCell(cell: string, instead: string): BannedWord[] {
  const words: BannedWord[] = [];
  for (const [, everywhere, names] of cell.matchAll(/`([^`]+)`|\*([^*]+)\*/g)) {
    if (everywhere) words.push({ banned: everywhere, instead, scope: "names and prose" });
    if (names) words.push({ banned: names, instead, scope: "names" });
  }
  return words;
}

export function checkGlossary(
  files: readonly SourceFile[],
  words: readonly BannedWord[],
): Excess[] {
  return files
    .filter((file) => file.path !== glossaryPath)
    .flatMap((file) => checkFile(file, words));
}

type Line = { readonly text: string; readonly line: number | null };

function checkFile(file: SourceFile, words: readonly BannedWord[]): Excess[] {
  const names = namesOf(file);
  const prose = isTypeScript(file.path) || isMarkdown(file.path) ? readProse(file) : [];
  return words.flatMap((word) => {
    const found = names.filter(({ text }) => nameContains(text, word.banned));
    if (word.scope !== "names") found.push(...findInProse(prose, word.banned));
    return found.length === 0 ? [] : [excessOf(file.path, word, found)];
  });
}

function namesOf(file: SourceFile): Line[] {
  const inPath = file.path.split(/[/.]/).map((text) => ({ text, line: null }));
  if (!isTypeScript(file.path)) return inPath;
  return [...inPath, ...findDeclaredNames(file).map(({ name, line }) => ({ text: name, line }))];
}

function findInProse(prose: readonly Line[], banned: string): Line[] {
  const pattern = new RegExp(`\\b${banned.replaceAll(" ", "[\\s-]+")}(s|es)?\\b`, "i");
  return prose.filter(({ text }) => pattern.test(text));
}

function excessOf(path: string, word: BannedWord, lines: readonly Line[]): Excess {
  const problem = `"${word.banned}" is not one of our words`;
  const mend = `say "${word.instead}" (${glossaryPath} says why)`;
  const findings = lines.map(({ line }) => ({ path, line, problem, mend }));
  return { rule: "glossary", path, subject: word.banned, size: findings.length, findings };
}

/** `sideEffect`, `SIDE_EFFECTS` and `side-effect` all contain `side effect`. */
export function nameContains(name: string, banned: string): boolean {
  const isShouting = name === name.toUpperCase();
  // A word in capitals forbids a way of writing: `messageID`, but neither `messageId` nor `ID_MAX`.
  const isCaseBan = banned === banned.toUpperCase();
  if (isCaseBan && isShouting) return false;
  const fold = (part: string): string => (isCaseBan ? part : part.toLowerCase());
  const parts = (name.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g) ?? []).map(fold);
  const wanted = banned.split(" ").map(fold);
  return parts.some((_, start) =>
    wanted.every((part, index) => {
      const actual = parts[start + index];
      return actual === part || (index === wanted.length - 1 && isPluralOf(actual, part));
    }),
  );
}

function isPluralOf(actual: string | undefined, word: string): boolean {
  return actual === `${word}s` || actual === `${word}es`;
}
