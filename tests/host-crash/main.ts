/**
 * `npm run crash -- host [--quick] [--plain|--ledger|--approvals|--items|--machines|--pieces]
 * [--course one] [--store sqlite|postgres] [--every N] [--parallel N] [--all]`:
 * kills the program, and stops it past its lease, at every boundary it passes at which that leaves
 * anything else than at the one before (`--all`: at those too), against a shop that counts.
 * Exits 1 if an order was booked twice or lost, or as nobody agreed to, if verify finds anything,
 * or if a control is not noticed.
 */
import { existsSync, rmSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createTestDatabase, TestServer } from "@holdfast/store/testing/postgres";
import { newFolder } from "../end-to-end/host-process.ts";
import type { Mood } from "../end-to-end/order-shop.ts";
import { answerCourses, fromAnswer, moodOf } from "./answers.ts";
import { controls } from "./controls.ts";
import { furtherCourse } from "./further-answers.ts";
import { type Manner, workOf } from "./life.ts";
import {
  type Cell,
  enumerate,
  fromSending,
  fromSteps,
  inParallel,
  type NewStore,
  type Signal,
  tryCell,
  whereWritten,
} from "./matrix.ts";
import { placesFor } from "./places.ts";

/** A cell is busy for a third of its time; the rest of it waits for leases and for quiet. */
const atOncePerCore = 3;
const { values } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: "boolean" },
    quick: { type: "boolean", default: false },
    parallel: { type: "string", default: String(availableParallelism() * atOncePerCore) },
    store: { type: "string" },
    /** Only every so many of the cells. */
    every: { type: "string", default: "1" },
    /** Also where nothing but a look lies between a boundary and the one before. */
    all: { type: "boolean", default: false },
    /** Only those cells in which the host finds out, or sends again. */
    ledger: { type: "boolean", default: false },
    /** Only those in which a consumer works, and a person is asked what nobody knows. */
    plain: { type: "boolean", default: false },
    /** Only those in which a person agrees to the call, edits it before, or answers otherwise. */
    approvals: { type: "boolean", default: false },
    /** Only those of them whose names begin so; and no controls but theirs. */
    course: { type: "string" },
    /** Only those in which a job works. */
    items: { type: "boolean", default: false },
    /** Only those in which a machine works. */
    machines: { type: "boolean", default: false },
    /** Only those in which a machine has so many cells that a snapshot is kept in pieces. */
    pieces: { type: "boolean", default: false },
  },
});
const parallel = Number(values.parallel);
const troubledMoods: readonly Mood[] = ["drops the answer", "delays", "refuses", "dies"];
/** What is done where the host can find out, and where it may send again. */
const findingOut: readonly (readonly [Manner, Mood])[] = [
  ["verified", "drops the answer"],
  ["verified", "dies"],
  ["by key", "drops the answer"],
  ["by key", "dies"],
];

/** Where files are memory a sync costs nothing, and what is tried here is not the disk. */
const memory = "/dev/shm";
const server = await TestServer.start(existsSync(memory) ? { parentFolder: memory } : {});
const stores: Readonly<Record<string, NewStore>> = {
  SQLite: async () => {
    const folder = newFolder();
    const drop = async () => rmSync(folder, { recursive: true });
    return { place: { kind: "sqlite", folder: join(folder, "data") }, drop };
  },
  PostgreSQL: async () => {
    const { url, drop } = await createTestDatabase(server.url());
    return { place: { kind: "postgres", url }, drop };
  },
};

async function cellsOf(store: string, newStore: NewStore): Promise<readonly Cell[]> {
  if (values.plain) return thinned(await plainCells(store, newStore));
  if (values.machines) return thinned(await machineCells(store, newStore));
  if (values.pieces) return thinned(await pieceCells(store, newStore));
  if (values.approvals || values.course !== undefined)
    return thinned(await askedCells(store, newStore));
  if (values.items) return thinned(await itemCells(store, newStore));
  const cells: Cell[] = [];
  if (!values.ledger) {
    cells.push(...(await plainCells(store, newStore)), ...(await askedCells(store, newStore)));
  }
  cells.push(...(await itemCells(store, newStore)));
  if (!values.ledger) {
    cells.push(...(await machineCells(store, newStore)), ...(await pieceCells(store, newStore)));
  }
  for (const [manner, mood] of findingOut) {
    const late = fromSending(await enumerate(newStore, mood, manner));
    console.log(`${store}: ${manner}, where the shop ${mood}, ${late.length} from the request on`);
    for (const signal of ["SIGKILL", "SIGSTOP"] as const) {
      const places = placesOf(signal, late);
      cells.push(...places.map((boundary) => ({ store, mood, manner, boundary, signal })));
    }
  }
  return thinned(cells);
}

