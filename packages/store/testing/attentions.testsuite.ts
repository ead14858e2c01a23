import { type AttentionQuery, insertRow, type Store, updateRow } from "@holdfast/core";
import { expect } from "vitest";
import { Owner } from "./change-builder.ts";
import { expectHostError } from "./expectation.ts";
import { attentionRow } from "./row-builder.ts";
import { type StoreCase, startOfTime } from "./store-case.ts";

const everything: AttentionQuery = { workflow: "orders", isOpen: null, after: null, limit: 100 };

/** Asked at these times after the start, in this order of ids. */
async function asked(store: Store, workflow: string, times: readonly number[]): Promise<Owner> {
  const owner = await Owner.create(store, workflow);
  await owner.persist(
    ...times.map((time, index) =>
      insertRow("attentions", attentionRow(`a${index + 1}`, { openedAt: startOfTime + time })),
    ),
  );
  return owner;
}

async function idsOf(store: Store, query: Partial<AttentionQuery> = {}): Promise<string[]> {
  const listed = await store.listAttentions({ ...everything, ...query });
  return listed.map(({ workflow, row }) => `${workflow} ${row.attentionId}`);
}

/** Page by page, as somebody reads on who has seen the last one. */
async function pagesOf(store: Store, query: Partial<AttentionQuery>, limit: number) {
  const pages: string[][] = [];
  let after: AttentionQuery["after"] = null;
  for (;;) {
    const listed = await store.listAttentions({ ...everything, ...query, after, limit });
    const last = listed.at(-1);
    if (last === undefined) return pages;
    pages.push(listed.map(({ workflow, row }) => `${workflow} ${row.attentionId}`));
    const { openedAt, attentionId } = last.row;
    after = { openedAt, workflow: last.workflow, attentionId };
  }
}

export const attentionCases: readonly StoreCase[] = [
  {
    name: "lists the questions of a workflow, the newest first, as they were written",
    run: async ({ store }) => {
      await asked(store, "orders", [5, 9, 1]);
      await asked(store, "other", [7]);
      expect(await idsOf(store)).toEqual(["orders a2", "orders a1", "orders a3"]);
      const [first] = await store.listAttentions({ ...everything, limit: 1 });
      expect(first?.row).toEqual(attentionRow("a2", { openedAt: startOfTime + 9 }));
    },
  },
  {
    name: "lists open and closed questions apart",
    run: async ({ store }) => {
      const owner = await asked(store, "orders", [1, 2, 3]);
      const closing = { closedAt: startOfTime + 4, closedBy: "ada", answer: "resume" };
      await owner.persist(updateRow("attentions", ["a2"], closing));
      expect(await idsOf(store, { isOpen: true })).toEqual(["orders a3", "orders a1"]);
      expect(await idsOf(store, { isOpen: false })).toEqual(["orders a2"]);
      expect(await idsOf(store, { workflow: null, isOpen: true })).toHaveLength(2);
    },
  },
  {
    name: "lists the open questions of every workflow in one order",
    run: async ({ store }) => {
      await asked(store, "orders", [1, 5]);
      await asked(store, "bills", [3, 5]);
      const all = ["orders a2", "bills a2", "bills a1", "orders a1"];
      expect(await idsOf(store, { workflow: null, isOpen: true })).toEqual(all);
    },
  },
  {
    name: "gives every question on exactly one page, those of one moment too",
    run: async ({ store }) => {
      await asked(store, "orders", [1, 1, 1, 1, 2]);
      await asked(store, "bills", [1, 1, 2]);
      const own = await pagesOf(store, {}, 2);
      expect(own.map((page) => page.length)).toEqual([2, 2, 1]);
      expect(own.flat()).toEqual(await idsOf(store));
      const all = { workflow: null, isOpen: true };
      const pages = await pagesOf(store, all, 3);
      expect(pages.flat()).toEqual(await idsOf(store, all));
      expect(new Set(pages.flat()).size).toBe(8);
    },
  },
  {
    name: "knows no questions of a workflow that nobody created",
    run: async ({ store }) => {
      await expectHostError(() => idsOf(store), "WORKFLOW_UNKNOWN");
      expect(await idsOf(store, { workflow: null, isOpen: true })).toEqual([]);
    },
  },
];
