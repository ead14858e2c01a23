import { readFileSync } from "node:fs";
import { operationKinds } from "@holdfast/core";
import { describe, expect, test } from "vitest";
import type { ScriptPhase } from "../run/phase.ts";
import {
  answering,
  loadScript,
  messageOf,
  sandboxInTests,
  somePhase,
  verdictOf,
} from "../testing/script.ts";
import {
  contextMembers,
  type Permission,
  type Place,
  type Power,
  permissionOf,
  places,
} from "./table.ts";

const theSandbox = sandboxInTests();

const powers: readonly Power[] = [...operationKinds, ...contextMembers];

/** Written by hand; see its first line. */
function readGolden(): Readonly<Record<string, Readonly<Record<string, string>>>> {
  const text = readFileSync(new URL("./golden.txt", import.meta.url), "utf8");
  const [head = "", ...rows] = text.trim().split("\n").slice(2);
  const columns = head.trim().split(/\s+/);
  return Object.fromEntries(
    rows.map((row) => {
      const [power = "", ...cells] = row.split(/\s+/);
      return [
        power,
        Object.fromEntries(columns.map((place, index) => [place, cells[index] ?? ""])),
      ];
    }),
  );
}

test("[S1] the table says what the contract says, cell by cell", () => {
  const rows = powers.map((power) => [
    power,
    Object.fromEntries(places.map((place) => [place, permissionOf(power, place)])),
  ]);
  expect(Object.fromEntries(rows)).toEqual(readGolden());
});

/** How a script makes use of each power; all of it inside a catch, which must not help. */
const uses: Readonly<Record<Power, string>> = {
  "read:list": "await ctx.shop.listOrders()",
  "read:byId": "await ctx.shop.getOrder({ id: 1 })",
  "read:byKey": "await ctx.shop.findOrder({ key: 1 })",
  mutation: "await ctx.shop.bookOrder({ id: 1 })",
  metered: "await ctx.shop.rateOrder({ id: 1 })",
  publish: 'await ctx.publish("orders", { messageId: "m", n: 1 })',
  peek: 'await ctx.peek("orders", { limit: 1 })',
  getByIds: 'await ctx.getByIds("orders", ["m"])',
  registerInput:
    'await ctx.registerInput({ source: "system", type: "time", id: "1", title: "One" })',
  kv: 'await ctx.kv.get("k")',
  withItem: 'await ctx.withItem("i", "Item", async () => {})',
  trigger: "ctx.trigger",
  log: 'ctx.log("x")',
};

const phaseOf = (place: Place): ScriptPhase => (place === "item" ? "job" : place);

function definitionOf(place: Place, use: string): string {
  const body = `async (ctx) => { try { ${use}; } catch {} finally { marks.push(1); } return 1; }`;
  const marks = "const marks = [];";
  switch (place) {
    case "producer":
      return `(() => { ${marks} return { producers: { h: ${body} } }; })()`;
    case "prepare":
    case "mutate":
    case "next":
      return `(() => { ${marks} return { consumers: { h: { ${place}: ${body} } } }; })()`;
    case "job":
      return `(() => { ${marks} return { jobs: { h: { handler: ${body} } } }; })()`;
    case "item": {
      const inside = `async (outer) => outer.withItem("outer", "Outer", ${body})`;
      return `(() => { ${marks} return { jobs: { h: { handler: ${inside} } } }; })()`;
    }
    case "step": {
      const step = `async (state, event, ctx) => { ${use}; return 1; }`;
      return `(() => { ${marks} return { machines: { h: { step: ${step} } } }; })()`;
    }
  }
}

const expected: Readonly<Record<Permission, string>> = {
  yes: "returned 1",
  "opt-in": "SCRIPT_FORBIDDEN",
  once: "mutation bookOrder",
  no: "SCRIPT_FORBIDDEN",
};

/** What really ends a run in a place, each tried by a script of its own. */
async function forbiddenIn(place: Place): Promise<readonly Power[]> {
  const ended: Power[] = [];
  for (const power of powers) {
    const script = await loadScript(theSandbox(), definitionOf(place, uses[power]));
    const call = { ...somePhase, phase: phaseOf(place), handler: "h", trigger: "1" };
    const outcome = await theSandbox().run(script, call, answering({ isDone: false }));
    if (verdictOf(outcome) === "SCRIPT_FORBIDDEN") ended.push(power);
  }
  return ended;
}

test("[R24] a producer mutates nothing, sees no topics and has no items", async () => {
  expect(await forbiddenIn("producer")).toEqual(["mutation", "peek", "getByIds", "withItem"]);
});

test("[R29] prepare mutates nothing, publishes nothing and registers nothing", async () => {
  const ended = ["mutation", "publish", "registerInput", "kv", "withItem"];
  expect(await forbiddenIn("prepare")).toEqual(ended);
});

test("[R45] next does nothing but publish", async () => {
  const allowed: readonly Power[] = ["publish", "log"];
  expect(await forbiddenIn("next")).toEqual(powers.filter((power) => !allowed.includes(power)));
});

describe.each(places)("in %s", (place) => {
  test.each(powers)("[S1] [R57] %s is there or ends the run, whatever is caught", async (power) => {
    const sandbox = theSandbox();
    const script = await loadScript(sandbox, definitionOf(place, uses[power]));
    const call = { ...somePhase, phase: phaseOf(place), handler: "h", trigger: "1" };
    const outcome = await sandbox.run(script, call, answering({ isDone: false }));
    const permission = permissionOf(power, place);
    // A step has no ctx at all: reaching for it is an error of the script's own.
    const want = place === "step" ? "SCRIPT_THREW" : expected[permission];
    expect(verdictOf(outcome)).toBe(want);
    expect(outcome.used.callsAfterEnd).toBe(0);
    if (want === "SCRIPT_FORBIDDEN") expect(messageOf(outcome)).toMatch(/is not for .+\. .+\.$/);
  });
});

test("[R38] by-id and by-key reads are there in a mutate that declares them", async () => {
  const sandbox = theSandbox();
  for (const power of ["read:byId", "read:byKey", "read:list"] as const) {
    const script = await loadScript(sandbox, definitionOf("mutate", uses[power]));
    const call = { ...somePhase, phase: "mutate", handler: "h", mutateReads: "byId" } as const;
    const outcome = await sandbox.run(script, call, answering(null));
    expect(verdictOf(outcome)).toBe(power === "read:list" ? "SCRIPT_FORBIDDEN" : "returned 1");
  }
});
