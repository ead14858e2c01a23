import { withConnection } from "@holdfast/store/testing/postgres";
import type { BenchContext, Measured } from "../../harness/bench.ts";
import { type Contender, lap, runRounds } from "../../harness/rounds.ts";
import { bareMetrics, bareRoundTrips } from "./bare-statements.ts";

/** Quick calls are made often enough to be timed well, slow ones once. */
const turnMsMax = 25;
const callsPerTurnMax = 50;

type Call = () => Promise<unknown>;

/** What calls that change nothing cost, beside a statement that does nothing. */
export function measureCalls(
  { quick }: BenchContext,
  url: string,
  calls: Readonly<Record<string, Call>>,
): Promise<readonly Measured[]> {
  return withConnection(url, async (client) => {
    const contenders: Contender[] = [];
    for (const [metric, call] of Object.entries(calls)) {
      contenders.push(repeated(metric, call, await fittingCount(call)));
    }
    const plan = { warmUpCount: 1, roundCount: quick ? 5 : 15, turnCount: 2 };
    const rounds = await runRounds([...contenders, bareRoundTrips(client)], plan);
    return contenders.map(({ metric }) => rounds.resultAgainst(metric, bareMetrics.roundTrip));
  });
}

async function fittingCount(call: Call): Promise<number> {
  const once = async (): Promise<void> => void (await call());
  await once();
  const { ms } = await lap(1, once);
  return Math.max(1, Math.min(callsPerTurnMax, Math.round(turnMsMax / ms)));
}

function repeated(metric: string, call: Call, callCount: number): Contender {
  const measure = () =>
    lap(callCount, async () => {
      for (let count = 0; count < callCount; count += 1) await call();
    });
  return { metric, unit: "µs", figure: "µs each", measure };
}
