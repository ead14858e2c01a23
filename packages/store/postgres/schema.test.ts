import { tableNames } from "@holdfast/core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { tableCodecs, workflowColumn } from "../columns.ts";
import { migrations, schemaVersion } from "./migrations.ts";
import { printPostgresSchema } from "./schema.ts";
import { createSchemaDatabase, type TestDatabase } from "./testing/index.ts";
import { ask, databaseInTest } from "./testing/store-in-test.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await createSchemaDatabase();
});
afterAll(() => database?.drop());

const sqlTypes = { TEXT: "text", INTEGER: "bigint", BLOB: "bytea" } as const;

/** Of tables of the store's own; a workflow's id leads the keys of all the others. */
const ofNoWorkflow = [
  "budgets",
  "hosts",
  "schema_objects",
  "schema_version",
  "store_brake",
  "store_meta",
];

async function columnsOf(table: string): Promise<readonly unknown[][]> {
  return ask(
    database.url,
    `SELECT attname, format_type(atttypid, atttypmod), NOT attnotnull FROM pg_attribute
     WHERE attrelid = 'holdfast.${table}'::regclass AND attnum > 0 ORDER BY attnum`,
  );
}

test("steps are numbered from 1 without a gap", () => {
  expect(migrations.map(({ version }) => version)).toEqual(
    Array.from({ length: schemaVersion }, (_, index) => index + 1),
  );
});

describe("a table has the columns of the core behind the workflow id, in their order", () => {
  test.each(tableNames.filter((table) => table !== "workflows"))("%s", async (table) => {
    const expected = tableCodecs[table].columns.map(({ name, type, nullable }) => {
      return [name, sqlTypes[type], nullable];
    });
    const found = await columnsOf(table);
    expect(found).toEqual([["workflow", "text", false], ...expected]);
  });

  test("workflows, behind the columns that the store itself keeps", async () => {
    // All null until the workflow is deployed, so that all of them may be.
    const expected = tableCodecs.workflows.columns.map(({ name, type }) => {
      return [name, sqlTypes[type], true];
    });
    const found = await columnsOf("workflows");
    expect(found[0]).toEqual(["id", "text", false]);
    expect(found.slice(-expected.length)).toEqual(expected);
  });
});

test("every key leads with the workflow, so that tables can be cut along it", async () => {
  const leading = await ask(
    database.url,
    `SELECT c.relname, i.relname, a.attname FROM pg_index AS x
     JOIN pg_class AS c ON c.oid = x.indrelid JOIN pg_class AS i ON i.oid = x.indexrelid
     JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum = x.indkey[0]
     WHERE c.relnamespace = 'holdfast'::regnamespace AND x.indisunique
       AND c.relname NOT IN (${ofNoWorkflow.map((name) => `'${name}'`).join()})`,
  );
  expect(leading.length).toBeGreaterThanOrEqual(tableNames.length);
  for (const [table, index, column] of leading) {
    const expected = table === "workflows" ? "id" : "workflow";
    expect([index, column]).toEqual([index, expected]);
  }
});

test("a key is the core's key behind the workflow, whatever its order", async () => {
  const keys = await ask(
    database.url,
    `SELECT c.relname, (SELECT json_agg(a.attname) FROM pg_attribute AS a
       WHERE a.attrelid = c.oid AND a.attnum = ANY (x.indkey))
     FROM pg_index AS x JOIN pg_class AS c ON c.oid = x.indrelid
     WHERE c.relnamespace = 'holdfast'::regnamespace AND x.indisprimary`,
  );
  const found = new Map(keys.map(([table, columns]) => [table, columns]));
  for (const table of tableNames) {
    const expected = [workflowColumn(table), ...tableCodecs[table].key];
    expect([...(found.get(table) as string[])].sort()).toEqual([...expected].sort());
  }
});

test("the journal and the ledger hang on no other table", async () => {
  const foreign = await ask(
    database.url,
    `SELECT conrelid::regclass::text, confrelid::regclass::text FROM pg_constraint
     WHERE connamespace = 'holdfast'::regnamespace AND contype = 'f'`,
  );
  expect(foreign).toEqual([["holdfast.events", "holdfast.reservations"]]);
});

test("text in a key sorts by code point, whatever the database sorts by", async () => {
  const others = await ask(
    database.url,
    `SELECT c.relname, a.attname FROM pg_index AS x JOIN pg_class AS c ON c.oid = x.indrelid
     JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum = ANY (x.indkey)
     WHERE c.relnamespace = 'holdfast'::regnamespace AND a.atttypid = 'text'::regtype
       AND a.attcollation <> '"C"'::regcollation
     ORDER BY c.relname, a.attname`,
  );
  // Words of a closed set, which are only ever compared for being the same.
  expect(others).toEqual([
    ["items", "status"],
    ["mutations", "state"],
    ["runs", "status"],
  ]);
});

test("every table outlives a crash", async () => {
  const unlogged = await ask(
    database.url,
    `SELECT relname FROM pg_class WHERE relnamespace = 'holdfast'::regnamespace
     AND relpersistence <> 'p'`,
  );
  expect(unlogged).toEqual([]);
});

test("what is printed names everything that a database gets", async () => {
  const printed = printPostgresSchema();
  const { url } = await databaseInTest();
  const names = await ask(
    url,
    `SELECT relname FROM pg_class WHERE relnamespace = 'holdfast'::regnamespace
       AND relkind = 'r'
     UNION ALL SELECT proname FROM pg_proc WHERE pronamespace = 'holdfast'::regnamespace
     UNION ALL SELECT tgname FROM pg_trigger AS t JOIN pg_class AS c ON c.oid = t.tgrelid
       WHERE c.relnamespace = 'holdfast'::regnamespace AND NOT t.tgisinternal`,
  );
  expect(names.length).toBeGreaterThan(50);
  for (const [name] of names) expect(printed).toMatch(new RegExp(`\\b${name}\\b`));
});
