import { rmSync } from "node:fs";
import { join } from "node:path";
import { createSchemaDatabase } from "@holdfast/store/testing/postgres";
import { describe, expect, test } from "vitest";
import { newFolder } from "../end-to-end/host-process.ts";
import { type AnswerCourse, moodOf } from "./answers.ts";
import type { GuardName } from "./broken-guards.ts";
import { controls } from "./controls.ts";
import { type Cell, type NewStore, tryCell } from "./matrix.ts";

const stores: Readonly<Record<string, NewStore>> = {
  SQLite: async () => {
    const folder = newFolder();
    const drop = async () => rmSync(folder, { recursive: true });
    return { place: { kind: "sqlite", folder: join(folder, "data") }, drop };
  },
  PostgreSQL: async () => {
    const { url, drop } = await createSchemaDatabase();
    return { place: { kind: "postgres", url }, drop };
  },
};

/** A few of the cells that `npm run crash -- host` enumerates: those where most is at stake. */
const cells: readonly Cell[] = [
  ...["before store.commit #4", "after outside.send #1", "before store.commit #6"].map(
    (boundary) => ({ store: "SQLite", mood: "answers", boundary, signal: "SIGKILL" }) as const,
  ),
  {
    store: "PostgreSQL",
    mood: "drops the answer",
    boundary: "after store.commit #5",
    signal: "SIGKILL",
  },
  { store: "PostgreSQL", mood: "answers", boundary: "before last check #1", signal: "SIGSTOP" },
  {
    store: "SQLite",
    mood: "drops the answer",
    manner: "verified",
    boundary: "before outside.reconcile #1",
    signal: "SIGKILL",
  },
  {
    store: "PostgreSQL",
    mood: "drops the answer",
    manner: "by key",
    boundary: "before outside.send #2",
    signal: "SIGSTOP",
  },
  {
    store: "PostgreSQL",
    mood: "answers",
    course: "approved",
    boundary: "after store.commit #5",
    signal: "SIGKILL",
  },
  // It is approved and chosen to be sent; when the host goes on, the approval has run out.
  {
    store: "SQLite",
    mood: "answers",
    course: "expired",
    boundary: "before store.load #16",
    signal: "SIGSTOP",
  },
  // The edit is durable, and nobody has agreed to it.
  {
    store: "SQLite",
    mood: "answers",
    course: "edited",
    boundary: "after store.commit #5",
    signal: "SIGKILL",
  },
];

/** The answer is taken in and not folded; it is folded, and nothing has come of it yet. */
const answerCells: readonly Cell[] = [
  ["SQLite", "rejected", "before store.commit #5"],
  ["SQLite", "stopped", "after store.commit #5"],
  ["SQLite", "skipped", "after store.commit #6"],
  ["SQLite", "granted", "before store.commit #5"],
  ["SQLite", "braked", "after store.commit #3"],
  ["SQLite", "asked again", "after store.commit #7"],
  ["PostgreSQL", "restored, sent", "before store.commit #3"],
  ["SQLite", "restored, happened", "after store.commit #6"],
  ["SQLite", "renewed", "after store.commit #6"],
  ["SQLite", "failed, stopped", "after store.commit #6"],
  ["SQLite", "exhausted, resumed", "before store.commit #9"],
  ["SQLite", "crashed, resumed", "after store.commit #3"],
  ["PostgreSQL", "expired", "after store.commit #5"],
  ["SQLite", "contradicted, acknowledged", "before store.commit #10"],
  ["SQLite", "differs, accepted", "before store.commit #10"],
  ["SQLite", "differs, done anew", "after store.commit #12"],
  ["SQLite", "poisoned, redelivered", "after store.commit #8"],
  ["SQLite", "held, canceled", "before store.commit #8"],
].map(([store = "", name = "", boundary = ""]) => {
  const course = name as AnswerCourse;
  return { store, mood: moodOf(course), course, boundary, signal: "SIGKILL" } as const;
});

/** An item with three calls: after the second, and after the last. */
const itemCells: readonly Cell[] = [
  ["SQLite", "after outside.send #2"],
  ["PostgreSQL", "after outside.send #3"],
].map(([store = "", boundary = ""]) => {
  return { store, mood: "answers", course: "items", boundary, signal: "SIGKILL" } as const;
});

