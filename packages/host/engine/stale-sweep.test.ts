import { policyDefaults, type Store } from "@holdfast/core";
import { beforeEach, describe, expect, test } from "vitest";
import { VirtualTime } from "../testing/virtual-time.ts";
import { StaleSweep } from "./stale-sweep.ts";

const hourMs = 3_600_000;
const soonMs = 300_000;

let time: VirtualTime;
/** Which workflows were looked at, and when. */
let looked: { readonly workflow: string; readonly at: number }[];
let names: readonly string[];
let fails: ReadonlyMap<string, Error>;
let troubles: unknown[];
let isLost: boolean;
/** While this one is looked at. */
let stopsAt: string | null;
let sweep: StaleSweep;

/** Nothing has come in for any of them. */
function emptyStore(): Store {
  const store: Partial<Store> = {
    listAttentions: async () => [],
    listWorkflows: async (after, limit) => {
      const from = after === null ? 0 : names.indexOf(after) + 1;
      return names.slice(from, from + limit).map((workflow) => ({ workflow }) as never);
    },
    listRows: async ({ workflow }) => {
      looked.push({ workflow, at: time.now });
      if (workflow === stopsAt) void sweep.stop();
      const error = fails.get(workflow);
      if (error !== undefined) throw error;
      return [];
    },
  };
  return store as Store;
}

beforeEach(() => {
  time = new VirtualTime();
  looked = [];
  names = ["w1"];
  fails = new Map();
  troubles = [];
  isLost = false;
  stopsAt = null;
  begin(policyDefaults.staleInputMs);
});

function begin(staleInputMs: number): void {
  const policy = { ...policyDefaults, staleInputMs };
  sweep = new StaleSweep({
    store: emptyStore(),
    incarnation: "h-1",
    clock: { now: () => 1_000_000_000_000 + time.now },
    timers: time.startProcess().timers,
    policy,
    policyOf: () => policy,
    mayAct: () => !isLost,
    onTrouble: (cause) => troubles.push(cause),
  });
  sweep.begin();
}

describe("[R23] stale inputs", () => {
  test("are looked for soon after the start, and then once an hour", async () => {
    await time.advance(soonMs + 2 * hourMs);
    expect(looked.map(({ at }) => at)).toEqual([soonMs, soonMs + hourMs, soonMs + 2 * hourMs]);
  });

  test("are looked for sooner where they are stale sooner, once a second at most", async () => {
    await sweep.stop();
    begin(soonMs / 2);
    await time.advance(soonMs + hourMs);
    expect(looked.slice(0, 2).map(({ at }) => at)).toEqual([soonMs / 2, soonMs]);
    expect(looked).toHaveLength(26);
    await sweep.stop();
    looked = [];
    begin(1);
    await time.advance(10_000);
    expect(looked).toHaveLength(10);
  });

  test("of many workflows are looked for a few at a time, with pauses", async () => {
    names = Array.from({ length: 50 }, (_, index) => `w${String(index).padStart(2, "0")}`);
    await time.advance(soonMs);
    expect(looked).toHaveLength(20);
    await time.advance(1_000);
    expect(looked.map(({ workflow }) => workflow)).toEqual(names);
    expect(new Set(looked.map(({ at }) => at)).size).toBe(3);
  });

  test("that cannot be read do not hide those of other workflows, and are told of", async () => {
    names = ["w1", "w2", "w3"];
    fails = new Map([
      ["w1", new Error("damaged")],
      ["w2", new Error("damaged too")],
    ]);
    await time.advance(soonMs);
    expect(looked.map(({ workflow }) => workflow)).toEqual(names);
    expect(troubles).toEqual([fails.get("w1")]);
    fails = new Map();
    await time.advance(hourMs);
    expect([looked.length, troubles.length]).toEqual([6, 1]);
  });

  test("hold up nobody who wants to stop", async () => {
    names = Array.from({ length: 50 }, (_, index) => `w${String(index).padStart(2, "0")}`);
    await time.advance(soonMs + 50);
    await sweep.stop();
    await time.advance(2 * hourMs);
    expect(looked).toHaveLength(20);
  });

  test("are left alone from the moment on in which somebody wants to stop", async () => {
    names = ["w1", "w2", "w3", "w4"];
    stopsAt = "w2";
    await time.advance(soonMs);
    expect(looked.map(({ workflow }) => workflow)).toEqual(["w1", "w2"]);
  });

  test("are not looked for by a host that is lost", async () => {
    isLost = true;
    await time.advance(2 * hourMs);
    expect(looked).toEqual([]);
  });
});