function placesOf(signal: Signal, boundaries: readonly string[]): readonly string[] {
  return values.all ? boundaries : placesFor(signal, boundaries);
}

function thinned(cells: readonly Cell[]): readonly Cell[] {
  const every = values.quick ? 10 : Number(values.every);
  return cells.filter((_, index) => index % every === 0);
}

function ownControls(): ReturnType<typeof controls> {
  return controls(stores).filter(({ course }) => isWanted(course));
}

function isWanted(course: string): boolean {
  return values.course === undefined || course.startsWith(values.course);
}

/** Every approval and every edit: the whole life, with somebody who answers what is asked. */
async function askedCells(store: string, newStore: NewStore): Promise<readonly Cell[]> {
  const cells: Cell[] = [];
  for (const course of (["approved", "edited"] as const).filter(isWanted)) {
    const all = await enumerate(newStore, "answers", "asks you", course);
    console.log(`${store}: a life in which a call is ${course} passes ${all.length} boundaries`);
    for (const signal of ["SIGKILL", "SIGSTOP"] as const) {
      const cell = { store, mood: "answers", course, signal } as const;
      cells.push(...placesOf(signal, all).map((boundary) => ({ ...cell, boundary })));
    }
  }
  return [...cells, ...(await answerCells(store, newStore))];
}

/** Every other answer, each struck at every boundary from its own command on. */
async function answerCells(store: string, newStore: NewStore): Promise<readonly Cell[]> {
  const cells: Cell[] = [];
  for (const course of answerCourses.filter(isWanted)) {
    const mood = moodOf(course);
    const late = fromAnswer(course, await enumerate(newStore, mood, "asks you", course));
    console.log(`${store}: a life that is ${course}, ${late.length} from its answer on`);
    for (const signal of ["SIGKILL", "SIGSTOP"] as const) {
      const cell = { store, mood, course, signal } as const;
      cells.push(...placesOf(signal, late).map((boundary) => ({ ...cell, boundary })));
    }
  }
  console.log(`${store}: ${cells.length} cells of answers`);
  return cells;
}

/** An item with three calls, from its first one on: a person is asked, or the host finds out. */
async function itemCells(store: string, newStore: NewStore): Promise<readonly Cell[]> {
  const course = "items";
  const cells: Cell[] = [];
  for (const [manner, mood] of [["asks you", "answers"], ...findingOut] as const) {
    const late = fromSending(await enumerate(newStore, mood, manner, course));
    console.log(`${store}: an item, ${manner}, where the shop ${mood}, ${late.length} boundaries`);
    const cell = { store, mood, manner, course, signal: "SIGKILL" } as const;
    cells.push(...placesOf("SIGKILL", late).map((boundary) => ({ ...cell, boundary })));
  }
  return cells;
}

/** A machine with a timer, a call and an event; and, from its call on, what is lost of it. */
async function machineCells(store: string, newStore: NewStore): Promise<readonly Cell[]> {
  const course = "machines";
  const all = fromSteps(await enumerate(newStore, "answers", "asks you", course));
  console.log(`${store}: a machine passes ${all.length} boundaries`);
  const cells: Cell[] = (["SIGKILL", "SIGSTOP"] as const).flatMap((signal) =>
    placesOf(signal, all).map(
      (boundary) => ({ store, mood: "answers", course, boundary, signal }) as const,
    ),
  );
  for (const [manner, mood] of [["asks you", "drops the answer"], ...findingOut] as const) {
    const late = fromSending(await enumerate(newStore, mood, manner, course));
    console.log(`${store}: a machine, ${manner}, where the shop ${mood}, ${late.length}`);
    const cell = { store, mood, manner, course, signal: "SIGKILL" } as const;
    cells.push(...placesOf("SIGKILL", late).map((boundary) => ({ ...cell, boundary })));
  }
  return cells;
}

/** Snapshots in pieces, what is collected between them, another version of every cell. */
async function pieceCells(store: string, newStore: NewStore): Promise<readonly Cell[]> {
  const course = "pieces";
  const all = whereWritten(fromSteps(await enumerate(newStore, "answers", "asks you", course)));
  console.log(`${store}: a life with snapshots in pieces writes at ${all.length} boundaries`);
  const cell = { store, mood: "answers", course, signal: "SIGKILL" } as const;
  return all.map((boundary) => ({ ...cell, boundary }));
}

