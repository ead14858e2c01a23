import { type VerifyReport, verify } from "@holdfast/host";
import { Command } from "commander";
import { openExistingStore } from "../open-store.ts";
import { exitCodes } from "../report-error.ts";
import { findPlace } from "../store-place.ts";

type Options = { readonly data?: string; readonly full: boolean; readonly json: boolean };

export function verifyCommand(): Command {
  return new Command("verify")
    .option("--data <folder>", "data folder")
    .option("--full", "from the first record and with every stored payload", false)
    .option("--json", "one line of JSON", false)
    .action(run);
}

async function run({ data, full, json }: Options): Promise<void> {
  const store = await openExistingStore(findPlace(data));
  try {
    const onProgress = json ? () => {} : (report: VerifyReport) => console.log(inWords(report));
    const moving: string[] = [];
    const onMoving = (workflow: string) => void moving.push(workflow);
    const reports = await verify(store, { full, onProgress, onMoving });
    const problemCount = reports.reduce((sum, report) => sum + report.problems.length, 0);
    const ok = problemCount === 0 && moving.length === 0;
    if (json) console.log(JSON.stringify({ ok, reports, ...(moving.length > 0 && { moving }) }));
    else console.log(summary(reports, problemCount));
    if (!json && moving.length > 0) console.error(notJudged(moving));
    if (problemCount > 0) process.exitCode = exitCodes.problems;
    else process.exitCode = moving.length > 0 ? exitCodes.failed : exitCodes.ok;
  } finally {
    await store.close();
  }
}

function inWords(report: VerifyReport): string {
  const { workflow, from, recordCount, rowCount, problems } = report;
  const start = from === 1 ? "the first record" : `the checkpoint before record ${from}`;
  const records = `${count(recordCount, "record")} from ${start}`;
  const done = `${workflow}: ${records}, ${count(rowCount, "row")}`;
  const [first] = problems;
  if (!first) return `${done}, as recorded`;
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : "";
  return `${done}\n  ${first.code} at record ${first.position}: ${first.note}${more}
  See docs/errors/${first.code}.md`;
}

function summary(reports: readonly VerifyReport[], problemCount: number): string {
  const workflows = count(reports.length, "workflow");
  if (problemCount === 0) return `${workflows} verified, nothing differs`;
  return `${workflows} verified, ${count(problemCount, "problem")} found; nothing was changed`;
}

function notJudged(moving: readonly string[]): string {
  return `STORE_CHANGED: not judged, because a host went on with them: ${moving.join(", ")}
See docs/errors/STORE_CHANGED.md`;
}

function count(number: number, what: string): string {
  return number === 1 ? `1 ${what}` : `${number} ${what}s`;
}
