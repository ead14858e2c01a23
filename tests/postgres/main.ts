/**
 * `node tests/postgres/main.ts cuts [--quick]`: one life of a small host on a real PostgreSQL
 * server, again and again; each time the connection is cut at another place of another request, and
 * the life has to go on with the same store. Exits 1 if anything acknowledged is missing, anything
 * happened twice or not at all, or a control that must fail does not.
 */
import { existsSync } from "node:fs";
import { parseArgs } from "node:util";
import { applyPostgresSchema } from "@holdfast/store/postgres";
import { TestServer, templateDatabase } from "@holdfast/store/testing/postgres";
import { findUnseen } from "./controls.ts";
import { chosenPoints, everyPoint, recordRequests, tryAll, tryPoints } from "./cut-matrix.ts";
import type { Ground } from "./cut-trial.ts";
import { openingCuts, tryOpening } from "./opening-cuts.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { quick: { type: "boolean", default: false } },
});

const startedAt = performance.now();
const progressEvery = 100;
const problems: string[] = [];

function say(text: string): void {
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0);
  console.log(`${seconds.padStart(5)} s  ${text}`);
}

function note(name: string, found: readonly string[]): void {
  for (const problem of found) problems.push(`${name}: ${problem}`);
  if (found.length > 0) say(`FAIL  ${name}: ${found[0]}`);
}

/** Where files are memory a sync costs nothing, and what is tried here is not the disk. */
async function startServer(): Promise<TestServer> {
  const memory = "/dev/shm";
  return TestServer.start(existsSync(memory) ? { parentFolder: memory } : {});
}

async function cutLives(ground: Ground): Promise<number> {
  const requests = await recordRequests(ground);
  const points = values.quick ? chosenPoints(requests) : everyPoint(requests);
  say(`one life makes ${requests.length} requests; ${points.length} lives with one cut each`);
  let count = 0;
  let missedCount = 0;
  await tryPoints(ground, points, ({ name, cut, problems: found }) => {
    count += 1;
    if (cut === null) missedCount += 1;
    note(name, found);
    if (count % progressEvery === 0) say(`${count} lives (${name})`);
  });
  say(`${count} lives, of which ${missedCount} ended before their cut`);
  const unseen = await findUnseen(ground, requests);
  for (const breakage of unseen) problems.push(`control: ${breakage} goes unseen`);
  if (unseen.length === 0) say("controls: every host that is broken on purpose is caught");
  return count - missedCount;
}

async function cutOpenings(serverUrl: string): Promise<number> {
  const { requests } = await tryOpening(serverUrl, null);
  const cuts = openingCuts(requests);
  await tryAll(
    cuts.map((cut) => () => tryOpening(serverUrl, cut)),
    ({ name, problems: found }) => note(`opening, ${name}`, found),
  );
  return cuts.length;
}

if (positionals.join() !== "cuts") throw new Error("say: node tests/postgres/main.ts cuts");
const server = await startServer();
try {
  const openingCount = await cutOpenings(server.url());
  say(`${openingCount} openings of an empty database with one cut each`);
  const makeSchema = (url: string) => applyPostgresSchema({ url });
  const { name: template } = await templateDatabase(server.url(), makeSchema);
  const lifeCount = await cutLives({ serverUrl: server.url(), template });
  for (const problem of problems) console.log(`PROBLEM  ${problem}`);
  console.log(`${openingCount} openings and ${lifeCount} lives cut: ${problems.length} problems`);
} finally {
  await server.stop();
}
process.exitCode = problems.length === 0 ? 0 : 1;