/** A person is asked about everything that nobody knows. */
async function plainCells(store: string, newStore: NewStore): Promise<Cell[]> {
  const all = await enumerate(newStore, "answers");
  console.log(`${store}: one life passes ${all.length} boundaries`);
  const cells: Cell[] = [];
  for (const signal of ["SIGKILL", "SIGSTOP"] as const) {
    const cell = { store, mood: "answers", signal } as const;
    cells.push(...placesOf(signal, all).map((boundary) => ({ ...cell, boundary })));
  }
  for (const mood of troubledMoods) {
    const late = fromSending(await enumerate(newStore, mood));
    console.log(`${store}: where the shop ${mood}, ${late.length} from the request on`);
    for (const signal of ["SIGKILL", "SIGSTOP"] as const) {
      const cell = { store, mood, signal };
      cells.push(...placesOf(signal, late).map((boundary) => ({ ...cell, boundary })));
    }
  }
  return cells;
}

const problems: string[] = [];
let reached = 0;
let missed = 0;
/** Of machines, whose timers go by the clock. */
let timed = 0;
/** Chance is rare: where more than one blow in so many finds no place, none of it is chance. */
const chanceIn = 20;
const wanted = values.store?.toLowerCase();
const chosen = Object.entries(stores).filter(([store]) => {
  return wanted === undefined || store.toLowerCase().startsWith(wanted);
});

/**
 * A timer may come sooner or later, and a turn more or less with it; commands that come together
 * are found by one look into the inbox, with one load of what they need, and by two if they do
 * not; a life may end before a beat. What changes anything has to come again.
 */
function isByChance({ course = "allowed", boundary }: Cell): boolean {
  if (workOf(course) === "machines") return true;
  if (furtherCourse(course)?.isSwept && / store\.(?:load|(?:find|list)\w+) /.test(boundary))
    return true;
  return / store\.(?:readInbox|load|heartbeat) /.test(boundary);
}

async function tryAndTell(cell: Cell, newStore: NewStore): Promise<void> {
  const { store, mood, manner = "asks you", course = "allowed", signal, boundary } = cell;
  const name = `${store}, ${manner}, ${course}, ${mood}, ${signal} at ${boundary}`;
  const found = await tryCell(newStore, cell).then(
    (report) => {
      if (report.wasReached) reached += 1;
      else if (!isByChance(cell)) return [...report.problems, "never came there"];
      else if (workOf(course) === "machines") timed += 1;
      else missed += 1;
      return report.problems;
    },
    (error: unknown) => [saidBy(error)],
  );
  for (const problem of found) {
    problems.push(`${name}: ${problem}`);
    console.log(`PROBLEM  ${name}: ${problem}`);
  }
}

function saidBy(error: unknown): string {
  const { cause } = error as { readonly cause?: unknown };
  return cause === undefined ? String(error) : `${error}, because of ${saidBy(cause)}`;
}

try {
  for (const [store, newStore] of chosen) {
    const cells = await cellsOf(store, newStore);
    console.log(`${store}: ${cells.length} cells`);
    let done = 0;
    const trials = cells.map((cell) => async () => {
      await tryAndTell(cell, newStore);
      done += 1;
      if (done % 25 === 0) console.log(`${store}: ${done} of ${cells.length}`);
    });
    await inParallel(trials, parallel);
  }
  const noticing = ownControls().map(({ name, isNoticed }) => async () => {
    const noticed = await isNoticed();
    console.log(`${noticed ? "noticed" : "NOT NOTICED"}: ${name}`);
    if (!noticed) problems.push(`the control "${name}" was not noticed`);
  });
  await inParallel(noticing, parallel);
} finally {
  await server.stop();
}
if (reached === 0) {
  problems.push("nothing was tried");
  console.log("PROBLEM  nothing was tried: there is no such store, or no such cell");
}
if (missed + timed > 0) console.log(`${missed + timed} boundaries did not come again`);
if (missed * chanceIn > reached) {
  problems.push("too many boundaries did not come again");
  console.log("PROBLEM  that is too many to be chance");
}
console.log(`${reached} blows at enumerated boundaries: ${problems.length} problems`);
if (problems.length > 0) process.exitCode = 1;
