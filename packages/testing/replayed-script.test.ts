import type { HostedScript, PhaseCall, PhaseOutcome } from "@holdfast/core";
import { describe, expect, test } from "vitest";
import { firstDifference } from "./first-difference.ts";
import { everyCrash, testWorkflow } from "./index.ts";
import { replayedScript } from "./replayed-script.ts";
import { namedBy, orderScript, shopWith } from "./testing/order-script.ts";

const connections = shopWith();

describe("always replay", () => {
  test("[R147] runs every phase twice and changes nothing for a script that is sound", async () => {
    const script = { text: orderScript };
    await using it = await testWorkflow({ script, connections, alwaysReplay: true });
    await it.settle();
    expect(it.sent).toHaveLength(2);
    expect(it.reads).toHaveLength(1);
    expect(it.logs()).toEqual(["booking a", "booking b"]);
  });

  test("[R147] holds for mutate and next that use the clock and chance", async () => {
    const stamped = orderScript
      .replace("sum: prepared.data.sum }", "at: Date.now(), chance: Math.random() }")
      .replace("number: result.result.number", "number: Math.random(), at: Date.now()");
    const options = { script: { text: stamped }, connections, alwaysReplay: true };
    await everyCrash(options, async (it) => {
      await it.settle();
      expect(it.sent.length).toBeGreaterThanOrEqual(2);
    });
  });

  test.each([
    ["the clock", "Date.now()"],
    ["chance", "Math.random()"],
  ])("finds a producer that names its events by %s", async (_, name) => {
    const text = namedBy(name);
    const it = await testWorkflow({ script: { text }, connections, alwaysReplay: true });
    await expect(it.settle()).rejects.toThrow(
      "producer of poll, run again later, as after a crash, did something else at publishes[0].",
    );
    await it.close();
  });
});

describe("a script that does something else the second time", () => {
  const call = { phase: "next", handler: "book", given: {} } as unknown as PhaseCall;
  const record = { logs: [], inputs: [], publications: [], kvWrites: [] };

  /** Counts, which no script can: every phase begins anew. */
  function counting(outcomeOf: (count: number) => Partial<PhaseOutcome>): HostedScript {
    let count = 0;
    const run = async (): Promise<PhaseOutcome> => {
      count += 1;
      const result = { kind: "returned", value: "{}" } as const;
      return { result, record, trace: [], activeMs: 0, ...outcomeOf(count) };
    };
    const runConsumer = async () => ({ prepare: await run(), mutate: await run() });
    return { handlers: new Map(), connections: {}, run, runConsumer };
  }

  const options = { perform: async () => ({ kind: "value", value: null }) as const };

  test.each([
    [
      "what it publishes",
      (at: number) => ({ record: { ...record, publications: [published(at)] } }),
      "publishes[0].payload.at",
    ],
    ["its call", (at: number) => ({ result: mutating(at) }), "result.mutation.params.at"],
    ["what it returns", (at: number) => ({ result: returning(at) }), "result.returned.at"],
  ] as const)("[R147] is found by %s, with the path", async (_, outcomeOf, path) => {
    const replayed = replayedScript(counting(outcomeOf)).run(call, options);
    await expect(replayed).rejects.toThrow(
      `run again on the same inputs, did something else at ${path}: 1 the first time, 2 the`,
    );
  });

  test("[R147] is found in mutate when it ran together with prepare", async () => {
    const outcomeOf = (count: number) =>
      count === 2 || count > 3 ? { result: mutating(count) } : {};
    const prepare = { ...call, phase: "prepare" } as const;
    const mutate = { ...call, phase: "mutate" } as const;
    const replayed = replayedScript(counting(outcomeOf)).runConsumer({ prepare, mutate }, options);
    await expect(replayed).rejects.toThrow("mutate of book, run again");
  });

  const published = (at: number) => ({
    topic: "t",
    messageId: "m",
    inputId: null,
    title: null,
    payload: JSON.stringify({ at }),
  });
  const returning = (at: number) => ({ kind: "returned", value: JSON.stringify({ at }) }) as const;
  const mutating = (at: number) =>
    ({
      kind: "mutation",
      call: { connection: "shop", operation: "book", params: JSON.stringify({ at }) },
    }) as const;
});

test.each([
  [{ a: [1, { b: 2 }] }, { a: [1, { b: 2 }] }, null],
  [{ a: [1, { b: 2 }] }, { a: [1, { b: 3 }] }, "a[1].b"],
  [{ a: [1] }, { a: [1, 2] }, "a[1]"],
  [{ a: [] }, { a: {} }, "a"],
  [{ a: null }, { a: {} }, "a"],
  [{}, { a: undefined }, null],
  [0, -0, ""],
])("the first difference of %j and %j is at %j", (first, second, path) => {
  expect(firstDifference(first, second)?.path ?? null).toBe(path);
});
