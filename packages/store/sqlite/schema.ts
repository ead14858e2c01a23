import { Connection } from "./connection.ts";
import { hostError } from "./errors.ts";
import { type Migration, migrations } from "./migrations.ts";

/** Every migration's SQL, in order: what `holdfast schema print` shows. */
export function printSchema(): string {
  return migrations.map(printMigration).join("\n");
}

function printMigration({ version, name, sql }: Migration): string {
  return `-- ${String(version).padStart(4, "0")} ${name}\n${sql}`;
}

type SchemaObjects = ReadonlyMap<string, string>;

function readSchema(connection: Connection): SchemaObjects {
  // Objects without SQL are made by SQLite itself; sqlite_stat1 and the like come from ANALYZE.
  // Tables come before what is on them, everything else in the order in which it was made.
  const rows = connection.rows(
    `SELECT type || ' ' || name, sql FROM sqlite_schema
     WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
     ORDER BY type <> 'table', rowid`,
  );
  return new Map(rows.map(([name, sql]) => [String(name), String(sql)]));
}

const expectedSchemas = new Map<number, SchemaObjects>();

function expectSchema(version: number): SchemaObjects {
  const known = expectedSchemas.get(version);
  if (known !== undefined) return known;
  const connection = new Connection(":memory:", "memory");
  try {
    for (const step of migrations.slice(0, version)) connection.db.exec(step.sql);
    const expected = readSchema(connection);
    expectedSchemas.set(version, expected);
    return expected;
  } finally {
    connection.close();
  }
}

/** What all steps come to, for a store that is new: no table is made only to be remade. */
export function wholeSchema(): string {
  return [...expectSchema(migrations.length).values()].join(";\n");
}

/**
 * Refuses a database in which a table, index or trigger is not the one that the migrations up to
 * this version made.
 */
export function checkSchema(connection: Connection, version: number): void {
  const expected = expectSchema(version);
  const found = readSchema(connection);
  for (const [name, sql] of expected) {
    const here = found.get(name);
    if (here === undefined) throw differs(connection.path, name, "is missing");
    if (here !== sql) throw differs(connection.path, name, "was changed");
  }
  for (const name of found.keys()) {
    if (!expected.has(name)) throw differs(connection.path, name, "is not ours");
  }
}

function differs(path: string, name: string, how: string): Error {
  return hostError("STORE_SCHEMA_DIFFERS", {
    what: `${path}: ${name} ${how}.`,
    remedy:
      "Undo the change (`holdfast schema print` shows what belongs there) or restore a backup.",
    details: { path, object: name },
  });
}
