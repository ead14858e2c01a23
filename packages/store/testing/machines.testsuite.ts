import { deleteRow, insertRow, keyOf, machineInputsMax, updateRow } from "@holdfast/core";
import { expect } from "vitest";
import { Owner } from "./change-builder.ts";
import { expectRefusal } from "./expectation.ts";
import {
  itemRow,
  machineFrameRow,
  machineInputRow,
  mutationRow,
  proposalRow,
  runRow,
  workflowRow,
} from "./row-builder.ts";
import type { StoreCase } from "./store-case.ts";

/** What keeps the machines' journal whole, and what is loaded of machines. */
export const machineCases: readonly StoreCase[] = [
  {
    name: "keeps every frame of machines as it is",
    guards: "machine_frames_kept",
    run: async ({ store }) => {
      const owner = await Owner.create(store);
      await owner.persist(insertRow("machine_frames", machineFrameRow(1)));
      for (const row of [
        deleteRow("machine_frames", [1]),
        updateRow("machine_frames", [1], { seq: 2 }),
      ]) {
        await expectRefusal(store, owner, { constraint: "machine_frames_kept", rows: [row] });
      }
    },
  },
  {
    name: "refuses a frame of machines that leaves a gap or lies over another [M.P-2]",
    guards: "machine_frame_follows",
    run: async ({ store }) => {
      const owner = await Owner.create(store);
      await owner.persist(insertRow("machine_frames", machineFrameRow(1, { lastSeq: 5 })));
      for (const first of [4, 5, 7]) {
        const rows = [insertRow("machine_frames", machineFrameRow(first))];
        await expectRefusal(store, owner, { constraint: "machine_frame_follows", rows });
      }
      await owner.persist(insertRow("machine_frames", machineFrameRow(6, { lastSeq: 9 })));
      const query = { workflow: owner.workflow, list: "machineFrames", of: [] } as const;
      const rows = await store.listRows({ ...query, after: null, downTo: null, limit: 10 });
      expect(rows.map(({ firstSeq }) => firstSeq)).toEqual([6, 1]);
    },
  },
  {
    name: "keeps every proposal, and what was decided of it [M.G-1] [M.G-8]",
    guards: "proposals_kept",
    run: async ({ store }) => {
      const owner = await Owner.create(store);
      await owner.persist(insertRow("proposals", proposalRow(1)));
      const rejected = updateRow("proposals", [1], { status: "rejected" });
      const kept = { constraint: "proposals_kept" } as const;
      await expectRefusal(store, owner, { ...kept, rows: [deleteRow("proposals", [1])] });
      await owner.persist(rejected);
      const revived = updateRow("proposals", [1], { status: "approved" });
      await expectRefusal(store, owner, { ...kept, rows: [revived] });
      const query = { workflow: owner.workflow, list: "proposals", of: [] } as const;
      const rows = await store.listRows({ ...query, after: null, downTo: null, limit: 10 });
      expect(rows).toEqual([proposalRow(1, { status: "rejected" })]);
    },
  },
  {
    name: "loads the oldest inputs for machines, in their order",
    run: async ({ store }) => {
      const owner = await Owner.create(store);
      const positions = Array.from({ length: machineInputsMax + 2 }, (_, at) => at + 1);
      const rows = positions.map((at) => insertRow("machine_inputs", machineInputRow(at)));
      await owner.persist(insertRow("workflows", workflowRow()), ...rows.toReversed());
      const loaded = await store.load(owner.workflow, [{ kind: "machine_inputs" }]);
      const found = loaded.rows.map(({ table, row }) => Number(keyOf(table, row)));
      expect(found.toSorted((a, b) => a - b)).toEqual(positions.slice(0, machineInputsMax));
    },
  },
  {
    name: "loads with the base every intent that is not done, its call and its item",
    run: async ({ store }) => {
      const owner = await Owner.create(store);
      const intent = { trigger: "intent", open: false, kind: "job" } as const;
      const open = { ...intent, itemId: "i-1", mutationId: "m-1", endedAt: null };
      await owner.persist(
        insertRow("workflows", workflowRow()),
        insertRow("runs", runRow("r-1", open)),
        insertRow("runs", runRow("r-2", { ...intent, itemId: "i-2", endedAt: 5 })),
        insertRow("items", itemRow("i-1")),
        insertRow("items", itemRow("i-2")),
        insertRow("mutations", mutationRow("m-1", { runId: "r-1", itemId: "i-1" })),
      );
      const { rows } = await store.load(owner.workflow, [{ kind: "base" }]);
      const names = rows.map(({ table, row }) => `${table} ${keyOf(table, row)}`.trim());
      expect(names.toSorted()).toEqual(["items i-1", "mutations m-1", "runs r-1", "workflows"]);
    },
  },
];
