import { randomUUID } from "node:crypto";
import { resolve } from "node:path";
import { HostError, type Store } from "@holdfast/core";
import { verify } from "@holdfast/host";
import { openPostgresStore, openSqliteStore, readPostgresAddress } from "@holdfast/store";

/**
 * The only place that names concrete parts. For now it opens the store, verifies it from the last
 * checkpoint and reports; a store that is not as recorded is never run on.
 */
async function start(store: Store, place: string): Promise<number> {
  try {
    console.log(`Holdfast keeps its data in ${place}`);
    const onMoving = (workflow: string) =>
      console.log(`${workflow}: not judged, because another host is at work on it`);
    const reports = await verify(store, { full: false, onMoving });
    const records = reports.reduce((sum, { recordCount }) => sum + recordCount, 0);
    const problems = reports.flatMap((report) => report.problems);
    for (const { workflow, code, position, note } of problems) {
      console.error(`${workflow}: ${code} at record ${position}: ${note}`);
      console.error(`  See docs/errors/${code}.md`);
    }
    if (problems.length > 0) return 1;
    const workflows = reports.length === 1 ? "1 workflow" : `${reports.length} workflows`;
    console.log(`${workflows}, ${records} records since the last checkpoint: all as recorded`);
    return 0;
  } finally {
    await store.close();
  }
}

/** An empty variable is what an unset one becomes on its way through other tools. */
const folder = process.env["HOLDFAST_DATA"] || null;
const url = process.env["HOLDFAST_POSTGRES_URL"] || null;

const help = `Usage: npm start

Opens the store, verifies it from the last checkpoint and reports.

Environment:
  HOLDFAST_DATA          data folder of a store on SQLite (default .holdfast)
  HOLDFAST_POSTGRES_URL  postgres://user@host:5432/database, for a store on PostgreSQL instead
  PGPASSWORD             its password; or PGPASSFILE, a file such as ~/.pgpass
  PGHOST, PGPORT, PGUSER, PGDATABASE, PGSSLMODE
                         what HOLDFAST_POSTGRES_URL leaves out

\`npx holdfast --help\` lists the commands beside it.`;

/** Nothing was opened: what the environment says has to be said otherwise. */
function refuseUsage(message: string): number {
  console.error(`error: ${message}`);
  return 2;
}

async function run(): Promise<number> {
  if (process.argv.slice(2).some((word) => word === "--help" || word === "-h")) {
    console.log(help);
    return 0;
  }
  if (url === null) {
    const path = resolve(folder ?? ".holdfast");
    const clock = () => Date.now();
    return start(await openSqliteStore({ folder: path, clock, newIncarnation: randomUUID }), path);
  }
  if (folder !== null) {
    return refuseUsage(
      `two stores are named: HOLDFAST_DATA is ${folder}, and HOLDFAST_POSTGRES_URL is set too. ` +
        "Nothing was opened. Unset one of them.",
    );
  }
  const address = readPostgresAddress(url);
  if ("fault" in address) {
    return refuseUsage(
      `the address in HOLDFAST_POSTGRES_URL cannot be used: ${address.fault}. ` +
        "Correct it; write special characters in it as %xx.",
    );
  }
  return start(await openPostgresStore({ url, newIncarnation: randomUUID }), address.place);
}

try {
  process.exitCode = await run();
} catch (error) {
  if (error instanceof HostError) {
    console.error(`${error.message}\nSee docs/errors/${error.code}.md`);
  } else {
    console.error(error);
  }
  process.exitCode = 3;
}
