import { describe, expect, test } from "vitest";
import { bearable, type Waiting } from "./batch.ts";
import { roomFor } from "./due-effects.ts";

const mebibyte = 1_048_576;

/** Outcomes of calls, each of which brought so many bytes. */
function outcomes(count: number): readonly Waiting[] {
  return Array.from({ length: count }, (_, at) => ({
    position: at + 1,
    bodyBytes: 100,
    input: { kind: "outcome", intentId: `i${at}`, mutationId: `m${at}`, said: null },
  })) as unknown as readonly Waiting[];
}

function bringing(size: number) {
  return { load: () => ({ result: { size } }) } as unknown as Parameters<typeof bearable>[1];
}

describe("a frame of machines", () => {
  test("[M.P-2] takes in no more results of calls than one value of the store can hold", () => {
    expect(bearable(outcomes(256), bringing(mebibyte), 0)).toHaveLength(15);
    expect(bearable(outcomes(256), bringing(mebibyte), 10 * mebibyte)).toHaveLength(5);
    expect(bearable(outcomes(256), bringing(1_000), 0)).toHaveLength(256);
  });

  test("[M.P-2] takes in one that is larger than all that by itself", () => {
    expect(bearable(outcomes(3), bringing(20 * mebibyte), 0)).toHaveLength(1);
    expect(bearable(outcomes(3), bringing(10), 20 * mebibyte)).toHaveLength(1);
  });
});

type Open = Parameters<typeof roomFor>[0]["intents"];

/** So many calls that wait, and so many reads that are due. */
function open(calls: number, reads: number): { readonly intents: Open } {
  const common = { params: new Uint8Array(), cancelAsked: false };
  const all = Array.from({ length: calls + reads }, (_, at) => {
    const kind = at < calls ? ("mutation" as const) : ("read" as const);
    return [`i${at}`, { id: `i${at}`, kind, ...common }] as const;
  });
  return { intents: new Map(all) };
}

test.each([
  ["nothing is open", 0, 0, 512],
  ["reads are due", 0, 500, 12],
  ["as many reads are due as are made at once", 0, 512, 0],
  ["calls wait that count against the same limit", 600, 0, 336],
  ["nearly as much is open as may be: outcomes have to get in", 1_000, 0, 64],
])("there is room for what may be asked for where %s", (_, calls, reads, room) => {
  expect(roomFor(open(calls, reads), 0, { has: () => false })).toBe(room);
});
