/**
 * Every example of a machine, on the kernel alone: what its state is in the end, and that a second
 * run of its journal, whole and from the middle, ends at the same bytes.
 */
import { contentHash, hashText } from "@holdfast/core/canonical";
import {
  fitCells,
  instancesOf,
  loadToFit,
  receiptLeaf,
  restOf,
  workUnderWay,
} from "@holdfast/core/machine";
import { keyOf, type MachineWorld } from "@holdfast/core/machine/testing";
import { afterEach, describe, expect, test } from "vitest";
import aggregator from "../../examples/machines/aggregator.ts";
import approvalGate from "../../examples/machines/approval-gate.ts";
import blobEcho from "../../examples/machines/blob-echo.ts";
import chainComp from "../../examples/machines/chain-comp.ts";
import choreography from "../../examples/machines/choreography.ts";
import counter from "../../examples/machines/counter.ts";
import counters from "../../examples/machines/counters.ts";
import execProgress from "../../examples/machines/exec-progress.ts";
import fetchNotify from "../../examples/machines/fetch-notify.ts";
import helloTimer from "../../examples/machines/hello-timer.ts";
import retryBackoff from "../../examples/machines/retry-backoff.ts";
import safeUpgrade from "../../examples/machines/safe-upgrade.ts";
import safeUpgrade2 from "../../examples/machines/safe-upgrade-2.ts";
import traceFailures from "../../examples/machines/trace-failures.ts";
import { versionIn, worldOf } from "./machine-fixture.ts";

const ms = 1_000_000n;
const unavailable = { code: "503", message: "unavailable" };
const worlds: MachineWorld[] = [];

function run(exported: unknown): MachineWorld {
  const world = worldOf(exported);
  worlds.push(world);
  return world;
}

