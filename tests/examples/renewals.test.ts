import { mutation, read, testWorkflow } from "@holdfast/testing";
import { expect, test } from "vitest";

test("examples/renewals has a job, which a test says it cannot run yet", async () => {
  const connections = {
    contracts: { listEnding: read.list([]) },
    invoices: { create: mutation() },
    mail: { send: mutation() },
  };
  const opened = testWorkflow({ script: "examples/renewals/renewals.ts", connections });
  await expect(opened).rejects.toThrow("renewals.ts has jobs or machines (renew)");
});
