import { tables } from "./migrations/0001-tables.ts";
import { guards } from "./migrations/0002-guards.ts";
import { unclean } from "./migrations/0003-unclean.ts";
import { traces } from "./migrations/0004-traces.ts";
import { producers } from "./migrations/0005-producers.ts";
import { restore } from "./migrations/0006-restore.ts";
import { questions } from "./migrations/0007-questions.ts";
import { grants } from "./migrations/0008-grants.ts";

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
];

export const schemaVersion = migrations.length;

/** "HOLD" in the header of the file: tells our database from anybody else's. */
export const applicationId = 0x484f4c44;
