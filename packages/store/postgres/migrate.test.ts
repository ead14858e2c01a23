import { describe, expect, test } from "vitest";
import { Owner } from "../testing/change-builder.ts";
import { applyPostgresSchema } from "./index.ts";
import { schemaVersion } from "./migrations.ts";
import { printPostgresSchema } from "./schema.ts";
import { sharedServerUrl } from "./testing/index.ts";
import { importNewer } from "./testing/newer-program.ts";
import {
  ask,
  databaseInTest,
  emptyDatabaseInTest,
  errorOf,
  openInTest,
  soon,
} from "./testing/store-in-test.ts";

/** What somebody did to the schema, and what must be named. */
const meddlings: Readonly<Record<string, readonly [sql: string, named: string]>> = {
  "a trigger is dropped": [
    "DROP TRIGGER ledger_edge ON holdfast.mutations",
    "trigger ledger_edge of holdfast.mutations is missing",
  ],
  "a trigger is disabled": [
    "ALTER TABLE holdfast.mutation_inputs DISABLE TRIGGER mutation_inputs_kept",
    "trigger mutation_inputs_kept of holdfast.mutation_inputs was changed",
  ],
  "a function is changed": [
    `CREATE OR REPLACE FUNCTION holdfast.refuse_row_1() RETURNS trigger LANGUAGE plpgsql
     AS 'BEGIN RETURN NEW; END'`,
    "function holdfast.refuse_row_1() was changed",
  ],
  "a function's settings are changed": [
    "ALTER FUNCTION holdfast.admit_1(text) SET search_path = public",
    "function holdfast.admit_1(text) was changed",
  ],
  "a function is added": [
    "CREATE FUNCTION holdfast.mine() RETURNS int LANGUAGE sql AS 'SELECT 1'",
    "function holdfast.mine() is not ours",
  ],
  "a column is added": [
    "ALTER TABLE holdfast.events ADD COLUMN note text",
    "table events was changed",
  ],
  "a column may be null": [
    "ALTER TABLE holdfast.journal ALTER COLUMN hash DROP NOT NULL",
    "table journal was changed",
  ],
  "a default is changed": [
    "ALTER TABLE holdfast.journal ALTER COLUMN written_in DROP DEFAULT",
    "table journal was changed",
  ],
  "a table is unlogged": ["ALTER TABLE holdfast.journal SET UNLOGGED", "table journal was changed"],
  "a table is added": ["CREATE TABLE holdfast.mine (id int)", "table mine is not ours"],
  "an index is dropped": ["DROP INDEX holdfast.one_open_run", "index one_open_run is missing"],
  "a constraint is dropped": [
    "ALTER TABLE holdfast.events DROP CONSTRAINT event_reserved_iff_held",
    "constraint event_reserved_iff_held of holdfast.events is missing",
  ],
  "a constraint is not validated": [
    `ALTER TABLE holdfast.runs DROP CONSTRAINT run_open_word;
     ALTER TABLE holdfast.runs ADD CONSTRAINT run_open_word CHECK (open IN (0, 1)) NOT VALID`,
    "constraint run_open_word of holdfast.runs was changed",
  ],
  "a foreign key is not looked at": [
    "ALTER TABLE holdfast.reservations DISABLE TRIGGER ALL",
    "constraint reservation_exists of holdfast.events was changed",
  ],
  "a rule rewrites what is written": [
    "CREATE RULE lost AS ON INSERT TO holdfast.journal DO INSTEAD NOTHING",
    "rule lost of holdfast.journal is not ours",
  ],
  "row security hides rows": [
    "ALTER TABLE holdfast.events ENABLE ROW LEVEL SECURITY",
    "table events was changed",
  ],
};

describe("a schema that is not as its steps left it is refused, and left as it is, when", () => {
  test.each(Object.entries(meddlings))("%s", async (_, [sql, named]) => {
    const { url } = await databaseInTest();
    await ask(url, sql);
    const error = await errorOf(() => openInTest({ url }), "STORE_SCHEMA_DIFFERS");
    expect(error.message).toContain(`: ${named}.`);
    await errorOf(() => applyPostgresSchema({ url }), "STORE_SCHEMA_DIFFERS");
    expect(await ask(url, "SELECT count(*) FROM holdfast.store_meta")).toEqual([["0"]]);
  });
});

test("a schema of a newer program is refused and not turned back", async () => {
  const { url } = await databaseInTest();
  await ask(url, "UPDATE holdfast.schema_version SET version = version + 1");
  const error = await errorOf(() => openInTest({ url }), "STORE_SCHEMA_NEWER");
  expect(error.message).toContain(`schema version ${schemaVersion + 1}`);
  expect(error.message).toContain(`knows ${schemaVersion}`);
  expect(await ask(url, "SELECT version FROM holdfast.schema_version")).toEqual([
    [String(schemaVersion + 1)],
  ]);
});

