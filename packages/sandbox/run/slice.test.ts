import { describe, expect, test } from "vitest";
import { Instance } from "../engine/instance.ts";
import { sandboxLimitDefaults } from "../limits.ts";
import { load, partsOf, prepare, returnedBy } from "../testing/parts.ts";
import type { ScriptImage, SliceEnd, Slices } from "./slice.ts";

type Waiting = Extract<SliceEnd, { kind: "waiting" }>;

const call = { ...prepare, phase: "job" } as const;

function waiting(end: SliceEnd): Waiting {
  if (end.kind !== "waiting") throw new Error(JSON.stringify(end.result));
  return end;
}

const manyItems = `{ jobs: { h: { manual: true, handler: async (ctx) => {
  for (;;) await ctx.withItem("a", "A", async () => {});
} } } }`;

test("a job's image is as large after thousands of items as after ten", async () => {
  const { slices, image } = await partsOf(Instance);
  const script = load({ slices, image }, manyItems);
  let end = waiting(slices.start(script, call));
  const grownTo = (itemCount: number): number => {
    while (end.state.itemCount <= itemCount) {
      const settled = end.state.open.map(({ callId }) => ({ callId, value: '{"isDone":false}' }));
      const { state } = end;
      end = waiting(slices.resume(script.anchors, call, { image: end.image, state, settled }));
    }
    return end.image.heapEnd;
  };
  const early = grownTo(10);
  expect(grownTo(4_000)).toBe(early);
});

const counting = `{ consumers: { h: { prepare: async (ctx) => {
  const seen = [];
  for (let no = 0; no < 3; no++) seen.push(await ctx.shop.getOrder({ no }));
  return seen;
} } } }`;

describe("phases that wait in one thread", () => {
  const answered = (slices: Slices, script: ScriptImage, end: Waiting, value: string) => {
    const settled = end.state.open.map(({ callId }) => ({ callId, value }));
    return slices.resume(script.anchors, prepare, { image: end.image, state: end.state, settled });
  };

  test("go on at once, after others, and in another thread", async () => {
    const { slices, image } = await partsOf(Instance);
    const other = await partsOf(Instance);
    const script = load({ slices, image }, counting);
    const first = waiting(slices.start(script, prepare));
    const atOnce = waiting(answered(slices, script, first, "1"));
    const second = waiting(slices.start(script, prepare));
    const afterOther = waiting(answered(slices, script, atOnce, "2"));
    const elsewhere = answered(other.slices, script, afterOther, "3");
    expect(returnedBy(elsewhere)).toBe("[1,2,3]");
    const third = waiting(answered(slices, script, second, "4"));
    const last = answered(slices, script, waiting(answered(slices, script, third, "5")), "6");
    expect(returnedBy(last)).toBe("[4,5,6]");
  });

  test("find nothing of one that ended meanwhile", async () => {
    const { slices, image } = await partsOf(Instance);
    const script = load({ slices, image }, counting);
    const ending = load({ slices, image }, "{ consumers: { h: { prepare: () => 'over' } } }");
    const begun = waiting(slices.start(script, prepare));
    expect(returnedBy(slices.start(ending, prepare))).toBe('"over"');
    const then = waiting(answered(slices, script, begun, "1"));
    const last = waiting(answered(slices, script, then, "2"));
    expect(returnedBy(answered(slices, script, last, "3"))).toBe("[1,2,3]");
  });
});

test("[M.F-7] what is run again has longer, so that it ends as it did before", async () => {
  let ms = 0;
  // The clock goes on by one with each look at it, and there is one for each unit of computing.
  const limits = { ...sandboxLimitDefaults, fuelMax: 300, runningMsMax: 100 };
  const parts = await partsOf(Instance, limits, () => ms++);
  const script = load(parts, `{ consumers: { h: { prepare() { for (;;) {} } } } }`);
  const endOf = (how?: { isAgain: boolean }) => {
    const end = parts.slices.start(script, prepare, how);
    return end.kind === "ended" && end.result.kind === "failed" ? end.result.failure.code : null;
  };
  expect(endOf()).toBe("SCRIPT_RUNNING_TIME");
  expect(endOf({ isAgain: true })).toBe("SCRIPT_FUEL");
});
