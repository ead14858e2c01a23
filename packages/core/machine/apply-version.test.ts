import { describe, expect, test } from "vitest";
import { encodeCanonical, type Schema } from "../canonical/index.ts";
import { instancesOf } from "./instances.ts";
import type { MachineSet } from "./machine-set.ts";
import { cellsToMigrate, judgeMigrated, migrationCall } from "./migration.ts";
import { fitCells, machinesOver, workUnderWay } from "./obstacles.ts";
import type { RefitState } from "./refit-state.ts";
import { applyInTest } from "./testing/apply-in-test.ts";
import { MachineWorld, setOf } from "./testing/machine-world.ts";
import { orderStep } from "./testing/order-step.ts";
import { nat, option, orderSet, record, text } from "./testing/sample-set.ts";

const log: Schema = { type: "list", item: text };
/** A field more, which may be left out. */
const wider = record({ log, note: option(text) });
/** A field more, which may not. */
const stricter = record({ log, count: nat });

function world(): MachineWorld {
  return new MachineWorld({ declaration: orderSet(), steps: { order: orderStep as never } });
}

function next(it: MachineWorld, state: Schema): MachineSet {
  const set = setOf({ ...orderSet({ state }), moduleVersion: "script-2" });
  it.addSet(set);
  return set;
}

function say(it: MachineWorld, id: string, word: string): void {
  it.send("order.placed", { id, say: word });
}

function apply(it: MachineWorld, set: MachineSet): string {
  const { refit: states } = fitCells(it.kernel, set);
  const answer = it.one({ kind: "manifest", set, applied: { proposal: 1, states } });
  return answer.ok ? answer.outcome : answer.code;
}

