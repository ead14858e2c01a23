import type { Store, WorkflowSummary } from "@holdfast/core";
import { VirtualTime } from "@holdfast/host/testing";
import type { ReadyAnswer } from "@holdfast/protocol";
import { describe, expect, test } from "vitest";
import { Readiness } from "./readiness.ts";

type Listed = ReturnType<Store["listWorkflows"]>;

function open() {
  const time = new VirtualTime();
  const seen = { asked: 0, answer: (): Listed => Promise.resolve([]) };
  const store = {
    listWorkflows: () => {
      seen.asked += 1;
      return seen.answer();
    },
  };
  let work: ReadyAnswer["work"] = "working";
  const readiness = new Readiness({ store, ...time.startProcess(), work: () => work });
  const become = (next: ReadyAnswer["work"]) => {
    work = next;
  };
  return { time, seen, readiness, become };
}

describe("readiness", () => {
  test("is there only with a store that answers and a lease that is held", async () => {
    const { readiness, become } = open();
    expect(await readiness.answer()).toEqual({ ready: true, store: "ok", work: "working" });
    for (const work of ["starting", "stopping", "lost"] as const) {
      become(work);
      expect(await readiness.answer()).toEqual({ ready: false, store: "ok", work });
    }
  });

  test("a store that fails is away, and there again when it answers", async () => {
    const { time, seen, readiness } = open();
    seen.answer = () => Promise.reject(new Error("no connection"));
    expect(await readiness.answer()).toEqual({ ready: false, store: "away", work: "working" });
    seen.answer = () => Promise.resolve([]);
    await time.advance(1_000);
    expect(await readiness.answer()).toMatchObject({ ready: true });
  });

  test("a store that hangs is away after two seconds, and is not asked beside that", async () => {
    const { time, seen, readiness } = open();
    const late = Promise.withResolvers<readonly WorkflowSummary[]>();
    seen.answer = () => late.promise;
    for (let count = 0; count < 3; count += 1) {
      const answer = readiness.answer();
      await time.advance(2_000);
      expect(await answer).toMatchObject({ ready: false, store: "away" });
    }
    late.resolve([]);
    expect(await readiness.answer()).toMatchObject({ ready: true });
    expect(seen.asked).toBe(1);
  });

  test("however many ask, the store is asked once a second", async () => {
    const { time, seen, readiness } = open();
    for (let count = 0; count < 100; count += 1) await readiness.answer();
    expect(seen.asked).toBe(1);
    await time.advance(1_000);
    await Promise.all(Array.from({ length: 100 }, () => readiness.answer()));
    expect(seen.asked).toBe(2);
  });
});
