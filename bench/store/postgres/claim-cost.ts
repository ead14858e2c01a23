import { randomUUID } from "node:crypto";
import { type Claim, invariant } from "@holdfast/core";
import type { BenchContext, Measured } from "../../harness/bench.ts";
import { median, spreadOf } from "../../harness/percentile.ts";
import { lap } from "../../harness/rounds.ts";
import { startOfTime } from "../bench-workflow.ts";
import { measureCalls } from "./call-cost.ts";
import type { ManyWorkflows } from "./many-workflows.ts";

const claimsPerCall = 100;
const callCount = 20;
const callCountQuick = 5;
/** Longer than the bench takes. */
const leaseMs = 3_600_000;

/** How long a host waits for its next workflows when there is far more to do than it takes. */
export async function measureClaims(
  context: BenchContext,
  many: ManyWorkflows,
): Promise<readonly Measured[]> {
  const { store, count } = many;
  const host = `claims-${randomUUID()}`;
  await store.openHost({ incarnation: host, leaseMs });
  await many.sleepUntil(startOfTime);
  const due = await timeClaims(context, many, host);
  await many.appendToAll();
  const asked = await timeClaims(context, many, host);
  while ((await store.claim(host, claimsPerCall)).claims.length > 0);
  context.progress(`all ${count} claimed`);
  const [metric, unit] = [`claim of 100 of ${count}`, "ms"];
  return [
    { metric: `${metric}, all due`, unit, value: median(due), spread: spreadOf(due) },
    {
      metric: `${metric}, all due with a command each`,
      unit,
      value: median(asked),
      spread: spreadOf(asked),
    },
    ...(await measureCalls(context, many.url, {
      [`next due time, ${count} owned`]: () => store.nextDueAt(),
      [`census, ${count} owned`]: () => store.census(),
    })),
  ];
}

async function timeClaims(
  { quick, progress }: BenchContext,
  { store, count }: ManyWorkflows,
  host: string,
): Promise<readonly number[]> {
  const times: number[] = [];
  for (let call = 0; call < (quick ? callCountQuick : callCount); call += 1) {
    let claimed: readonly Claim[] = [];
    const { ms } = await lap(1, async () => {
      claimed = (await store.claim(host, claimsPerCall)).claims;
    });
    invariant(claimed.length === claimsPerCall, "there is enough to claim");
    times.push(ms);
    await Promise.all(claimed.map((claim) => store.release(host, claim)));
  }
  progress(`claimed 100 of ${count}, ${times.length} times`);
  return times;
}
