import { tables } from "./migrations/0001-tables.ts";
import { guards } from "./migrations/0002-guards.ts";
import { unclean } from "./migrations/0003-unclean.ts";
import { traces } from "./migrations/0004-traces.ts";
import { producers } from "./migrations/0005-producers.ts";
import { restore } from "./migrations/0006-restore.ts";
import { questions } from "./migrations/0007-questions.ts";
import { grants } from "./migrations/0008-grants.ts";
import { budgets } from "./migrations/0009-budgets.ts";
import { lists } from "./migrations/0010-lists.ts";
import { items } from "./migrations/0011-items.ts";
import { itemLists } from "./migrations/0012-item-lists.ts";
import { countedReads } from "./migrations/0013-counted-reads.ts";
import { machines } from "./migrations/0014-machines.ts";
import { heldEvents } from "./migrations/0015-held-events.ts";
import { timeAndPreviews } from "./migrations/0016-time-and-previews.ts";
import { proposals } from "./migrations/0017-proposals.ts";
import { askedSnapshots } from "./migrations/0018-asked-snapshots.ts";
import { olderCells } from "./migrations/0019-older-cells.ts";
import { eventUses } from "./migrations/0020-event-uses.ts";
import { storeBrake } from "./migrations/0021-store-brake.ts";
import { keptResults } from "./migrations/0022-kept-results.ts";
import { machineTurns } from "./migrations/0023-machine-turns.ts";
import { countedSends } from "./migrations/0024-counted-sends.ts";
import { deployers } from "./migrations/0025-deployers.ts";
import { readsByRun } from "./migrations/0026-reads-by-run.ts";
import { moves } from "./migrations/0027-moves.ts";
import { awaitedExecutors } from "./migrations/0028-awaited-executors.ts";

/** One step of the schema. Steps are only ever added; a released one never changes. */
export type Migration = { readonly version: number; readonly name: string; readonly sql: string };

export const migrations: readonly Migration[] = [
  tables,
  guards,
  unclean,
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
  readsByRun,
  moves,
  awaitedExecutors,
];

export const schemaVersion = migrations.length;

/** "HOLD" in the header of the file: tells our database from anybody else's. */
export const applicationId = 0x484f4c44;
