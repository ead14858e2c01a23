import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { tableNames } from "@holdfast/core";
import { expect, test } from "vitest";
import { tableCodecs, workflowColumn } from "../columns.ts";
import { Connection } from "./connection.ts";
import { migrate } from "./migrate.ts";
import { migrations, schemaVersion } from "./migrations.ts";
import { checkSchema, printSchema } from "./schema.ts";
import { newFolder } from "./testing/folder.ts";

const fresh = { newIncarnation: () => "store-1", lastIncarnation: null } as const;

function openFile(folder = newFolder()): Connection {
  return new Connection(join(folder, "holdfast.db"), "write");
}

test("steps are numbered from 1 without a gap", () => {
  expect(migrations.map((step) => step.version)).toEqual(migrations.map((_, index) => index + 1));
});

test("every table has the columns of the core, with their types, and no others but control", () => {
  const control: Readonly<Record<string, readonly string[]>> = {
    workflows: [
      "head",
      "head_hash",
      "head_at",
      "epoch",
      "owner",
      "due_at",
      "unclean_since",
      "inbox_tail",
      "fact_version",
    ],
    topics: ["low_water"],
  };
  const connection = openFile();
  migrate(connection, fresh);
  for (const table of tableNames) {
    const found = connection
      .rows(`SELECT name, type, "notnull" FROM pragma_table_info(?)`, table)
      .filter(([name]) => !control[table]?.includes(String(name)))
      .map(([name, type, notNull]) => ({ name, type, nullable: notNull === 0 }));
    // The workflow row is part of the control row and null until the workflow has a name.
    const columns = tableCodecs[table].columns.map((column) => ({
      ...column,
      nullable: column.nullable || table === "workflows",
    }));
    const id = { name: workflowColumn(table), type: "TEXT", nullable: false };
    expect(found, table).toEqual([id, ...columns]);
  }
  connection.close();
});

test("a new store is what its steps would have made, and holds nothing else", () => {
  const [atOnce, byStep] = [openFile(), openFile()];
  migrate(atOnce, fresh);
  for (const { sql } of migrations) byStep.db.exec(sql);
  checkSchema(byStep, schemaVersion);
  const tables = byStep.rows("SELECT name FROM sqlite_schema WHERE type = 'table'").flat();
  const filled = (connection: Connection) =>
    tables.filter((table) => connection.row(`SELECT 1 FROM "${table}"`) !== undefined);
  expect([filled(atOnce), filled(byStep)]).toEqual([["store_meta"], []]);
  for (const connection of [atOnce, byStep]) connection.close();
});

test("prints every table, index and trigger that a database gets", () => {
  const connection = openFile();
  migrate(connection, fresh);
  const printed = printSchema();
  const objects = connection.rows("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL");
  expect(objects.length).toBeGreaterThan(30);
  // A later step may add columns to a table: the next test compares the whole.
  for (const [sql] of objects) expect(printed).toContain(String(sql).split("\n")[0]);
  connection.close();
});

test("what it prints makes the same database", () => {
  const connection = new Connection(":memory:", "memory");
  connection.db.exec(printSchema());
  checkSchema(connection, schemaVersion);
  connection.close();
});

test("goes forward from every earlier version and keeps what is there", () => {
  for (const from of migrations) {
    const connection = openFile();
    for (const step of migrations) {
      if (step.version <= from.version) connection.db.exec(step.sql);
    }
    connection.db.exec(`
      PRAGMA application_id = ${0x484f4c44};
      INSERT INTO store_meta (only_row, schema_version, store_incarnation)
        VALUES (1, ${from.version}, 'store-old');
      INSERT INTO workflows (id, head_hash) VALUES ('orders', 'x');`);
    const meta = migrate(connection, fresh);
    expect(meta).toEqual({ schemaVersion, storeIncarnation: "store-old", restoredFrom: null });
    expect(connection.rows("SELECT id FROM workflows")).toEqual([["orders"]]);
    checkSchema(connection, schemaVersion);
    connection.close();
  }
});

/** A database as the first version left it. */
function openFirstVersion(): Connection {
  const connection = openFile();
  connection.db.exec(`${migrations[0]?.sql}
    PRAGMA application_id = ${0x484f4c44};
    INSERT INTO store_meta VALUES (1, 1, 'store-old');`);
  return connection;
}

function expectUntouched(connection: Connection, move: () => void): void {
  const look = () => [
    connection.rows("SELECT name, sql FROM sqlite_schema ORDER BY name"),
    connection.rows("SELECT * FROM store_meta"),
  ];
  const before = look();
  move();
  expect(look()).toEqual(before);
  expect(before[1]).toEqual([[1, 1, "store-old"]]);
}

test("a step that fails leaves the database as it was", () => {
  const connection = openFirstVersion();
  // No room for the objects of the next step.
  connection.db.exec(`PRAGMA max_page_count = ${connection.pragma("page_count")}`);
  expectUntouched(connection, () => {
    expect(() => migrate(connection, fresh)).toThrow(/full/);
  });
  connection.close();
});

const tampered: readonly (readonly [what: string, sql: string, says: RegExp])[] = [
  ["an index is missing", "DROP INDEX one_open_run", /index one_open_run is missing/],
  ["a table was changed", "ALTER TABLE events ADD COLUMN mine TEXT", /table events was changed/],
  [
    "something was added under a name of a later step",
    "CREATE TRIGGER ledger_edge AFTER INSERT ON hosts BEGIN SELECT 1; END",
    /trigger ledger_edge is not ours/,
  ],
];

test.each(tampered)("does not go forward from a version in which %s", (_, sql, says) => {
  const connection = openFirstVersion();
  connection.db.exec(sql);
  expectUntouched(connection, () => {
    expect(() => migrate(connection, fresh)).toThrow(says);
  });
  connection.close();
});

test("makes strict tables only", () => {
  const db = new DatabaseSync(":memory:");
  for (const step of migrations) db.exec(step.sql);
  const loose = db
    .prepare("SELECT name FROM pragma_table_list WHERE type = 'table' AND strict = 0")
    .all()
    .filter((row) => !String(row["name"]).startsWith("sqlite_"));
  expect(loose).toEqual([]);
  db.close();
});
