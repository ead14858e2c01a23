import {
  decodeCanonical,
  encodeCanonical,
  type Fact,
  genesisHash,
  invariant,
  sealRecords,
} from "@holdfast/core";
import type { BenchContext, Measured } from "../harness/bench.ts";
import { type Contender, lap, runRounds } from "../harness/rounds.ts";
import { orderPayload, startOfTime } from "./bench-workflow.ts";

const recordsPerTurn = 2_000;

/** A record as most of a journal looks: one event with its payload inside. */
const fact: Fact = {
  kind: "event_published",
  topic: "order.received",
  messageId: "order-1",
  payload: { hash: genesisHash, size: 120, inline: orderPayload(1) },
  title: "Order 1",
  createdBy: "r1",
  causedBy: ["in_0123456789abcdef0123456789abcdef"],
  observed: false,
};

export async function measureCanonicalCost({ quick }: BenchContext): Promise<readonly Measured[]> {
  const seal = () => {
    const record = { seq: 1, at: startOfTime, fact };
    return sealRecords("orders", { seq: 0, hash: genesisHash }, [record]);
  };
  const [sealed] = seal();
  invariant(sealed, "one record is sealed");
  const value = decodeCanonical(sealed.bytes);
  const repeat = (metric: string, work: () => unknown): Contender => ({
    metric,
    unit: "µs",
    figure: "µs each",
    measure: () =>
      lap(recordsPerTurn, () => {
        for (let count = 0; count < recordsPerTurn; count += 1) work();
      }),
  });
  const contenders = [
    repeat(`canonical encode, ${sealed.bytes.length} bytes`, () => encodeCanonical(value)),
    repeat(`canonical decode, ${sealed.bytes.length} bytes`, () => decodeCanonical(sealed.bytes)),
    repeat("sealing one record (encode and hash)", seal),
  ];
  const plan = { warmUpCount: 3, roundCount: quick ? 5 : 15, turnCount: 1 };
  const rounds = await runRounds(contenders, plan);
  return contenders.map(({ metric }) => rounds.result(metric));
}
