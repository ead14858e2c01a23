import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { type ClientRequest, request } from "node:http";
import { join } from "node:path";
import type { Bench, BenchContext, Measured } from "../harness/bench.ts";
import { type Lap, lap, runRounds } from "../harness/rounds.ts";
import { BenchProcess, cli, token } from "./bench-host.ts";
import { putLoad } from "./load.ts";

const readers = 32;
const publishers = 64;
const streamCount = 300;
const ownMiBMax = 200;

/** The API of the shipped program over loopback, and how soon a command answers. */
export const serverBench: Bench = {
  name: "server",
  describe: "the API over loopback, publishing, live streams and the start of the command line",
  run: async (context) => {
    const host = await BenchProcess.host(context.folder);
    try {
      await host.deploy();
      return [
        ...(await measureReads(host, context)),
        ...(await measurePublishing(host, context)),
        ...(await measureStreams(context)),
        ...(await measureHelp(context)),
      ];
    } finally {
      await host.stop();
    }
  },
};

let published = 0;

function publication() {
  const messageId = `o-${++published}`;
  const event = { topic: "received", messageId, payload: { no: published }, title: messageId };
  const body = JSON.stringify({ kind: "publish_event", body: event });
  return { method: "POST", path: "/api/v1/workflows/orders/commands", token, body } as const;
}

/** Until a run has worked events off, so that there is one to be looked at. */
async function finishedRun(host: BenchProcess): Promise<{ readonly runId: string }> {
  await putLoad({ url: host.url, clients: 1, count: 5, next: publication });
  for (;;) {
    const path = "/workflows/orders/runs?status=committed&handler=keep";
    const { items } = await host.ask<{ items: readonly { runId: string }[] }>("GET", path);
    const [run] = items;
    if (run !== undefined) return run;
  }
}

async function measureReads(
  host: BenchProcess,
  { quick, progress }: BenchContext,
): Promise<readonly Measured[]> {
  const { runId } = await finishedRun(host);
  const answer = await host.ask("GET", `/workflows/orders/runs/${runId}`);
  const bare = await BenchProcess.bare(answer);
  const path = `/api/v1/workflows/orders/runs/${runId}`;
  const count = quick ? 2_000 : 6_000;
  const against = "the same bytes from a bare route";
  const metric = "authenticated reads of a run";
  const contender = (name: string, asked: BenchProcess, shown: string | null) => ({
    metric: name,
    unit: "requests/s",
    figure: "per second" as const,
    measure: () => {
      const next = () => ({ method: "GET", path, token: shown }) as const;
      const load = () => putLoad({ url: asked.url, clients: readers, count, next });
      return withCpu(load, () => asked.cpuMs);
    },
  });
  const contenders = [contender(metric, host, token), contender(against, bare, null)];
  const onRound = (round: number) => progress(`reads, round ${round}`);
  const plan = { warmUpCount: 5, roundCount: quick ? 3 : 7, turnCount: 1, onRound };
  const rounds = await runRounds(contenders, plan);
  await bare.stop();
  return [
    rounds.result(against),
    rounds.resultAgainst(metric, against, { atLeast: 0.5 }),
    ...rounds.cpuAgainst(metric, against),
  ];
}

/** With the processor time that was spent meanwhile, if that can be known. */
async function withCpu(measure: () => Promise<Lap>, spent: () => number | null): Promise<Lap> {
  const before = spent();
  const lap = await measure();
  const after = spent();
  return before === null || after === null ? lap : { ...lap, cpuMs: after - before };
}

async function measurePublishing(
  host: BenchProcess,
  { quick, progress }: BenchContext,
): Promise<readonly Measured[]> {
  const contender = (metric: string, clients: number, count: number) => ({
    metric,
    unit: "events/s",
    figure: "per second" as const,
    measure: () => putLoad({ url: host.url, clients, count, next: publication }),
  });
  const [one, many] = ["published by one client", `published by ${publishers} clients`] as const;
  const contenders = [contender(one, 1, 100), contender(many, publishers, quick ? 1_000 : 2_000)];
  const onRound = (round: number) => progress(`publishing, round ${round}`);
  const plan = { warmUpCount: 1, roundCount: quick ? 3 : 5, turnCount: 1, onRound };
  const rounds = await runRounds(contenders, plan);
  return [rounds.result(one), rounds.resultAgainst(many, one, { atLeast: 3 })];
}

/** On a host that has a workflow and nothing more to do; all follow while events are published. */
async function measureStreams({ folder }: BenchContext): Promise<readonly Measured[]> {
  const host = await BenchProcess.host(join(folder, "streams"));
  await host.deploy();
  const before = host.ownMiB;
  const streams = await Promise.all(Array.from({ length: streamCount }, () => follow(host.url)));
  const value = host.ownMiB;
  await putLoad({ url: host.url, clients: 8, count: 200, next: publication });
  const busy = host.ownMiB;
  for (const stream of streams) stream.destroy();
  await host.stop();
  if (value === null || before === null || busy === null) return [];
  return [
    {
      metric: `memory of a host with ${streamCount} live streams`,
      value,
      unit: "MiB",
      reference: ownMiBMax,
      ratio: value / ownMiBMax,
      must: { atMost: 1 },
    },
    { metric: "of which the streams", value: value - before, unit: "MiB" },
    { metric: "memory after 200 events were published to it", value: busy, unit: "MiB" },
  ];
}

async function follow(url: string): Promise<ClientRequest> {
  const headers = { authorization: `Bearer ${token}` };
  const asked = request(`${url}/api/v1/live`, { headers, agent: false });
  asked.on("error", () => {}).end();
  const [response] = await once(asked, "response");
  response.resume();
  return asked;
}

async function measureHelp({ quick, progress }: BenchContext): Promise<readonly Measured[]> {
  const times = 3;
  const starting = (metric: string, ...words: readonly string[]) => ({
    metric,
    unit: "µs each",
    figure: "µs each" as const,
    measure: () => withCpu(() => startAll(times, words), endedChildrenCpuMs),
  });
  const [help, nothing] = ["holdfast --help", "node -e 0"] as const;
  const contenders = [starting(help, cli, "--help"), starting(nothing, "-e", "0")];
  const onRound = (round: number) => progress(`starts, round ${round}`);
  const plan = { warmUpCount: 1, roundCount: quick ? 3 : 7, turnCount: 1, onRound };
  const rounds = await runRounds(contenders, plan);
  return [
    rounds.result(nothing),
    rounds.resultAgainst(help, nothing, { atMost: 3 }),
    ...rounds.cpuAgainst(help, nothing, { atMost: 3 }),
  ];
}

function startAll(times: number, words: readonly string[]): Promise<Lap> {
  return lap(times, async () => {
    for (let no = 0; no < times; no++) {
      const child = spawn(process.execPath, [...words], { stdio: "ignore" });
      await once(child, "exit");
    }
  });
}

/** Of the second, as Linux counts it for programs. */
const ticksPerSecond = 100;

/** Processor time of the children that have ended. Null = this system does not tell. */
function endedChildrenCpuMs(): number | null {
  try {
    const [, fields = ""] = readFileSync("/proc/self/stat", "utf8").split(") ");
    const [user, system] = fields.split(" ").slice(13, 15).map(Number);
    return (((user ?? 0) + (system ?? 0)) * 1_000) / ticksPerSecond;
  } catch {
    return null;
  }
}
