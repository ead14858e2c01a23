import { expect, test } from "vitest";
import { Instance } from "../engine/instance.ts";
import { load, partsOf, prepare } from "../testing/parts.ts";
import type { SliceEnd } from "./slice.ts";

const call = { ...prepare, phase: "job" } as const;

const doneItems = `{ jobs: { h: { manual: true, handler: async (ctx) => {
  for (;;) await ctx.withItem("a", "A", async () => {});
} } } }`;

test("a job's image is as large after thousands of done items as after ten", async () => {
  const { slices, image } = await partsOf(Instance);
  const script = load({ slices, image }, doneItems);
  const next = (end: SliceEnd): Extract<SliceEnd, { kind: "waiting" }> => {
    if (end.kind !== "waiting") throw new Error(JSON.stringify(end.result));
    return end;
  };
  let end = next(slices.start(script, call));
  const grownTo = (itemCount: number): number => {
    while (end.state.itemCount <= itemCount) {
      const settled = end.state.open.map(({ callId }) => ({ callId, value: '{"isDone":true}' }));
      const { state } = end;
      end = next(slices.resume(script.anchors, call, { image: end.image, state, settled }));
    }
    return end.image.heapEnd;
  };
  const early = grownTo(10);
  expect(grownTo(4_000)).toBe(early);
});
