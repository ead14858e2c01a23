import type { BenchContext, Measured } from "../../harness/bench.ts";
import { measureCalls } from "./call-cost.ts";
import { countIdleStatements } from "./idle-host.ts";
import type { ManyWorkflows } from "./many-workflows.ts";

const windowMs = 15_000;
const windowMsQuick = 6_000;
const oneYearMs = 365 * 86_400_000;

/** Half of the workflows wait for a time far ahead, the others for a command: nobody has work. */
export async function measureIdle(
  context: BenchContext,
  many: ManyWorkflows,
): Promise<readonly Measured[]> {
  await many.sleepUntil(Date.now() + oneYearMs, 2);
  const counted = await countIdleStatements(many.url, context.quick ? windowMsQuick : windowMs);
  const { seconds, expected, beyond } = counted;
  context.progress(`an idle host watched for ${seconds.toFixed(0)} s`);
  const costs = await measureCalls(context, many.url, {
    [`next due time, ${many.count} idle`]: () => many.store.nextDueAt(),
    [`census, ${many.count} idle`]: () => many.store.census(),
  });
  return [
    {
      metric: `idle host beyond heartbeat and poll, ${many.count} idle`,
      value: beyond / seconds,
      unit: "statements/s",
      reference: expected / seconds,
      ratio: beyond / expected,
      must: { atMost: 0 },
      against: "its heartbeats and polls",
    },
    ...costs,
  ];
}