test.each([
  "CREATE TABLE holdfast.ships (name text)",
  "CREATE TABLE holdfast.schema_version (number int)",
  "CREATE TABLE holdfast.schema_version (version bigint, server_version bigint)",
  "CREATE VIEW holdfast.ships AS SELECT 1 AS one",
  "CREATE FUNCTION holdfast.sail() RETURNS int LANGUAGE sql AS 'SELECT 1'",
  "CREATE TYPE holdfast.rig AS ENUM ('sloop', 'ketch')",
])("somebody else's schema of that name is refused and untouched: %s", async (sql) => {
  const { url } = await emptyDatabaseInTest(await sharedServerUrl());
  await ask(url, `CREATE SCHEMA holdfast; ${sql}`);
  await errorOf(() => openInTest({ url }), "STORE_NOT_A_DATABASE");
  const left = await ask(
    url,
    `SELECT relname FROM pg_class WHERE relnamespace = 'holdfast'::regnamespace
     UNION ALL SELECT proname FROM pg_proc WHERE pronamespace = 'holdfast'::regnamespace
     UNION ALL SELECT typname FROM pg_type
       WHERE typnamespace = 'holdfast'::regnamespace AND typtype = 'e'`,
  );
  expect(left).toHaveLength(1);
});

test("an empty schema that an administrator made is filled", async () => {
  const { url } = await emptyDatabaseInTest(await sharedServerUrl());
  await ask(url, "CREATE SCHEMA holdfast");
  await openInTest({ url });
});

test("what is printed makes the same schema", async () => {
  const { url } = await emptyDatabaseInTest(await sharedServerUrl());
  await ask(url, printPostgresSchema());
  await openInTest({ url });
  const other = await databaseInTest();
  const objects = `
    SELECT relname, relkind::text FROM pg_class WHERE relnamespace = 'holdfast'::regnamespace
    UNION ALL SELECT oid::regprocedure::text, md5(pg_get_functiondef(oid)) FROM pg_proc
      WHERE pronamespace = 'holdfast'::regnamespace ORDER BY 1`;
  expect(await ask(url, objects)).toEqual(await ask(other.url, objects));
});

test("hosts that open an empty database at the same moment get one store", async () => {
  const { url } = await emptyDatabaseInTest(await sharedServerUrl());
  const names = Array.from({ length: 8 }, (_, index) => `store-${index}`);
  const opened = await Promise.all(
    names.map((name) => openInTest({ url, newIncarnation: () => name })),
  );
  const found = new Set(opened.map(({ storeIncarnation }) => storeIncarnation));
  expect(found.size).toBe(1);
  await Promise.all(
    opened.map(async (store, index) => (await Owner.create(store, `w-${index}`)).persist()),
  );
});

describe("while an older program goes on committing", () => {
  /** Commits on many workflows until told to stop; answers with what was not committed. */
  function commitAlong(owners: readonly Owner[]) {
    let isOver = false;
    const failures: unknown[] = [];
    const work = owners.map(async (owner) => {
      while (!isOver) {
        const answer = await owner.commit().catch((cause: unknown) => cause);
        if (Object(answer).kind !== "committed") failures.push(answer);
      }
    });
    return async () => {
      isOver = true;
      await Promise.all(work);
      return failures;
    };
  }

  test("the schema is looked at again and again, and nobody has to wait", async () => {
    const { url } = await databaseInTest();
    const store = await openInTest({ url });
    const names = Array.from({ length: 8 }, (_, index) => `w-${index}`);
    const owners = await Promise.all(names.map((name) => Owner.create(store, name)));
    const stop = commitAlong(owners);
    for (let round = 0; round < 5; round++) await applyPostgresSchema({ url });
    expect(await stop()).toEqual([]);
  });

  test.each([
    ["adds a function", "CREATE FUNCTION holdfast.admit_2() RETURNS int RETURN 1;"],
    ["adds a table", "CREATE TABLE holdfast.later (workflow text PRIMARY KEY);"],
    [
      "adds columns to tables that are written all the time",
      `LOCK TABLE holdfast.workflows, holdfast.journal;
       ALTER TABLE holdfast.journal ADD COLUMN later bigint NOT NULL DEFAULT 0;
       ALTER TABLE holdfast.workflows ADD COLUMN later bigint NOT NULL DEFAULT 0;`,
    ],
  ])("a step that %s is taken, and the older one is not disturbed", async (_, sql) => {
    const { url } = await databaseInTest();
    const store = await openInTest({ url });
    const names = Array.from({ length: 8 }, (_each, index) => `w-${index}`);
    const owners = await Promise.all(names.map((name) => Owner.create(store, name)));
    const stop = commitAlong(owners);
    const newer = await importNewer(sql);
    await newer.applyPostgresSchema({ url });
    const before = owners.map(({ head }) => head.seq);
    await soon(() => owners.every(({ head }, index) => head.seq > (before[index] ?? 0))).toBe(true);
    expect(await stop()).toEqual([]);
    for (const { workflow, head } of owners) {
      expect((await store.load(workflow, [])).head.seq).toBe(head.seq);
    }
    // From now on only the newer program may begin.
    await errorOf(() => openInTest({ url }), "STORE_SCHEMA_NEWER");
    const later = await newer.openPostgresStore({ url, newIncarnation: () => "never asked" });
    expect(later.storeIncarnation).toBe(store.storeIncarnation);
    await later.close();
  });

  test("a step that fails leaves the schema as it was", async () => {
    const { url } = await databaseInTest();
    const newer = await importNewer("CREATE TABLE holdfast.later (id int); SELECT 1 / 0;");
    await expect(newer.applyPostgresSchema({ url })).rejects.toThrow(/division by zero/);
    await openInTest({ url });
    expect(await ask(url, "SELECT to_regclass('holdfast.later')::text")).toEqual([[null]]);
  });
});
