import { tables } from "./migrations/0001-tables.ts";
import { guards } from "./migrations/0002-guards.ts";
import { commit } from "./migrations/0003-commit.ts";
import { reading } from "./migrations/0004-reading.ts";
import { inboxAndLeases } from "./migrations/0005-inbox-and-leases.ts";
import { traces } from "./migrations/0006-traces.ts";
import { producers } from "./migrations/0007-producers.ts";
import { restore } from "./migrations/0008-restore.ts";
import { questions } from "./migrations/0009-questions.ts";
import { grants } from "./migrations/0010-grants.ts";
import { budgets } from "./migrations/0011-budgets.ts";
import { lists } from "./migrations/0012-lists.ts";
import { items } from "./migrations/0013-items.ts";
import { itemLists } from "./migrations/0014-item-lists.ts";
import { countedReads } from "./migrations/0015-counted-reads.ts";
import { machines } from "./migrations/0016-machines.ts";
import { heldEvents } from "./migrations/0017-held-events.ts";
import { timeAndPreviews } from "./migrations/0018-time-and-previews.ts";
import { proposals } from "./migrations/0019-proposals.ts";
import { askedSnapshots } from "./migrations/0020-asked-snapshots.ts";
import { olderCells } from "./migrations/0021-older-cells.ts";
import { eventUses } from "./migrations/0022-event-uses.ts";
import { storeBrake } from "./migrations/0023-store-brake.ts";
import { keptResults } from "./migrations/0024-kept-results.ts";
import { machineTurns } from "./migrations/0025-machine-turns.ts";
import { countedSends } from "./migrations/0026-counted-sends.ts";
import { deployers } from "./migrations/0027-deployers.ts";
import { budgetsByRun } from "./migrations/0028-budgets-by-run.ts";
import { moves } from "./migrations/0029-moves.ts";
import { awaitedExecutors } from "./migrations/0030-awaited-executors.ts";
import { largerFrames } from "./migrations/0031-larger-frames.ts";

/**
 * One step of the schema. Steps are only ever added; a released one never changes. A process of
 * before goes on working while a step is taken: what it calls stays, so a step adds functions with
 * the next number, and columns only with a default, because the old program does not know them.
 * A step that changes tables locks them all at its beginning, workflows first, as a commit does:
 * otherwise the two wait for each other in a circle.
 */
export type Migration = { readonly version: number; readonly name: string; readonly sql: string };

export const migrations: readonly Migration[] = [
  tables,
  guards,
  commit,
  reading,
  inboxAndLeases,
  traces,
  producers,
  restore,
  questions,
  grants,
  budgets,
  lists,
  items,
  itemLists,
  countedReads,
  machines,
  heldEvents,
  timeAndPreviews,
  proposals,
  askedSnapshots,
  olderCells,
  eventUses,
  storeBrake,
  keptResults,
  machineTurns,
  countedSends,
  deployers,
  budgetsByRun,
  moves,
  awaitedExecutors,
  largerFrames,
];

export const schemaVersion = migrations.length;
