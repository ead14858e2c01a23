import { invariant } from "@holdfast/core";
import { type TestConnection, withConnection } from "@holdfast/store/testing/postgres";
import type { BenchContext, Measured } from "../../harness/bench.ts";
import { median } from "../../harness/percentile.ts";
import { type Contender, type Lap, lap, runRounds } from "../../harness/rounds.ts";
import { eventsPerBatchMax } from "../bench-workflow.ts";
import { consumeOldest, type Filled, fillTopic, peekAtRest, peekInUse } from "../filled-topic.ts";
import { type BenchServer, openBenchPostgres } from "./bench-server.ts";

const pendingEvents = 1_000;
const churnedEvents = 100_000;
const churnedEventsQuick = 20_000;
/** The churn ends then, however far it has come: the bench is not to take for ever. */
const churnMsMax = 120_000;
const churnMsMaxQuick = 15_000;
/** Few enough that the workflow's own rows are rewritten thousands of times. */
const eventsPerRun = 100;
/** The low-water mark is never far behind, so a peek may cost twice as much and no more. */
const close = { atMost: 2 };
const progressEvery = 5_000;
const turnsAtRest = 5;
/** Fewer: between two peeks there is a run of a consumer and one of a producer. */
const turnsInUse = 1;

/**
 * `peek` while somebody keeps an old snapshot open, as a backup or a forgotten session does: then
 * nothing that was rewritten since can be cleaned up, and every look has to pass by it.
 */
export async function measurePostgresPeeks(
  context: BenchContext,
  server: BenchServer,
): Promise<readonly Measured[]> {
  const [quietUrl, churnedUrl] = [await server.openDatabase(), await server.openDatabase()];
  const quiet = await openTopic(quietUrl);
  const churned = await openTopic(churnedUrl);
  try {
    await quiet.orders.publish(pendingEvents);
    await churned.orders.publish(pendingEvents);
    const underSnapshot = await withConnection(churnedUrl, async (client) => {
      const snapshot = await HeldSnapshot.take(client);
      const churn = await churnTopic(context, churned);
      const peeks = await comparePeeks(context, quiet, churned);
      await snapshot.mustBeOld();
      return [...peeks, ...churn];
    });
    return [...underSnapshot, ...(await measureFilling(context, quiet))];
  } finally {
    await quiet.store.close();
    await churned.store.close();
  }
}

async function openTopic(url: string): Promise<Filled> {
  return fillTopic(await openBenchPostgres(url));
}

/** A transaction that sees the database as it was when it was taken. */
class HeldSnapshot {
  readonly #client: TestConnection;
  readonly #seen: number;

  private constructor(client: TestConnection, seen: number) {
    this.#client = client;
    this.#seen = seen;
  }

  static async take(client: TestConnection): Promise<HeldSnapshot> {
    await client.query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
    return new HeldSnapshot(client, await countRecords(client));
  }

  /** Otherwise it was lost on the way, and nothing was measured under it. */
  async mustBeOld(): Promise<void> {
    const seen = await countRecords(this.#client);
    invariant(seen === this.#seen, "the old snapshot is still open");
  }
}

async function countRecords(client: TestConnection): Promise<number> {
  const { rows } = await client.query<{ n: string }>("SELECT count(*) AS n FROM holdfast.journal");
  return Number(rows[0]?.n);
}

/** Every run takes the oldest and as many are published again: about 1,000 stay pending. */
async function churnTopic(
  { quick, progress }: BenchContext,
  churned: Filled,
): Promise<readonly Measured[]> {
  const eventCount = quick ? churnedEventsQuick : churnedEvents;
  const endsAt = performance.now() + (quick ? churnMsMaxQuick : churnMsMax);
  const msOfRuns: number[] = [];
  while (msOfRuns.length * eventsPerRun < eventCount && performance.now() < endsAt) {
    const { ms } = await lap(eventsPerRun, async () => {
      await consumeOldest(churned, eventsPerRun);
      await churned.orders.publish(eventsPerRun);
    });
    msOfRuns.push(ms);
    const count = msOfRuns.length * eventsPerRun;
    if (count % progressEvery === 0) progress(`${shown(count)} events churned`);
  }
  return churnResults(msOfRuns);
}

function churnResults(msOfRuns: readonly number[]): readonly Measured[] {
  const count = msOfRuns.length * eventsPerRun;
  const tenth = Math.ceil(msOfRuns.length / 10);
  const rate = (runs: readonly number[]) => (eventsPerRun * 1_000) / median(runs);
  const [value, reference] = [rate(msOfRuns.slice(-tenth)), rate(msOfRuns.slice(0, tenth))];
  const metric = "events consumed and published, 100 per run, last tenth";
  const against = "first tenth, soon after the snapshot";
  return [
    { metric: "events churned under the old snapshot", value: count, unit: "events" },
    { metric, value, unit: "events/s", reference, ratio: value / reference, against },
  ];
}

async function comparePeeks(
  { quick, progress }: BenchContext,
  quiet: Filled,
  churned: Filled,
): Promise<Measured[]> {
  const short = "peek of 100, 1,000 pending, quiet";
  const contender = (metric: string, measure: () => Promise<Lap>): Contender => {
    return { metric, unit: "µs", figure: "µs each", measure };
  };
  const compare = async (
    when: string,
    turnCount: number,
    peek: (topic: Filled) => Promise<Lap>,
  ) => {
    const long = `peek of 100, churned under an old snapshot${when}`;
    const plan = { warmUpCount: 1, roundCount: quick ? 5 : 15, turnCount };
    const reference = contender(short, () => peekAtRest(quiet));
    const rounds = await runRounds([reference, contender(long, () => peek(churned))], plan);
    return rounds.resultAgainst(long, short, close);
  };
  const results = [
    await compare("", turnsAtRest, peekAtRest),
    await compare(", while consumed", turnsInUse, peekInUse),
  ];
  progress("peeked under an old snapshot");
  return results;
}

/** Where nobody keeps an old snapshot; as in the bench of SQLite. */
async function measureFilling(
  { quick, progress }: BenchContext,
  quiet: Filled,
): Promise<Measured[]> {
  const contender = (what: string, work: (count: number) => Promise<void>): Contender => ({
    metric: `events ${what}, 1,000 per run`,
    unit: "events/s",
    figure: "per second",
    measure: () => lap(eventsPerBatchMax, () => work(eventsPerBatchMax)),
  });
  const contenders = [
    contender("published", (count) => quiet.orders.publish(count)),
    contender("consumed", (count) => consumeOldest(quiet, count)),
  ];
  const plan = { warmUpCount: 1, roundCount: quick ? 3 : 10, turnCount: 1 };
  const rounds = await runRounds(contenders, plan);
  progress("published and consumed 1,000 at a time");
  return contenders.map(({ metric }) => rounds.result(metric));
}

function shown(count: number): string {
  return count.toLocaleString("en-US");
}
