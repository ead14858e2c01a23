/**
 * `npm run crash [-- store|host] [--quick] [--json]`, without a word both. `host` is told in
 * ../host-crash/main.ts. `store` kills a real process at every write boundary of the SQLite
 * store and looks at what is left, then counts syncs. Exits 1 if anything acknowledged is missing,
 * anything is half there, or a control that must fail does not.
 */
import { parseArgs } from "node:util";
import { type CrashSummary, runCrashTests } from "./crash-run.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    parallel: { type: "string" },
    store: { type: "string" },
    quick: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
    // Of `host`, which reads them itself.
    every: { type: "string" },
    plain: { type: "boolean" },
    ledger: { type: "boolean" },
    approvals: { type: "boolean" },
    course: { type: "string" },
    items: { type: "boolean" },
    machines: { type: "boolean" },
    pieces: { type: "boolean" },
  },
});

function print(summary: CrashSummary): void {
  console.log("");
  for (const note of summary.notes) console.log(note);
  for (const problem of summary.problems) console.log(`PROBLEM  ${problem}`);
  const { boundaryCount, callCount, outsideCount, problems } = summary;
  const insideCount = callCount ?? "NONE TRIED";
  console.log(
    `${boundaryCount} kill points at write boundaries, ${insideCount} inside file calls, ` +
      `${outsideCount} from outside: ${problems.length} problems`,
  );
}

async function killStore(): Promise<void> {
  const summary = await runCrashTests({
    quick: values.quick,
    onProgress: (text) => {
      if (!values.json) console.log(text);
    },
  });
  if (values.json) console.log(JSON.stringify(summary));
  else print(summary);
  if (summary.problems.length > 0) process.exitCode = 1;
}

const [part] = positionals;
if (part === undefined || part === "store") await killStore();
if (part === undefined || part === "host") await import("../host-crash/main.ts");