describe("a version that changes a machine", () => {
  test("[M.A-3] [M.A-5] is taken at one place; cells keep their states, in its form", () => {
    const it = world();
    for (const word of ["hello", "done"]) say(it, word, word);
    say(it, "a", "book");
    it.settle(it.firstOpen(), "ok", { ref: "r" });
    const settled = [...it.kernel.settled.keys()];
    expect(apply(it, next(it, wider))).toBe("taken");
    expect(it.state("order", "done")).toEqual({ log: ["done"], note: null });
    expect(it.status("order", "done")).toBe("completed");
    expect([...it.kernel.settled.keys()]).toEqual(settled);
    const [, record_] = it.records("manifest");
    expect(record_).toMatchObject({ proposal: 1, outside: true, module_version: "script-2" });
    say(it, "hello", "again");
    expect(it.whyReplayDiffers()).toBeNull();
  });

  test("[M.A-3] cells that are done or idle do not stand in its way, one that waits does", () => {
    const it = world();
    for (const word of ["hello", "done"]) say(it, word, word);
    say(it, "a", "book");
    const set = next(it, wider);
    const statuses = () => ["hello", "done", "a"].map((id) => it.status("order", id));
    expect(statuses()).toEqual(["running", "completed", "waiting"]);
    expect(workUnderWay(it.kernel).map(({ cell }) => cell)).toEqual([it.cellId("order", "a")]);
    expect(apply(it, set)).toBe("manifest.work_under_way");
    it.settle(it.firstOpen(), "ok", { ref: "r" });
    expect(statuses()).toEqual(["running", "completed", "running"]);
    expect(apply(it, set)).toBe("taken");
    expect(it.whyReplayDiffers()).toBeNull();
  });

  test("[M.A-5] instances and what is settled outlive it, after a restart too", () => {
    const it = world();
    say(it, "a", "book");
    const receipt = it.receipt(it.firstOpen(), "ok", { ref: "r" });
    it.one(receipt);
    for (const word of ["throw", "done"]) say(it, word, word);
    it.kernel = it.restored();
    const instances = () => it.drive(instancesOf(it.kernel)).map(({ stateBytes, ...rest }) => rest);
    const before = instances();
    expect(before.map(({ status }) => status).sort()).toEqual(["completed", "failed", "running"]);
    expect(applyInTest(it, next(it, wider))).toMatchObject({ ok: true });
    expect(instances()).toEqual(before);
    expect(it.one(receipt)).toMatchObject({ outcome: "ignored" });
    expect(it.state("order", "a")).toEqual({ log: ["book", "receipt ok of book"], note: null });
    expect(it.whyReplayDiffers()).toBeNull();
  });

  test("[M.A-1] [M.A-4] waits for every intent, and is taken after the last", () => {
    const it = world();
    say(it, "a", "twice");
    say(it, "b", "hello");
    const set = next(it, wider);
    const before = it.journal.length;
    expect(apply(it, set)).toBe("manifest.work_under_way");
    expect(it.journal).toHaveLength(before);
    const open = workUnderWay(it.kernel);
    expect(open.map(({ why, effect }) => [why, effect])).toEqual([
      ["intent_open", "http/book@1"],
      ["intent_open", "http/book@1"],
    ]);
    expect(open.map(({ intentId }) => intentId)).toEqual([...it.kernel.intents.keys()].sort());
    it.settle(it.firstOpen(), "ok", { ref: "r" });
    expect(apply(it, set)).toBe("manifest.work_under_way");
    it.settle(it.firstOpen(), "error", { code: "no", message: "" });
    expect(apply(it, set)).toBe("taken");
    say(it, "a", "hello");
    expect(it.whyReplayDiffers()).toBeNull();
  });

  test("[M.A-1] a cell that has its turn to come stands in the way, a failed one does not", () => {
    const it = world();
    say(it, "a", "throw");
    say(it, "a", "kept");
    const set = next(it, wider);
    it.give([it.event("order.placed", { id: "b", say: "hello" })], 0);
    expect(workUnderWay(it.kernel)).toMatchObject([{ why: "event_waiting", waiting: 1 }]);
    const { refit: states } = fitCells(it.kernel, set);
    const [early] = it.give(
      [{ kind: "manifest", set, applied: { proposal: 1, states } }],
      0,
    ).answers;
    expect(early).toMatchObject({ ok: false, code: "manifest.work_under_way" });
    it.give([]);
    expect(apply(it, set)).toBe("taken");
    const [machine] = it.kernel.set.machines.keys();
    const key = encodeCanonical("a");
    const restart = { kind: "restart", machine: machine ?? "", key, actor: "ada" } as const;
    expect(it.one({ ...restart, poison: "drop" })).toMatchObject({ ok: true });
    expect(it.state("order", "a")).toEqual({ log: ["kept"], note: null });
    expect(it.whyReplayDiffers()).toBeNull();
  });

  test("states that do not fit it are named, and one that is given has to fit", () => {
    const it = world();
    say(it, "a", "hello");
    const set = next(it, stricter);
    expect(fitCells(it.kernel, set).unfit).toMatchObject([{ why: "state_unfit" }]);
    expect(apply(it, set)).toBe("manifest.cells_unfit");
    const cell = it.kernel.cells.get(it.cellId("order", "a"));
    const given = (state: Uint8Array) => {
      const states = [{ machine: cell?.machine ?? "", key: cell?.key ?? null, state }];
      return it.one({ kind: "manifest", set, applied: { proposal: 1, states } });
    };
    expect(given(encodeCanonical({ log: [] }))).toMatchObject({ code: "manifest.cells_unfit" });
    expect(given(encodeCanonical({ count: 1, log: ["hello"] }))).toMatchObject({ ok: true });
    expect(it.state("order", "a")).toEqual({ log: ["hello"], count: 1 });
    expect(it.whyReplayDiffers()).toBeNull();
  });

  test("what a failed cell failed on has to fit it, and its machine has to be there", () => {
    const it = world();
    say(it, "a", "throw");
    const gone = setOf({ ...orderSet(), machines: [] });
    expect(fitCells(it.kernel, gone).unfit).toMatchObject([{ why: "machine_gone" }]);
    const [topic, ...rest] = orderSet().topics ?? [];
    const schema = record({ id: text, say: text, who: text });
    const changed = setOf({
      ...orderSet(),
      topics: [{ name: topic?.name ?? "", schema }, ...rest],
    });
    expect(fitCells(it.kernel, changed).unfit).toMatchObject([{ why: "event_unfit" }]);
  });

  test("[M.A-5] a cell that failed without a state is looked at where no other is left", () => {
    const it = world();
    say(it, "a", "throw");
    say(it, "b", "hello");
    it.kernel = it.restored();
    say(it, "b", "end");
    it.snapshot();
    expect(it.kernel.cells.get(it.cellId("order", "a"))?.isAway).toBe(true);
    const set = next(it, wider);
    expect(applyInTest(it, set)).toMatchObject({ ok: true });
    expect(it.whyReplayDiffers()).toBeNull();
  });

  test("[M.A-5] where it has a function for states, each of them has to be given", () => {
    const it = world();
    for (const id of ["a", "b"]) say(it, id, "hello");
    const set = setOf({ ...orderSet({ state: wider, migrates: true }), moduleVersion: "script-2" });
    it.addSet(set);
    const cells = cellsToMigrate(it.kernel, set);
    expect(cells.map(({ id }) => id)).toEqual([it.cellId("order", "a"), it.cellId("order", "b")]);
    const [first] = cells;
    if (first === undefined) return;
    expect(migrationCall(it.kernel, first)).toMatchObject({
      state: { log: ["hello"] },
      from: { key: "a", manifestHash: it.kernel.set.manifestHash },
    });
    const states = cells.flatMap((cell) => {
      const state = encodeCanonical({ log: [], note: "migrated" });
      const output = { state, events: [], effects: [], done: false, annotations: null };
      const judged = judgeMigrated({ set, limits: it.kernel.limits }, cell, {
        kind: "output",
        output,
      });
      return "state" in judged ? [judged.state] : [];
    });
    const taken = (some: readonly RefitState[]) => {
      const applied = { proposal: 1, states: some, isApart: true };
      return it.one({ kind: "manifest", set, applied });
    };
    expect(taken(states.slice(1))).toMatchObject({
      code: "manifest.cells_unfit",
      note: `state_unmigrated ${first.id}`,
    });
    expect(it.state("order", "b")).toEqual({ log: ["hello"] });
    expect(taken(states)).toMatchObject({ ok: true });
    expect(it.state("order", "a")).toEqual({ log: [], note: "migrated" });
    expect(it.whyReplayDiffers()).toBeNull();
  });

  test("[M.C-16] states beside the record are what they were, or replay stops there", () => {
    const it = world();
    say(it, "a", "hello");
    const set = next(it, wider);
    const { refit: states } = fitCells(it.kernel, set);
    const applied = { proposal: 1, states, isApart: true };
    expect(it.one({ kind: "manifest", set, applied })).toMatchObject({ ok: true });
    const [, record_] = it.records("manifest");
    expect(record_).not.toHaveProperty("states");
    expect(it.whyReplayDiffers()).toBeNull();
    const [[hash, bytes] = ["", new Uint8Array()]] = it.kept;
    it.kept.set(hash, bytes.toReversed());
    expect(it.whyReplayDiffers()).toMatch(/missing_cas_dependency/);
    it.kept.delete(hash);
    expect(it.whyReplayDiffers()).toMatch(/missing_cas_dependency/);
  });

  test("cells that would be too many are counted without looking at any", () => {
    const it = world();
    for (const id of ["a", "b", "c"]) say(it, id, "hello");
    it.kernel = it.restored();
    say(it, "d", "hello");
    expect(machinesOver(it.kernel, next(it, wider), 4)).toEqual([]);
    const [machine] = it.kernel.set.machines.keys();
    const found = machinesOver(it.kernel, next(it, wider), 3);
    expect(found).toMatchObject([
      { why: "cells_too_many", machine, note: expect.stringMatching(/up to 4/) },
    ]);
    expect(machinesOver(it.kernel, it.kernel.set, 0)).toEqual([]);
  });

  test("[M.A-1] a cell that failed before it had a state is looked at after a restart too", () => {
    const it = world();
    say(it, "a", "throw");
    say(it, "b", "hello");
    it.kernel = it.restored();
    expect(applyInTest(it, next(it, wider))).toMatchObject({ ok: true });
    expect(it.status("order", "a")).toBe("failed");
    expect(it.whyReplayDiffers()).toBeNull();
  });
});
