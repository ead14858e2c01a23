/**
 * `npm run contract [-- --against <folder>]`: which lines of docs/contract.md a test proves. Exits
 * 1 if a test cites an id that the document does not restate, or the document claims an id that no
 * test cites. With a folder of Markdown files that define ids, it also counts how many of those are
 * cited; nothing depends on that count.
 */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import {
  checkContract,
  compareIds,
  contractPath,
  findCitations,
  findDefinitions,
  findRestatements,
  type Places,
} from "./check/contract.ts";
import { formatFinding } from "./check/finding.ts";
import { readSourceFiles } from "./check/source-files.ts";

const root = dirname(dirname(fileURLToPath(import.meta.url)));

function main(against: string | null): number {
  const files = readSourceFiles(root);
  const cited = findCitations(files);
  const document = files.find(({ path }) => path === contractPath);
  const restated = findRestatements(document?.text ?? "");
  printIds(cited, restated);
  if (against !== null) printCoverage(cited, against);
  const { findings, notices } = checkContract(files);
  for (const notice of notices) console.log(`note: ${notice}`);
  for (const finding of findings) console.log(formatFinding(finding));
  const proven = [...restated.keys()].filter((id) => cited.has(id)).length;
  console.log(`contract: ${proven} of ${restated.size} restated lines are cited by a test`);
  return findings.length === 0 ? 0 : 1;
}

function printIds(cited: Places, restated: Places): void {
  const ids = [...new Set([...cited.keys(), ...restated.keys()])].sort(compareIds);
  for (const id of ids) {
    const tests = [...new Set((cited.get(id) ?? []).map(({ path }) => path))];
    const text = restated.has(id) ? "" : " (not restated)";
    console.log(`${id.padEnd(8)}${tests.length > 0 ? tests.join(", ") : "no test"}${text}`);
  }
}

function printCoverage(cited: Places, folder: string): void {
  const documents = readdirSync(folder).filter((name) => name.endsWith(".md"));
  const ids = new Set(
    documents.flatMap((name) => findDefinitions(readFileSync(join(folder, name), "utf8"))),
  );
  for (const group of ["R", "L", "S", "M"]) {
    const all = [...ids].filter((id) => id.startsWith(group));
    const count = all.filter((id) => cited.has(id)).length;
    console.log(`group ${group}: ${count} of ${all.length} ids are cited by a test`);
  }
}

try {
  const { values } = parseArgs({ options: { against: { type: "string" } } });
  process.exitCode = main(values.against ?? null);
} catch (error) {
  console.error(`contract: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 2;
}
