import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { http } from "@holdfast/connectors";
import type { Store } from "@holdfast/core";
import { AccountRests, ConnectedWorld, realTimers, type SentCall } from "@holdfast/host";
import type { BenchContext, Measured } from "../harness/bench.ts";
import { median, spreadOf } from "../harness/percentile.ts";
import { BenchWorkflow, startOfTime } from "../store/bench-workflow.ts";
import { openBenchStore } from "../store/open-bench-store.ts";

const [calls, rounds] = [200, 45] as const;
const [callsQuick, roundsQuick] = [50, 3] as const;
/** A host works for months: what it does in its first seconds is not what is measured. */
const [warmUpRounds, warmUpRoundsQuick] = [20, 4] as const;

/**
 * The same HTTP call, bare and with the ledger around it. What the ledger adds is two durable
 * changes, and little else.
 */
export async function measureCallOverhead(context: BenchContext): Promise<readonly Measured[]> {
  const [count, roundCount] = context.quick ? [callsQuick, roundsQuick] : [calls, rounds];
  const shop = await startShop();
  const store = await openBenchStore(join(context.folder, "calls"));
  const commits = new TimedCommits(store);
  const workflow = await BenchWorkflow.create(store, "orders");
  const world = worldOf(shop.url);
  const [bare, added, durable]: [number[], number[], number[]] = [[], [], []];
  try {
    const warmUp = context.quick ? warmUpRoundsQuick : warmUpRounds;
    for (let round = -warmUp; round < roundCount; round++) {
      const taken = { bare: 0, ledgered: 0 };
      commits.ms = 0;
      for (let call = 0; call < count; call++) {
        // The service has rested equally long before both, taken together: it cools meanwhile.
        if (call % 2 === 0) await workflow.prepareOrder();
        taken.bare += await timed(() => sendBare(world));
        if (call % 2 === 1) await workflow.prepareOrder();
        commits.isCounting = true;
        taken.ledgered += await timed(() => sendLedgered(world, workflow));
        commits.isCounting = false;
      }
      if (round < 0) continue;
      bare.push(taken.bare / count);
      added.push((taken.ledgered - taken.bare) / count);
      durable.push(commits.ms / count);
      context.progress(`calls: round ${round + 1}`);
    }
  } finally {
    await store.close();
    await shop.stop();
  }
  const ratios = added.map((each, round) => each / (durable[round] ?? Number.NaN));
  const against = "its durable commits";
  return [
    { metric: "bare HTTP call", value: median(bare), unit: "ms", spread: spreadOf(bare) },
    { metric: against, value: median(durable), unit: "ms", spread: spreadOf(durable) },
    {
      metric: "what the ledger adds to a call",
      value: median(added),
      unit: "ms",
      spread: spreadOf(added),
      reference: median(durable),
      against,
      ratio: median(ratios),
      must: { atMost: 1.2 },
    },
  ];
}

async function timed(work: () => Promise<void>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

const call = { connection: "shop", operation: "post", params: '{"path":"/orders","body":{"n":1}}' };

function worldOf(baseUrl: string): ConnectedWorld {
  const account = { connector: "http", baseUrl, allowPrivateAddresses: true };
  const connections = new Map([["shop", http.connect("shop", account)]]);
  const rests = new AccountRests();
  const now = () => startOfTime;
  const timers = realTimers;
  return new ConnectedWorld({ connections, rests, now, timers, random: () => 0 });
}

function described(world: ConnectedWorld) {
  const found = world.describe(call);
  if ("class" in found) throw new Error(found.message);
  return found;
}

async function sendBare(world: ConnectedWorld, recorded = described(world)): Promise<void> {
  const { target, payload, timeoutMs } = recorded;
  const { connection, operation } = call;
  const sent: SentCall = { connection, operation, target, payload, timeoutMs, providerKey: "bare" };
  const outcome = await world.send(sent, () => true, new AbortController().signal);
  if (outcome.says !== "applied") throw new Error(JSON.stringify(outcome));
}

async function sendLedgered(world: ConnectedWorld, workflow: BenchWorkflow): Promise<void> {
  const recorded = described(world);
  await workflow.recordAndSend(recorded);
  await sendBare(world, recorded);
  await workflow.settleApplied();
}

/** How long changes take to become durable, while it is asked. */
class TimedCommits {
  ms = 0;
  isCounting = false;

  /** In the store's own place: a proxy around it would take its share of every call. */
  constructor(store: Store) {
    const commit = store.commit.bind(store);
    store.commit = async (changes) => {
      const startedAt = performance.now();
      const answers = await commit(changes);
      if (this.isCounting) this.ms += performance.now() - startedAt;
      return answers;
    };
  }
}

async function startShop(): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const child = fork(new URL("./shop.ts", import.meta.url));
  const [{ url }] = (await once(child, "message")) as [{ url: string }];
  const stop = async () => {
    const exited = once(child, "exit");
    child.disconnect();
    await exited;
  };
  return { url, stop };
}
