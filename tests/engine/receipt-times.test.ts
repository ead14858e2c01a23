import { listRecords } from "@holdfast/host";
import { Sandbox } from "@holdfast/sandbox";
import { afterAll, beforeAll, expect, test } from "vitest";
import { MachineInTest } from "./machine-in-test.ts";
import { openStores } from "./open-stores.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await Sandbox.open({ threadsMax: 1, limits: { fuelMax: 200 } });
});
afterAll(() => sandbox.close());

const took = 30_000;

test("[M.C-14] [M.V-4] a receipt is stamped when it came, not when it was asked for", async () => {
  const answers: (() => void)[] = [];
  const answer = () => {
    for (const each of answers) each();
    return { number: 7 };
  };
  const it = await MachineInTest.begin(sandbox, openStores.memory, {}, { answer });
  answers.push(() => {
    it.test.now += took;
  });
  const askedAt = it.test.now;
  await it.say("o1", "look");
  const { items } = await listRecords(it.parts, { after: 0, limit: 100 });
  const stamps = items.flatMap(({ record }) => {
    const { kind, stamp } = record as { kind: string; stamp?: { now_ns: bigint | number } };
    return kind === "effect_receipt" ? [Number(BigInt(stamp?.now_ns ?? 0) / 1_000_000n)] : [];
  });
  expect(stamps).toEqual([askedAt + took]);
  // So does the fact that has it.
  expect((await it.test.store.load(it.test.workflow, [])).head.at).toBe(askedAt + took);
  await it.expectSound();
});
