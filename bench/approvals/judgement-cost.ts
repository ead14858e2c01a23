import { compileEnvelope, type Envelope, type Grant, judge, plainGrants } from "@holdfast/core";
import type { BenchContext, Measured } from "../harness/bench.ts";
import { median, spreadOf } from "../harness/percentile.ts";

const [few, many] = [10, 1_000] as const;
const [rounds, roundsQuick] = [15, 5] as const;
const callsPerRound = 20_000;
const call = { operation: "shop.post", params: { path: "/orders", body: { sum: 5 } } };

/** The same three grants of the operation, among others of other operations. */
function envelopeOf(count: number): Envelope {
  const [plain] = plainGrants("allow", ["shop.post"]) as [Grant];
  const where = [{ at: "/body/sum", max: 100 }];
  const others = Array.from({ length: count - 3 }, (_, index) => `shop${index}.post`);
  const own: Grant[] = [
    { ...plain, say: "deny", where: [{ at: "/path", pattern: "/admin/.*" }] },
    { ...plain, where },
    { ...plain, say: "ask" },
  ];
  return compileEnvelope(1, [...plainGrants("allow", others), ...own]);
}

export function measureJudgement({ quick }: BenchContext): readonly Measured[] {
  const [small, large] = [envelopeOf(few), envelopeOf(many)];
  const [beside, among]: [number[], number[]] = [[], []];
  timed(small);
  timed(large);
  for (let round = 0; round < (quick ? roundsQuick : rounds); round++) {
    beside.push(timed(small));
    among.push(timed(large));
  }
  const metric = `a judgement by ${few} grants`;
  return [
    { metric, value: median(beside), unit: "µs", spread: spreadOf(beside) },
    {
      metric: `a judgement by ${many} grants`,
      value: median(among),
      unit: "µs",
      spread: spreadOf(among),
      reference: median(beside),
      against: metric,
      ratio: median(among.map((each, round) => each / (beside[round] ?? Number.NaN))),
      must: { atMost: 2 },
    },
  ];
}

/** Microseconds for one. */
function timed(envelope: Envelope): number {
  const startedAt = performance.now();
  for (let count = 0; count < callsPerRound; count++) {
    if (judge(envelope, call, { calls: {}, times: {} }, 0).says !== "allow")
      throw new Error("it is allowed");
  }
  return ((performance.now() - startedAt) * 1_000) / callsPerRound;
}
