import { type Instant, insertRow, type RunTrace } from "@holdfast/core";
import { expect } from "vitest";
import { Owner, only } from "./change-builder.ts";
import { topicRow } from "./row-builder.ts";
import { type StoreCase, startOfTime } from "./store-case.ts";

/** Refused after everything else was found right. */
const insertedTwice = [
  insertRow("topics", topicRow("orders")),
  insertRow("topics", topicRow("orders")),
];

function traceOf(runId: string, at: Instant = startOfTime): RunTrace {
  return { runId, at, text: `what ${runId} did` };
}

const all = 1_000;

export const traceCases: readonly StoreCase[] = [
  {
    name: "keeps the trace of a change at the position of its last fact, as it was given [R35]",
    run: async ({ store }) => {
      const owner = await Owner.create(store);
      const text = '{"said":"\u0022é\u2028 😀 \\u0000 \\ud800"}';
      await owner.persistChange({ trace: { runId: "r1", at: 7, text } });
      await owner.persistChange({ trace: { ...traceOf("r2"), text: "" } });
      expect(await store.readTraces("orders", 0, all)).toEqual([
        { seq: 1, runId: "r1", at: 7, text },
        { seq: 2, runId: "r2", at: startOfTime, text: "" },
      ]);
    },
  },
  {
    name: "reads the traces of one workflow after a position, in order, up to the limit",
    run: async ({ store }) => {
      const owner = await Owner.create(store);
      const other = await Owner.create(store, "other");
      await other.persistChange({ trace: traceOf("r1") });
      for (const runId of ["r1", "r2", "r3"]) await owner.persistChange({ trace: traceOf(runId) });
      await owner.persist();
      await owner.persistChange({ trace: traceOf("r4") });
      const read = async (after: number, limit: number) =>
        (await store.readTraces("orders", after, limit)).map(({ seq }) => seq);
      expect(await read(0, all)).toEqual([1, 2, 3, 5]);
      expect(await read(1, 2)).toEqual([2, 3]);
      expect(await read(3, all)).toEqual([5]);
      expect(await read(5, all)).toEqual([]);
    },
  },
  {
    name: "keeps no trace of a change that did not land [R113]",
    run: async ({ store }) => {
      const owner = await Owner.create(store);
      const stale = owner.head;
      await owner.persist();
      const trace = traceOf("r1");
      expect((await owner.commit({ trace, onHead: stale })).kind).toBe("conflict");
      expect((await owner.commit({ trace, epoch: 99 })).kind).toBe("lease_lost");
      expect((await owner.commit({ trace, rows: insertedTwice })).kind).toBe("refused");
      expect(await store.readTraces("orders", 0, all)).toEqual([]);
    },
  },
  {
    name: "keeps the traces of all changes of a group, and none of one that is refused in it",
    run: async ({ store }) => {
      const names = ["a", "b", "c"];
      const owners = await Promise.all(names.map((name) => Owner.create(store, name)));
      const changes = owners.map((owner) =>
        owner.change({
          trace: traceOf(owner.workflow),
          rows: owner.workflow === "b" ? insertedTwice : [],
        }),
      );
      const answers = await store.commit(changes);
      expect(answers.map(({ kind }) => kind)).toEqual(["committed", "refused", "committed"]);
      const kept = await Promise.all(names.map((name) => store.readTraces(name, 0, all)));
      expect(kept.map((traces) => traces.length)).toEqual([1, 0, 1]);
    },
  },
  {
    name: "forgets with a change the workflow's traces up to a position, and no others",
    run: async ({ store }) => {
      const owner = await Owner.create(store);
      const other = await Owner.create(store, "other");
      await other.persistChange({ trace: traceOf("r1") });
      for (const runId of ["r1", "r2", "r3"]) await owner.persistChange({ trace: traceOf(runId) });
      const stale = owner.change({ forgetTracesThrough: 3, epoch: 9 });
      expect(only(await store.commit([stale])).kind).toBe("lease_lost");
      await owner.persistChange({ trace: traceOf("r4"), forgetTracesThrough: 2 });
      const left = await store.readTraces("orders", 0, all);
      expect(left.map(({ runId }) => runId)).toEqual(["r3", "r4"]);
      expect(await store.readTraces("other", 0, all)).toHaveLength(1);
    },
  },
  {
    name: "prunes what is older than a time, the oldest first, up to the limit, and says how many",
    run: async ({ store }) => {
      const owner = await Owner.create(store);
      const other = await Owner.create(store, "other");
      for (const at of [30, 10, 50]) await owner.persistChange({ trace: traceOf("r1", at) });
      for (const at of [20, 40]) await other.persistChange({ trace: traceOf("r1", at) });
      const left = async () => {
        const traces = await Promise.all(
          ["orders", "other"].map((name) => store.readTraces(name, 0, all)),
        );
        return traces.flat().map(({ at }) => at);
      };
      expect(await store.pruneTraces(10, all)).toBe(0);
      expect(await store.pruneTraces(40, 2)).toBe(2);
      expect(await left()).toEqual([30, 50, 40]);
      expect(await store.pruneTraces(40, 2)).toBe(1);
      expect(await store.pruneTraces(40, 2)).toBe(0);
      expect(await left()).toEqual([50, 40]);
    },
  },
  {
    name: "changes nothing else when it prunes",
    run: async ({ store }) => {
      const owner = await Owner.create(store);
      await owner.persistChange({ trace: traceOf("r1", 1), dueAt: 5 });
      const { cursor } = await store.readChanges(null);
      const before = await store.listWorkflows(null, all);
      expect(await store.pruneTraces(2, all)).toBe(1);
      expect(await store.listWorkflows(null, all)).toEqual(before);
      expect((await store.readChanges(cursor)).changed).toEqual([]);
      expect(await store.readJournal("orders", 0, all)).toHaveLength(1);
    },
  },
  {
    name: "refuses a trace with broken text or time, or of a change without facts",
    guards: "value_fits_column",
    run: async ({ store }) => {
      const owner = await Owner.create(store);
      const trace = traceOf("r1");
      const wrong: readonly Parameters<Owner["commit"]>[0][] = [
        { trace: { ...trace, text: "a\u0000" } },
        { trace: { ...trace, text: "a\ud800" } },
        { trace: { ...trace, runId: "\udc00" } },
        { trace: { ...trace, at: 1.5 } },
        { trace, facts: [] },
        { forgetTracesThrough: Number.NaN },
      ];
      for (const parts of wrong) {
        const answer = await owner.commit(parts);
        expect(answer).toMatchObject({ kind: "refused", constraint: "value_fits_column" });
      }
      expect(await store.readTraces("orders", 0, all)).toEqual([]);
      expect((await store.load("orders", [])).head.seq).toBe(0);
    },
  },
  {
    name: "has the traces after it is opened again [R35]",
    needsReopen: true,
    run: async ({ store, reopen }) => {
      const owner = await Owner.create(store);
      await owner.persistChange({ trace: traceOf("r1") });
      const again = await reopen();
      expect(await again.readTraces("orders", 0, all)).toEqual([{ seq: 1, ...traceOf("r1") }]);
    },
  },
];