describe("examples/machines", () => {
  afterEach(() => {
    for (const world of worlds.splice(0)) expect(world.whyReplayDiffers()).toBeNull();
  });

  test("[M.E-2] [M.I-6] counter: three ticks and it is done, with no effect declared", () => {
    const world = run(counter);
    world.send("counter.start", { target: 3 });
    for (let tick = 0; tick < 2; tick++) world.send("counter.tick", {});
    expect(world.status("counter")).toBe("running");
    world.send("counter.tick", {});
    expect(world.state("counter")).toEqual({ phase: { $tag: "Done" }, remaining: 0 });
    expect(world.status("counter")).toBe("completed");
  });

  test("[M.A-1] [M.A-4] [M.A-5] safe-upgrade: the second version waits for a held receipt", () => {
    const world = run(safeUpgrade);
    world.send("upgrade.start", { path: "/a" });
    const set = versionIn(world, safeUpgrade2);
    const apply = () => {
      world.drive(loadToFit(world.kernel, set));
      const { refit: states } = fitCells(world.kernel, set);
      return world.one({ kind: "manifest", set, applied: { proposal: 1, states } });
    };
    world.kernel = world.restored();
    expect(apply()).toMatchObject({ ok: false, code: "manifest.work_under_way" });
    const held = world.firstOpen();
    expect(workUnderWay(world.kernel)).toMatchObject([{ why: "intent_open", intentId: held.id }]);
    world.settle(held, "ok", { status: 200, json: "{}" });
    expect(world.state("fetch")).toEqual({ phase: "Done", statuses: [200] });
    expect(apply()).toMatchObject({ ok: true });
    expect(world.state("fetch")).toEqual({ phase: "Done", statuses: [200], path: null });
    world.send("upgrade.start", { path: "/b" });
    for (const status of [201, 202]) {
      world.settle(world.firstOpen(), "ok", { status, json: "{}" });
    }
    expect(world.state("fetch")).toEqual({ phase: "Done", statuses: [201, 202], path: "/b" });
  });

  const asks = [
    ["safe-upgrade", safeUpgrade, "upgrade.start", { path: "/a" }, "fetch"],
    ["safe-upgrade-2", safeUpgrade2, "upgrade.start", { path: "/a" }, "fetch"],
    ["fetch-notify", fetchNotify, "fetch.start", { path: "/a" }, "notify"],
    ["exec-progress", execProgress, "exec.start", { command: "make" }, "runner"],
    ["blob-echo", blobEcho, "blob.start", { bytes: Uint8Array.of(1) }, "echo"],
    ["hello-timer", helloTimer, "hello.start", { afterMs: 10 }, "timer"],
    ["approval-gate", approvalGate, "work.start", { workId: "1" }, "work", "1"],
    ["trace-failures", traceFailures, "look.start", { id: "1", path: "/a" }, "look", "1"],
  ] as const;

  test.each(asks)("[M.V-6] %s: no receipt but an ok is taken for an answer", (...given) => {
    const [, script, topic, event, machine, key] = given;
    for (const status of ["error", "timeout", "skipped"] as const) {
      const world = run(script);
      world.send(topic, event);
      const intent = world.firstOpen();
      // The outcome of a change is not found out by waiting.
      if (status === "timeout" && intent.kind === "mutation") continue;
      world.settle(intent, status, status === "skipped" ? null : unavailable);
      expect(world.records("workflow.step_fault")).toEqual([]);
      expect(world.state(machine, key)).toMatchObject({ phase: "Failed" });
      expect(world.open()).toEqual([]);
    }
  });

  test("[M.V-6] approval-gate: what failed stays so, whatever comes after it", () => {
    const world = run(approvalGate);
    world.send("work.start", { workId: "1" });
    world.send("work.approved", { workId: "1" });
    const [check, work] = world.open();
    if (check === undefined || work === undefined) throw new Error("both ask");
    world.settle(check, "error", unavailable);
    world.settle(work, "ok", { status: 200, json: "{}" });
    expect(world.state("work", "1")).toMatchObject({ phase: "Failed", answers: 0 });
    expect(world.status("work", "1")).toBe("completed");
    world.send("work.start", { workId: "2" });
    world.settle(world.firstOpen(), "timeout", unavailable);
    world.send("work.approved", { workId: "2" });
    expect(world.state("work", "2")).toMatchObject({ phase: "Failed", isApproved: false });
    expect(world.open()).toEqual([]);
  });

  test("[M.V-6] aggregator: what is not answered does not hold up the others", () => {
    const world = run(aggregator);
    world.send("aggregate.start", { paths: ["/a", "/b"] });
    const [a, b] = world.open().toSorted((x, y) => x.effectIndex - y.effectIndex);
    if (a === undefined || b === undefined) throw new Error("both ask");
    world.settle(a, "timeout", unavailable);
    world.settle(b, "ok", { status: 200, json: "{}" });
    expect(world.state("aggregator")).toMatchObject({ result: [0, 200] });
  });

  test("retry-backoff: whoever takes the timer back ends it", () => {
    const world = run(retryBackoff);
    world.send("retry.start", { path: "/a" });
    world.settle(world.firstOpen("http/get@1"), "error", unavailable);
    world.settle(world.firstOpen("sys/timer.set@1"), "error", unavailable);
    expect(world.state("caller")).toMatchObject({ phase: "GaveUp", attempt: 2 });
    expect(world.open()).toEqual([]);
  });

  test("[M.E-3] hello-timer: waits for a time, and the time is known while it waits", () => {
    const world = run(helloTimer);
    world.nowNs = 5n * ms;
    world.send("hello.start", { afterMs: 10 });
    expect(restOf(world.kernel)).toEqual({ readyCount: 0, openCount: 1, nextDueNs: 15n * ms });
    expect(world.status("timer")).toBe("waiting");
    world.nowNs = 15n * ms;
    world.settle(world.firstOpen(), "ok", { delivered_at_ns: 15n * ms, key: "hello" });
    expect(world.state("timer")).toEqual({ phase: "Done", firedAtNs: 15n * ms });
    expect(restOf(world.kernel).nextDueNs).toBeNull();
  });

  test("[M.E-10] blob-echo: the hash is in the params, whoever wrote them, and comes back", () => {
    const world = run(blobEcho);
    const bytes = Uint8Array.of(1, 2, 3);
    const ref = hashText(bytes);
    world.send("blob.start", { bytes });
    const put = world.firstOpen("sys/blob.put@1");
    const edge = contentHash({ blob_ref: ref, refs: [] });
    world.settle(put, "ok", { blob_ref: ref, edge_ref: edge, size: 3 });
    world.settle(world.firstOpen("sys/blob.get@1"), "ok", { blob_ref: ref, size: 3, bytes });
    const done = { phase: "Done", storedRef: ref, gotRef: ref, edgeRef: edge };
    expect(world.state("echo")).toEqual(done);
    expect(put.paramsHash).toBe(contentHash({ bytes, blob_ref: ref, refs: [] }));
  });

  test("fetch-notify: one request; its answer is kept and told to a topic", () => {
    const world = run(fetchNotify);
    world.send("fetch.start", { path: "/a" });
    world.settle(world.firstOpen(), "ok", { status: 200, json: '{"a":1}' });
    expect(world.state("notify")).toEqual({ phase: "Done", path: "/a", body: '{"a":1}' });
    expect(world.published.filter(({ kind }) => kind === "event")).toHaveLength(1);
  });

  test("[M.E-7] [M.R-8] aggregator: answers in any order, the result in the order asked", () => {
    const world = run(aggregator);
    world.send("aggregate.start", { paths: ["/a", "/b", "/c"] });
    const [a, b, c] = world.open().toSorted((x, y) => x.effectIndex - y.effectIndex);
    expect(new Set(world.open().map(({ paramsHash }) => paramsHash)).size).toBe(3);
    const answers = [b, c, a].flatMap((intent, at) =>
      intent ? [world.receipt(intent, "ok", { status: 200 + at, json: "{}" })] : [],
    );
    for (const answer of answers) world.one(answer);
    expect(world.state("aggregator")).toMatchObject({
      result: [202, 200, 201],
      requests: { waiting: {} },
    });
    expect(world.status("aggregator")).toBe("completed");
  });

  test("[M.P-8] chain-comp: what cannot be reserved is refunded, once", () => {
    const world = run(chainComp);
    world.send("order.placed", { orderId: "o-1", amountCents: 500 });
    const answer = (body: object) => ({ status: 200, json: JSON.stringify(body) });
    world.settle(world.firstOpen(), "ok", answer({ chargeId: "c-1" }));
    expect(world.state("order", "o-1")).toMatchObject({ phase: "Reserving" });
    world.settle(world.firstOpen(), "error", unavailable);
    expect(world.state("order", "o-1")).toMatchObject({ phase: "Refunding" });
    expect(world.open()).toHaveLength(1);
    world.settle(world.firstOpen(), "ok", answer({ refundId: "r-1" }));
    expect(world.state("order", "o-1")).toMatchObject({ phase: "Refunded", done: [] });
    expect(world.records("effect_intent")).toHaveLength(3);
  });

  test("retry-backoff: 503, 503, 200 with timers at 11 and 21 ms", () => {
    const world = run(retryBackoff);
    world.nowNs = ms;
    world.send("retry.start", { path: "/a" });
    const dues: (bigint | null)[] = [];
    for (const _try of [1, 2]) {
      world.settle(world.firstOpen("http/get@1"), "error", unavailable);
      const due = restOf(world.kernel).nextDueNs ?? 0n;
      dues.push(due);
      world.nowNs = due;
      world.settle(world.firstOpen("sys/timer.set@1"), "ok", { delivered_at_ns: due, key: null });
    }
    world.settle(world.firstOpen("http/get@1"), "ok", { status: 200, json: "{}" });
    expect(dues).toEqual([11n * ms, 21n * ms]);
    expect(world.state("caller")).toMatchObject({ phase: "Done", attempt: 3, timers: 2 });
  });

  test("[M.I-4] [M.P-5] approval-gate: killed with two intents open, both are known again", () => {
    const world = run(approvalGate);
    for (const workId of ["1", "2"]) world.send("work.start", { workId });
    world.send("work.approved", { workId: "2" });
    const ofTwo = world.open().filter(({ cellId }) => cellId === world.cellId("work", "2"));
    expect(ofTwo).toHaveLength(2);
    const [first, second] = ofTwo;
    if (!first || !second) return;
    world.settle(first, "ok", { status: 200, json: "{}" });
    const reopened = world.replay();
    expect(reopened.ok).toBe(true);
    world.kernel = reopened.kernel;
    expect(world.open()).toHaveLength(2);
    world.settle(second, "ok", { status: 200, json: "{}" });
    expect([world.status("work", "1"), world.status("work", "2")]).toEqual([
      "waiting",
      "completed",
    ]);
    world.send("work.approved", { workId: "1" });
    for (const intent of world.open()) world.settle(intent, "ok", { status: 200, json: "{}" });
    expect(world.records("effect_intent")).toHaveLength(4);
    expect(world.records("effect_receipt").filter(({ status }) => status === "ok")).toHaveLength(4);
    expect(world.open()).toEqual([]);
  });

  test("[M.V-7] [M.V-8] exec-progress: frames are counted on the way to one receipt", () => {
    const world = run(execProgress);
    world.send("exec.start", { command: "make" });
    const intent = world.firstOpen();
    world.one(world.frame(intent, 1, "10 %"));
    world.one(world.frame(intent, 2, "90 %"));
    expect(world.status("runner")).toBe("waiting");
    world.settle(intent, "ok", { exit_code: 0 });
    const done = { phase: "Done", progressCount: 2, lastSeq: 2, exitCode: 0 };
    expect(world.state("runner")).toEqual(done);
    const [frame] = world.records("stream_frame");
    expect(frame).toMatchObject({ frame_seq: 1, identity: { effect: "host/exec@1" } });
    expect(world.records("workflow.stream_drop")).toEqual([]);
  });

  test("[M.C-15] choreography: one open intent with one hash, however often it is replayed", () => {
    const world = run(choreography);
    world.send("order.placed", { orderId: "o-1" });
    world.send("order.placed", { orderId: "o-1" });
    expect(world.open()).toHaveLength(1);
    const again = world.replay();
    expect([...again.kernel.intents.keys()]).toEqual([...world.kernel.intents.keys()]);
    world.settle(world.firstOpen(), "ok", { status: 200, json: '{"parcel":"p-1"}' });
    expect(world.state("orders")).toEqual({ seen: ["o-1"], shipped: 1 });
    expect(world.state("parcel", "o-1")).toEqual({ phase: "Sent" });
  });

  test("[M.V-6] [M.F-1] trace-failures: a late answer and a definite no are kept apart", () => {
    const world = run(traceFailures);
    for (const id of ["late", "no"]) world.send("look.start", { id, path: `/${id}` });
    const [late, no] = world.open();
    if (late === undefined || no === undefined) throw new Error("both ask");
    world.settle(late, "timeout", { code: "deadline", message: "" });
    world.settle(no, "error", { code: "logic", message: "it said no" });
    expect(world.state("look", "late")).toEqual({ phase: "Failed", why: "timeout: deadline" });
    expect(world.state("look", "no")).toEqual({ phase: "Failed", why: "error: logic" });
  });

  test("[M.K7.1-1] [M.K7.5-3] counters: one cell and many count the same, in any order", () => {
    const hits = Array.from({ length: 500 }, (_, at) => ({ key: `k${at % 100}`, by: at }));
    // What a cell took in last is part of what it is: so all end with the same.
    const ends = hits.slice(0, 100).map(({ key }) => ({ key, by: 0 }));
    const endOf = (some: typeof hits) => {
      const world = run(counters);
      // Some at a time; in between cells go away and come back.
      for (let at = 0; at < some.length; at += 100) {
        world.give(some.slice(at, at + 100).map((hit) => world.event("hit", hit)));
        world.kernel = world.restored();
      }
      expect(world.state("all")).toEqual({ count: 500, sum: (499 * 500) / 2 });
      expect(world.state("each", "k7")).toEqual({ count: 5, sum: 5 * 7 + 100 * 10 });
      world.give(ends.map((hit) => world.event("hit", hit)));
      expect(world.drive(instancesOf(world.kernel))).toHaveLength(101);
      return Buffer.from(world.snapshot()).toString("hex");
    };
    expect(endOf(hits.toReversed())).toEqual(endOf(hits));
  });

  test("[M.V-12] receipts of one frame share a signature, and each proves itself", () => {
    const world = run(aggregator);
    world.send("aggregate.start", { paths: ["/a", "/b", "/c"] });
    const open = world.open();
    const inputs = open.map((intent) => world.receipt(intent, "ok", { status: 200, json: "{}" }));
    const leaves = inputs.map((input, at) => {
      const executor = open[at]?.executor;
      if (executor === undefined) throw new Error("no executor");
      return receiptLeaf({ ...input, ...executor });
    });
    const signatures = world.keys.sign(keyOf("connector/http@1"), leaves);
    const signed = inputs.flatMap((input, at) => {
      const signature = signatures[at];
      return signature ? [{ ...input, signature }] : [];
    });
    expect(
      new Set(signed.map(({ signature }) => Buffer.from(signature.bytes).toString("hex"))).size,
    ).toBe(1);
    world.give(signed);
    expect(world.status("aggregator")).toBe("completed");
  });
});
