import { resolve } from "node:path";
import { readSubjects, trySubject } from "@holdfast/server/connectors";
import { Command } from "commander";
import { example } from "../group.ts";
import { plain, table } from "../print.ts";
import { exitCodes } from "../report-error.ts";
import { UsageError } from "../store-place.ts";

type Report = Awaited<ReturnType<typeof trySubject>>;
type Options = { readonly operation?: readonly string[]; readonly json: boolean };

export function conformanceCommand(): Command {
  const command = new Command("conformance")
    .argument("<file>", "module whose default export says how a connector is tried, or a list")
    .option("--operation <name...>", "only those that try one of these operations")
    .option("--json", "one line of JSON: every trial, every fault, the label", false)
    .action(run);
  return example(command, "conformance connectors/shop.conformance.ts");
}

async function run(file: string, { operation: wanted, json }: Options): Promise<void> {
  const path = resolve(file);
  const all = await readSubjects(path);
  const subjects = all.filter(({ operation }) => wanted?.includes(operation) ?? true);
  if (subjects.length === 0) {
    const known = [...new Set(all.map(({ operation }) => operation))].join(", ");
    throw new UsageError(`nothing there tries ${wanted?.join(", ")}; there is: ${known}`);
  }
  const reports: Report[] = [];
  for (const subject of subjects) reports.push(await trySubject(path, subject));
  const isEarned = reports.every(({ earned }) => earned !== null);
  const said = json
    ? JSON.stringify({ earned: isEarned, reports })
    : reports.map(shown).join("\n\n");
  end(said, isEarned ? exitCodes.ok : exitCodes.problems);
}

/** What is tried may leave something open behind it, and is not waited for. */
function end(said: string, code: number): void {
  process.stdout.write(`${said}\n`, () => process.exit(code));
}

const byWay = { key: "by its key", ask: "by asking", person: "by a person" } as const;

function shown({ subject, claimed, earned, trials, faults }: Report): string {
  const head = ["tried", "found out", "taken for", "changes", "requests"];
  const rows = trials.map(({ scenario, way, says, changeCount, requestCount }) => {
    return [scenario, byWay[way], says, String(changeCount), String(requestCount)];
  });
  const lines = faults.map(({ code, scenario, way, note }) => {
    return plain(`  ${code}: ${scenario} (${byWay[way]}): ${note}`);
  });
  const verdict =
    earned === null
      ? `${subject} does not earn "${claimed}":`
      : `${subject} earns "${earned}" in ${trials.length} trials.`;
  return [table(head, rows), plain(verdict), ...lines].join("\n");
}
