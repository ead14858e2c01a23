import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { invariant, nextWork } from "@holdfast/core";
import { verifyWorkflow, WorkflowOwner } from "@holdfast/host";
import type { BenchContext, Measured } from "../harness/bench.ts";
import { median, spreadOf } from "../harness/percentile.ts";
import { lap } from "../harness/rounds.ts";
import { startOfTime, topic } from "./bench-workflow.ts";
import { openBenchStore } from "./open-bench-store.ts";

const restartCount = 5;

/**
 * What a start finds after a kill: the database and its log, not yet copied together. Taken from a
 * store that is open but has nothing under way.
 */
export async function measureRestart(
  { folder, progress }: BenchContext,
  source: string,
  workflow: string,
): Promise<readonly Measured[]> {
  const copy = join(folder, "restart");
  const times: number[] = [];
  for (let count = 0; count < restartCount; count += 1) {
    copyAsKilled(source, copy);
    const { ms } = await lap(1, () => openUntilReady(copy, workflow));
    times.push(ms);
  }
  progress("restarted with 100,000 pending events");
  const verified = await measureVerify(copy, workflow);
  progress("verified 100,000 events");
  rmSync(copy, { recursive: true });
  const metric = "restart with 100,000 pending events, after a kill";
  return [{ metric, value: median(times), unit: "ms", spread: spreadOf(times) }, verified];
}

export function copyAsKilled(source: string, copy: string): void {
  rmSync(copy, { recursive: true, force: true });
  mkdirSync(copy);
  for (const name of ["holdfast.db", "holdfast.db-wal"])
    cpSync(join(source, name), join(copy, name));
  // It would be taken for a backup that was put back: the note says which file it is.
  const note = JSON.parse(readFileSync(join(source, "lock.json"), "utf8")) as object;
  writeFileSync(join(copy, "lock.json"), JSON.stringify({ ...note, file: null }));
}

/** Until the first decision could be made: opened, base loaded, next work known, one peek. */
async function openUntilReady(folder: string, workflow: string): Promise<void> {
  const store = await openBenchStore(folder);
  const { epoch } = await store.load(workflow, []);
  const owner = new WorkflowOwner(store, { workflow, epoch });
  const view = await owner.loadView();
  await owner.loadNeeds(view, [{ kind: "oldest_pending" }]);
  const work = nextWork(view, startOfTime);
  invariant(work.kind === "start_run", "the pending events are seen");
  await store.peek(workflow, topic, 100);
  await store.close();
}

async function measureVerify(folder: string, workflow: string): Promise<Measured> {
  const store = await openBenchStore(folder);
  try {
    const startedAt = performance.now();
    const { recordCount, problems } = await verifyWorkflow(store, workflow, { full: true });
    const value = (recordCount * 1_000) / (performance.now() - startedAt);
    invariant(problems.length === 0, "what the bench wrote is sound");
    return { metric: "verify --full of 100,000 events", value, unit: "records/s" };
  } finally {
    await store.close();
  }
}
