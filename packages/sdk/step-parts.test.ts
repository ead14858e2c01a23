/** The helpers of machines: plain functions over what a step keeps in its state. */
import { describe, expect, test } from "vitest";
import {
  type Backoff,
  continuation,
  deadline,
  emissions,
  fence,
  type Infer,
  join,
  machine,
  pending,
  type Receipt,
  retry,
  type StreamFrame,
  saga,
  schema,
  workflow,
} from "./index.ts";
import { equalTypes } from "./testing/equal-types.ts";

const answer = (issuer_ref: string | null) => ({ issuer_ref });

describe("emissions", () => {
  test("have handles that are the same on every replay, and no two alike", () => {
    const emitted = () => {
      const out = emissions<"http/get@1" | "sys/timer.set@1">({ height: 42 });
      const handles = [
        out.emit("http/get@1", { url: "/a" }),
        out.emit("http/get@1", { url: "/a" }, { key: "k", deadlineMs: 5 }),
        out.emit("sys/timer.set@1", { deliver_at_ns: 7n }),
      ];
      return { handles, effects: out.effects };
    };
    expect(emitted().handles).toEqual(["42:0", "42:1", "42:2"]);
    expect(emitted()).toEqual(emitted());
    expect(emitted().effects[1]).toEqual({
      effect: "http/get@1",
      params: { url: "/a" },
      issuerRef: "42:1",
      key: "k",
      deadlineMs: 5,
    });
  });
});

describe("pending", () => {
  test("gives each label once: what comes again, or was never waited for, finds nothing", () => {
    const waiting = pending.add(pending.add({}, "1:0", "charge"), "1:1", "reserve");
    const taken = pending.take(waiting, answer("1:0"));
    expect(taken).toEqual({ label: "charge", rest: { "1:1": "reserve" } });
    expect(pending.take(taken?.rest ?? {}, answer("1:0"))).toBeNull();
    expect(pending.take(waiting, answer(null))).toBeNull();
    expect(pending.isEmpty(waiting)).toBe(false);
    expect(pending.isEmpty({})).toBe(true);
  });
});

describe("join", () => {
  test("has its results in the order they were named, whatever order they came in", () => {
    const all = join.start([
      { name: "a", handle: "1:0" },
      { name: "b", handle: "1:1" },
    ]);
    const one = join.take<number>(all, answer("1:1"), 2);
    expect(one && join.results(one)).toBeNull();
    const both = one && join.take(one, answer("1:0"), 1);
    expect(both && join.results(both)).toEqual([1, 2]);
    expect(both && join.take(both, answer("1:0"), 9)).toBeNull();
  });
});

describe("retry, deadline, fence and saga", () => {
  test("retry waits longer each time, up to its limit, and ends", () => {
    const backoff: Backoff = { attemptsMax: 5, firstMs: 10, factor: 3, waitMsMax: 80 };
    const waits = [1, 2, 3, 4, 5].map((attempt) => retry.next(attempt, backoff)?.waitMs ?? null);
    expect(waits).toEqual([10, 30, 80, 80, null]);
    expect(retry.next(1, { attemptsMax: 1, firstMs: 1 })).toBeNull();
    expect(retry.next(2, { attemptsMax: 3, firstMs: 10 })).toEqual({ attempt: 3, waitMs: 10 });
  });

  test("a deadline counts from the event's logical time", () => {
    expect(deadline.after({ logicalNowNs: 5n }, 2)).toBe(2_000_005n);
    expect(deadline.isPast({ logicalNowNs: 5n }, 5n)).toBe(true);
    expect(deadline.isPast({ logicalNowNs: 4n }, 5n)).toBe(false);
  });

  test("a fence lets each id through once, and forgets the oldest", () => {
    const first = fence.pass([], "a", 2) ?? [];
    expect(fence.pass(first, "a", 2)).toBeNull();
    const third = fence.pass(fence.pass(first, "b", 2) ?? [], "c", 2);
    expect(third).toEqual(["b", "c"]);
    expect(fence.pass(third ?? [], "a", 2)).toEqual(["c", "a"]);
  });

  test("a saga is taken back from the end", () => {
    const done = saga.did(saga.did([], "charge", "c-1"), "reserve");
    const last = saga.undo(done);
    expect(last).toEqual({ step: "reserve", note: "", rest: [{ step: "charge", note: "c-1" }] });
    const first = saga.undo(last?.rest ?? []);
    expect(first?.step).toBe("charge");
    expect(saga.undo(first?.rest ?? [])).toBeNull();
  });
});

describe("types of machines", () => {
  const placed = schema.record({ id: schema.text() });
  const topics = { "order.placed": { schema: placed } };
  const event = schema.variant({
    Placed: schema.ref("order.placed", placed),
    Receipt: continuation.receipt,
    Frame: continuation.frame,
  });
  const state = schema.record({ waiting: pending.schema, done: saga.schema });

  test("a ref has the type of what it names, and continuations have theirs", () => {
    type Event = Infer<typeof event>;
    equalTypes<
      Event,
      | { readonly $tag: "Placed"; readonly $value: { readonly id: string } }
      | { readonly $tag: "Receipt"; readonly $value: Receipt }
      | { readonly $tag: "Frame"; readonly $value: StreamFrame }
    >();
    const arms = schema.variant({ open: schema.unit(), paid: schema.nat() });
    type Arms = Infer<typeof arms>;
    equalTypes<
      Arms,
      { readonly $tag: "open" } | { readonly $tag: "paid"; readonly $value: number }
    >();
  });

  test("the moment is there only for a machine that declares its context", () => {
    workflow<typeof topics>({
      name: "orders",
      topics,
      machines: {
        timed: machine({
          state,
          event,
          context: true,
          effects: ["sys/timer.set@1"],
          subscribe: [{ topic: "order.placed" }],
          step(_before, _event, ctx) {
            equalTypes<typeof ctx.logicalNowNs, bigint>();
            const out = emissions<"sys/timer.set@1">(ctx);
            const handle = out.emit("sys/timer.set@1", { deliver_at_ns: ctx.nowNs });
            const waiting = pending.add({}, handle, "timer");
            return { state: { waiting, done: [] }, effects: out.effects };
          },
        }),
        untimed: machine({
          state,
          event,
          effects: ["sys/timer.set@1"],
          subscribe: [{ topic: "order.placed" }],
          step(_before, _event, ctx) {
            // @ts-expect-error Without `context: true` a step knows no time.
            ctx.nowNs;
            // @ts-expect-error Handles are made of the event's place, which needs the context.
            emissions(ctx);
            return { state: null };
          },
        }),
        exact: machine({
          state,
          event,
          effects: ["http/get@1"],
          subscribe: [{ topic: "order.placed" }],
          step: () => ({
            state: null,
            // @ts-expect-error Params are data.
            effects: [{ effect: "http/get@1", params: { at: new Date() } }],
          }),
        }),
      },
    });
  });
});