/**
 * A machine: its steps are made and its frame is not, its call is on its way, and was answered;
 * what older snapshots had is collected; another version is applied, with all states.
 */
const machineCells: readonly Cell[] = [
  ["SQLite", "after steps #2"],
  ["PostgreSQL", "before outside.send #1"],
  ["SQLite", "after outside.send #1"],
  ["SQLite", "before store.sweepParts #1"],
  ["PostgreSQL", "after store.sweepParts #1"],
  // Every state of the next version is made, and nothing of it is durable.
  ["SQLite", "after migrations #1"],
  ["PostgreSQL", "before migrations #1"],
  // It is applied, and what only the one before it had goes.
  ["SQLite", "before store.sweepParts #2"],
].map(([store = "", boundary = ""]) => {
  return { store, mood: "answers", course: "machines", boundary, signal: "SIGKILL" } as const;
});

/**
 * Snapshots in pieces: between two of them, with the one that has the rest, while parts are
 * collected between them; and while a version writes every cell otherwise.
 */
const pieceCells: readonly Cell[] = [
  ["SQLite", "after store.commit #16"],
  ["SQLite", "before store.commit #17"],
  ["PostgreSQL", "after store.commit #17"],
  ["SQLite", "after store.commit #18"],
  ["SQLite", "before store.sweepParts #2"],
  ["PostgreSQL", "after store.sweepParts #2"],
  ["SQLite", "after migrations #1"],
].map(([store = "", boundary = ""]) => {
  return { store, mood: "answers", course: "pieces", boundary, signal: "SIGKILL" } as const;
});

describe("the shipped program, killed or stopped where it matters", () => {
  test.each(cells)(
    "[R134, R135, R155, S30] $store, $signal at $boundary where the shop $mood: booked once",
    { timeout: 180_000 },
    async (cell) => {
      const newStore = stores[cell.store];
      if (newStore === undefined) throw new Error(`there is no store ${cell.store}`);
      const { wasReached, problems } = await tryCell(newStore, cell);
      expect(problems).toEqual([]);
      expect(wasReached).toBe(true);
    },
  );

  test.each(answerCells)(
    "[R134, R90, S49] $store, killed at $boundary of a call that is $course: as was answered",
    { timeout: 180_000 },
    async (cell) => {
      const newStore = stores[cell.store];
      if (newStore === undefined) throw new Error(`there is no store ${cell.store}`);
      const { wasReached, problems } = await tryCell(newStore, cell);
      expect(problems).toEqual([]);
      expect(wasReached).toBe(true);
    },
  );

  test.each(itemCells)(
    "[R134, R135, L7, S42] $store, killed at $boundary in an item: each call is made once",
    { timeout: 180_000 },
    async (cell) => {
      const newStore = stores[cell.store];
      if (newStore === undefined) throw new Error(`there is no store ${cell.store}`);
      const { wasReached, problems } = await tryCell(newStore, cell);
      expect(problems).toEqual([]);
      expect(wasReached).toBe(true);
    },
  );

  test.each(machineCells)(
    "[M.P-1, M.R-8, M.K7.7-4, M.K7.7-5, M.A-5] $store, killed at $boundary of a machine: once",
    { timeout: 180_000 },
    async (cell) => {
      const newStore = stores[cell.store];
      if (newStore === undefined) throw new Error(`there is no store ${cell.store}`);
      const { wasReached, problems } = await tryCell(newStore, cell);
      expect(problems).toEqual([]);
      expect(wasReached).toBe(true);
    },
  );

  test.each(pieceCells)(
    "[M.K7.7-1, M.K7.7-4, M.K7.7-5] $store, killed at $boundary between pieces: nothing is lost",
    { timeout: 180_000 },
    async (cell) => {
      const newStore = stores[cell.store];
      if (newStore === undefined) throw new Error(`there is no store ${cell.store}`);
      const { wasReached, problems } = await tryCell(newStore, cell);
      expect(problems).toEqual([]);
      expect(wasReached).toBe(true);
    },
  );

  test.each(controls(stores).map((control) => [control.name as GuardName, control] as const))(
    "[R41, R155] it is noticed when %s",
    { timeout: 180_000 },
    async (_, { isNoticed }) => {
      expect(await isNoticed()).toBe(true);
    },
  );
});
