import { everyCrash, mutation, read, testWorkflow } from "@holdfast/testing";
import { expect, test } from "vitest";

const contracts = [
  { id: "k1", customer: "Ada", email: "ada@x", feeCents: 100, endsOn: "2026-12-01" },
  { id: "k2", customer: "Bob", email: "bob@x", feeCents: 200, endsOn: "2026-12-08" },
];
const options = {
  script: "examples/renewals/renewals.ts",
  connections: {
    contracts: { listEnding: read.list(contracts) },
    invoices: { create: mutation(({ contractId }) => ({ number: `I-${contractId}`, url: "u" })) },
    mail: { send: mutation(() => ({ mailId: "m" })) },
  },
};

test("[L2, L8] examples/renewals bills every contract once, however often it runs", async () => {
  const it = await testWorkflow(options);
  await it.settle();
  await it.runNow();
  await it.settle();
  expect(it.sent.map(({ name }) => name)).toEqual([
    "invoices.create",
    "mail.send",
    "invoices.create",
    "mail.send",
  ]);
  expect(it.runs().map(({ status }) => status)).toEqual(["committed", "committed"]);
});

test("[R134, R135, L7] examples/renewals ends in the same way wherever its host dies", async () => {
  await everyCrash(options, async (it) => {
    await it.runNow();
    await it.settle();
  });
});
