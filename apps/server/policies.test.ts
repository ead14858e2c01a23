import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { policyDefaults } from "@holdfast/core";
import { expect, test } from "vitest";
import { readPolicies } from "./policies.ts";

function fileWith(text: string): string {
  const path = join(mkdtempSync(join(tmpdir(), "holdfast-policy-")), "policy.json");
  writeFileSync(path, text);
  return path;
}

test("[R141] without a file every limit has its default, and says so", () => {
  const policies = readPolicies(null, {});
  expect(policies.of("orders")).toEqual(policyDefaults);
  expect(new Set(policies.explain("orders").map(({ from }) => from))).toEqual(new Set(["default"]));
});

test("the nearest level counts, and each value says where it comes from", () => {
  const path = fileWith(
    JSON.stringify({
      all: { reconcileDelayMs: 1, hostPauseMsMax: 2, transientTriesMax: 3 },
      workflows: { orders: { transientTriesMax: 4 } },
    }),
  );
  const policies = readPolicies(path, { hostPauseMsMax: 5 });
  const from = (workflow: string) =>
    Object.fromEntries(policies.explain(workflow).map((each) => [each.name, each]));
  expect(from("orders")).toMatchObject({
    reconcileDelayMs: { value: 1, from: "all" },
    hostPauseMsMax: { value: 5, from: "environment" },
    transientTriesMax: { value: 4, from: "workflow" },
    jitterShare: { from: "default" },
  });
  expect(from("others")).toMatchObject({ transientTriesMax: { value: 3, from: "all" } });
  expect(policies.ofHost).toMatchObject({ transientTriesMax: 3, hostPauseMsMax: 5 });
  expect(policies.of("constructor")).toMatchObject({ transientTriesMax: 3 });
});

test.each([
  ['{"all":{"reconcileDelay":1}}', "reconcileDelay"],
  ['{"all":{"reconcileDelayMs":-1}}', "all.reconcileDelayMs"],
  ['{"all":{"jitterShare":2}}', "all.jitterShare"],
  ['{"workflows":{"orders":{"transientTriesMax":"5"}}}', "workflows.orders.transientTriesMax"],
  ["[]", "object"],
  ["{", "not JSON"],
])("%s is refused with what is wrong", (text, words) => {
  expect(() => readPolicies(fileWith(text), {})).toThrow(words);
});
