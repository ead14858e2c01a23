/**
 * Real hosts in processes of their own, on a real PostgreSQL server, in real time:
 *
 * `npm run hosts -- kills [--rounds 200] [--seed n]` kills hosts, and kills and restarts the
 * server, under load; what was acknowledged must be there, and nothing twice.
 * `npm run hosts -- stops [--times 1]` stops one of three hosts past its lease at every hook and
 * lets it go on; no two may own one workflow, judged from what the hosts told.
 * `npm run hosts -- spread` shows how three hosts share the work, join, leave and die.
 *
 * Exits 1 if anything is as it may not be.
 */
import { parseArgs } from "node:util";
import { createTestDatabase, TestServer } from "@holdfast/store/testing/postgres";
import type { HistoryReport } from "./check-history.ts";
import { nanosPerMs } from "./history-line.ts";
import { allHooks } from "./hooks.ts";
import { KillRounds } from "./kill-rounds.ts";
import { joinAndLeave, replaceKilled } from "./spread.ts";
import { StopRounds } from "./stop-rounds.ts";

const leaseMs = 2_000;
/** Problems beyond these say the same again. */
const problemsShown = 20;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: "string", default: "200" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    times: { type: "string", default: "1" },
    hook: { type: "string", multiple: true },
    workflows: { type: "string" },
  },
});

/** What is wrong, and a last line that says what was done. */
type Outcome = { readonly problems: readonly string[]; readonly done: string };

const startedAt = performance.now();

function onProgress(text: string): void {
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0);
  console.log(`${seconds.padStart(5)} s  ${text}`);
}

function inWords(report: HistoryReport): string {
  return (
    `${report.lineCount} lines of history with ${report.holdCount} ownerships, ` +
    `${report.committedCount} commits, ${report.refusedCount} late ones refused, ` +
    `${report.outsideCount} outside changes (${report.afterCheckCount} past their last check)`
  );
}

async function runKills(server: TestServer, url: string): Promise<Outcome> {
  const seed = Number(values.seed);
  onProgress(`seed ${seed}`);
  const summary = await KillRounds.run(server, url, {
    rounds: Number(values.rounds),
    seed,
    workflowCount: Number(values.workflows ?? 60),
    periodMs: 1_000,
    leaseMs,
    onProgress,
  });
  const { kill, crash, shutDown } = summary.serverBlows;
  const blows = `the server killed ${kill}, crashed ${crash}, shut down ${shutDown} times`;
  const hosts = `${values.rounds} rounds: ${summary.hostKillCount} hosts killed, ${blows}`;
  const counts = `${summary.unknownCount} unknown commits, ${summary.lostCount} leases lost`;
  const records = `${summary.recordCount} records of journals`;
  const done = `${hosts}; ${counts}; ${records}; ${inWords(summary.history)}`;
  return { problems: summary.problems, done };
}

async function runStops(_: TestServer, url: string): Promise<Outcome> {
  const chosen = allHooks.filter((hook) => values.hook?.includes(hook) ?? true);
  const hooks = Array.from({ length: Number(values.times) }, () => chosen).flat();
  const workflowCount = Number(values.workflows ?? 300);
  const cluster = { url, workflowCount, periodMs: 6_000, leaseMs, restEvery: 4 };
  const summary = await StopRounds.run({ cluster, hooks, onProgress });
  const stops = `${chosen.length} hooks, ${summary.stopCount} stops of up to`;
  const taken = `${summary.takenCount} workflows taken over`;
  const done = `${stops} ${summary.stoppedMsMax} ms; ${taken}; ${inWords(summary.history)}`;
  return { problems: summary.problems, done };
}

async function runSpread(_: TestServer, url: string): Promise<Outcome> {
  const options = { url, workflowCount: Number(values.workflows ?? 300), periodMs: 6_000 };
  const seen = await joinAndLeave(options);
  onProgress(`two own ${seen.ofTwo.join(" + ")}; with a third ${seen.ofThree.join(" + ")}`);
  const left = `${(seen.leaseLeft / nanosPerMs).toFixed(0)} ms before its lease would have ended`;
  onProgress(`one leaves: its ${seen.handedOverCount} are claimed ${left}`);
  onProgress(`after that the others own ${seen.afterLeaving.join(" + ")}`);
  const next = await createTestDatabase(url);
  const { ownedCount, afterBelief, problems } = await replaceKilled({
    ...options,
    url: next.url,
    leaseMs,
  });
  const after = `${(afterBelief / nanosPerMs).toFixed(0)} ms after it would have stopped acting`;
  const early = afterBelief > 0 ? [] : ["what a killed host owned was claimed too early"];
  const late = seen.leaseLeft > 0 ? [] : ["what a leaving host owned was claimed too late"];
  const done = `one is killed: the first of its ${ownedCount} is claimed ${after}`;
  return { problems: [...problems, ...early, ...late], done };
}

const commands: Readonly<Record<string, typeof runKills>> = {
  kills: runKills,
  stops: runStops,
  spread: runSpread,
};

const run = commands[positionals[0] ?? ""];
if (run === undefined) throw new Error(`which of ${Object.keys(commands).join(", ")}?`);
const server = await TestServer.start();
try {
  const { url } = await createTestDatabase(server.url());
  const { problems, done } = await run(server, url);
  for (const problem of problems.slice(0, problemsShown)) console.log(`PROBLEM  ${problem}`);
  console.log(`${done}: ${problems.length} problems`);
  process.exitCode = problems.length === 0 ? 0 : 1;
} finally {
  await server.stop();
}
