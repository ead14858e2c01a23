import { policyDefaults } from "@holdfast/core";
import { beforeEach, describe, expect, test } from "vitest";
import { VirtualTime } from "../testing/virtual-time.ts";
import { TracePruning } from "./trace-pruning.ts";

const hourMs = 3_600_000;

let time: VirtualTime;
/** Traces that are old enough, and what was asked. */
let old: number;
let asked: { readonly before: number; readonly limit: number }[];
let fails: Error | null;
let troubles: unknown[];
let pruning: TracePruning;

beforeEach(() => {
  time = new VirtualTime();
  old = 0;
  asked = [];
  fails = null;
  troubles = [];
  const process = time.startProcess();
  pruning = new TracePruning({
    store: {
      pruneTraces: async (before, limit) => {
        asked.push({ before, limit });
        if (fails !== null) throw fails;
        const count = Math.min(old, limit);
        old -= count;
        return count;
      },
    },
    clock: { now: () => 1_000_000_000_000 + time.now },
    monotonic: process.clock,
    timers: process.timers,
    policy: { ...policyDefaults, traceKeptMs: 1_000 },
    onTrouble: (cause) => troubles.push(cause),
  });
});

describe("[R35] old traces", () => {
  test("are forgotten when there is work, at most once an hour", async () => {
    for (let minute = 0; minute < 121; minute++) {
      pruning.maybeBegin();
      await time.advance(60_000);
    }
    expect(asked.map(({ before }) => before)).toEqual([
      1_000_000_000_000 - 1_000,
      1_000_000_000_000 - 1_000 + hourMs,
      1_000_000_000_000 - 1_000 + 2 * hourMs,
    ]);
  });

  test("are left while there is none: nothing wakes the host for them", async () => {
    await time.advance(10 * hourMs);
    expect(asked).toEqual([]);
  });

  test("that are many go a few at a time, with pauses, until none is left", async () => {
    old = 2_300;
    pruning.maybeBegin();
    await time.advance(0);
    expect(asked).toHaveLength(1);
    await time.advance(10_000);
    expect([old, asked.length]).toEqual([0, 5]);
    const limits = new Set(asked.map(({ limit }) => limit));
    expect([...limits]).toEqual([500]);
  });

  test("that cannot be forgotten are told of, and tried again an hour later", async () => {
    fails = new Error("no store");
    pruning.maybeBegin();
    await time.advance(hourMs);
    expect(troubles).toEqual([fails]);
    fails = null;
    old = 3;
    pruning.maybeBegin();
    await time.advance(0);
    expect([old, troubles.length]).toEqual([0, 1]);
  });

  test("hold up nobody who wants to stop", async () => {
    old = 10_000;
    pruning.maybeBegin();
    await time.advance(150);
    await pruning.stop();
    const askedBefore = asked.length;
    pruning.maybeBegin();
    await time.advance(hourMs);
    expect([asked.length, old]).toEqual([askedBefore, 9_000]);
  });
});
