import type { LogLine } from "@holdfast/core";
import { describe, expect, test } from "vitest";
import { decodeTrace, encodeTrace, type KeptCall, type PhaseNote } from "./trace-text.ts";

const call = (index: number): KeptCall => ({
  name: `shop.read${index}`,
  kind: "read:byId",
  params: JSON.stringify({ index, text: "é".repeat(100) }),
  result: "{}",
  stopped: false,
  afterMs: index,
  durationMs: 1,
});
const line = (index: number): LogLine => ({ at: index, text: `line ${index} ${"x".repeat(200)}` });

function note(phase: string, count: number): PhaseNote {
  const indexes = Array.from({ length: count }, (_, index) => index);
  return {
    phase,
    at: 1,
    durationMs: 5,
    ended: "returned",
    failure: null,
    logs: indexes.map(line),
    logsLeftOut: 0,
    calls: indexes.map(call),
    callsLeftOut: 0,
  };
}

test("[R35] a trace comes back as it was", () => {
  const phases = [note("prepare", 3), note("mutate", 0)];
  expect(decodeTrace(encodeTrace(phases, 1_000_000))).toEqual(phases);
});

test("a trace of a newer program is told from one that can be read", () => {
  expect(decodeTrace('{"v":2,"phases":7}')).toBeNull();
});

test("[R35] broken text and a zero in a line are kept, as text that every store can keep", () => {
  const phases = [{ ...note("prepare", 0), logs: [{ at: 1, text: "a\u0000b\ud800c" }] }];
  const text = encodeTrace(phases, 1_000);
  expect(text.isWellFormed() && !text.includes("\u0000")).toBe(true);
  expect(decodeTrace(text)).toEqual(phases);
});

describe("[R35] a trace that is too long", () => {
  const phases = [note("prepare", 40), note("next", 40)];

  test.each([40_000, 20_000, 5_000, 1_000])("fits %d bytes, and counts what it lacks", (max) => {
    const text = encodeTrace(phases, max);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(max);
    const short = decodeTrace(text) ?? [];
    expect(short.map(({ phase }) => phase)).toEqual(["prepare", "next"]);
    for (const { logs, calls, logsLeftOut, callsLeftOut } of short) {
      expect([logs.length + logsLeftOut, calls.length + callsLeftOut]).toEqual([40, 40]);
    }
    expect(short.some(({ callsLeftOut }) => callsLeftOut > 0)).toBe(true);
  });

  test("keeps what came last: there it ended", () => {
    const [prepare, next] = decodeTrace(encodeTrace(phases, 20_000)) ?? [];
    expect(next?.calls.at(-1)).toEqual(call(39));
    expect(next?.logs.at(-1)).toEqual(line(39));
    expect(prepare?.calls.length).toBeLessThan(next?.calls.length ?? 0);
  });

  test("says how each phase ended when there is room for nothing else", () => {
    const short = decodeTrace(encodeTrace(phases, 10)) ?? [];
    expect(short.map(({ ended, calls }) => [ended, calls])).toEqual([
      ["returned", []],
      ["returned", []],
    ]);
  });
});
