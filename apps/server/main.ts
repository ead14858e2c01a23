import { randomUUID } from "node:crypto";
import { resolve } from "node:path";
import { HostError } from "@holdfast/core";
import { verify } from "@holdfast/host";
import { openSqliteStore } from "@holdfast/store/sqlite";

/**
 * The only place that names concrete parts. For now it opens the store, verifies it from the last
 * checkpoint and reports; a store that is not as recorded is never run on.
 */
async function start(folder: string): Promise<number> {
  const clock = () => Date.now();
  const store = await openSqliteStore({ folder, clock, newIncarnation: randomUUID });
  try {
    console.log(`Holdfast keeps its data in ${folder}`);
    const reports = await verify(store, { full: false });
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

try {
  process.exitCode = await start(resolve(process.env["HOLDFAST_DATA"] || ".holdfast"));
} catch (error) {
  if (error instanceof HostError) {
    console.error(`${error.message}\nSee docs/errors/${error.code}.md`);
  } else {
    console.error(error);
  }
  process.exitCode = 3;
}
