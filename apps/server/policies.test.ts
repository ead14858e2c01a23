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

test("[R144] system, workflow, connection, operation: the nearest counts, and is named", () => {
  const path = fileWith(
    JSON.stringify({
      all: { transientTriesMax: 1, reconcileTriesMax: 1, jitterShare: 0, rateLimitMsMin: 1 },
      connections: {
        shop: {
          reconcileTriesMax: 3,
          jitterShare: 0.3,
          operations: { post: { jitterShare: 0.4 } },
        },
      },
      workflows: {
        orders: {
          transientTriesMax: 2,
          connections: { shop: { reconcileTriesMax: 5, operations: { post: {} } } },
        },
      },
    }),
  );
  const policies = readPolicies(path, {});
  const from = (workflow: string, operation: string | null) =>
    Object.fromEntries(
      policies
        .explain(workflow, { connection: "shop", operation })
        .map(({ name, value, from: said }) => [name, `${value} ${said}`]),
    );
  expect(from("orders", "post")).toMatchObject({
    transientTriesMax: "2 workflow",
    reconcileTriesMax: "5 connection",
    jitterShare: "0.4 operation",
    rateLimitMsMin: "1 all",
    reconcileTotalMsMax: "86400000 default",
  });
  expect(from("orders", null)).toMatchObject({ jitterShare: "0.3 connection" });
  expect(from("others", "put")).toMatchObject({
    reconcileTriesMax: "3 connection",
    transientTriesMax: "1 all",
  });
  expect(from("orders", "post")).not.toHaveProperty("stateBytesMax");
  const post = { connection: "shop", operation: "post" };
  expect(policies.of("orders", post)).toMatchObject({ reconcileTriesMax: 5, jitterShare: 0.4 });
  expect(policies.of("orders")).toMatchObject({ reconcileTriesMax: 1, jitterShare: 0 });
  expect(policies.of("orders", { connection: "toString", operation: "constructor" })).toEqual(
    policies.of("orders"),
  );
});

test.each([
  ['{"connections":{"shop":{"stateBytesMax":1}}}', "stateBytesMax"],
  ['{"connections":{"shop":{"operations":{"post":{"jitterShare":2}}}}}', "operations.post"],
  ['{"all":{"reconcileDelay":1}}', "reconcileDelay"],
  ['{"all":{"reconcileDelayMs":-1}}', "all.reconcileDelayMs"],
  ['{"all":{"jitterShare":2}}', "all.jitterShare"],
  ['{"workflows":{"orders":{"transientTriesMax":"5"}}}', "workflows.orders.transientTriesMax"],
  ["[]", "object"],
  ["{", "not JSON"],
])("%s is refused with what is wrong", (text, words) => {
  expect(() => readPolicies(fileWith(text), {})).toThrow(words);
});
