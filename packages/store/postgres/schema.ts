import type { LentConnection } from "./lent-connection.ts";
import { type Migration, migrations, schemaVersion } from "./migrations.ts";

/** Not "if not exists": that asks for the right to make one even where an administrator did. */
export const createSchema = "CREATE SCHEMA holdfast;";

/** Made before the first step: says which steps were taken, and what they left. */
export const bootstrap = `
CREATE TABLE holdfast.schema_version (
  only_row bigint PRIMARY KEY CHECK (only_row = 1),
  version bigint NOT NULL,
  server_version bigint NOT NULL
);
CREATE TABLE holdfast.schema_objects (
  name text COLLATE "C" PRIMARY KEY,
  definition text NOT NULL
);
`;

/**
 * Every migration's SQL, in order, as one transaction for an empty database: what
 * `holdfast schema print --postgres` shows, and what an administrator may run instead of `apply`.
 */
export function printPostgresSchema(): string {
  const version = "current_setting('server_version_num')::bigint / 10000";
  return [
    `BEGIN;\nSET LOCAL search_path = pg_catalog;\n\n-- 0000 bootstrap\n${createSchema}${bootstrap}`,
    ...migrations.map(printMigration),
    `-- what was made, so that a later change is noticed
INSERT INTO holdfast.schema_version (only_row, version, server_version)
VALUES (1, ${schemaVersion}, ${version});
${insertObjects};
COMMIT;
`,
  ].join("\n");
}

function printMigration({ version, name, sql }: Migration): string {
  return `-- ${String(version).padStart(4, "0")} ${name}\n${sql}`;
}

/**
 * Everything in the schema with what it means: columns, constraints and what enforces them,
 * indexes, triggers that are on, rules, functions, tables that survive a crash and hide no rows.
 * As the server writes it, so that it can be compared with what the same version of the server
 * wrote after the last step.
 */
const objects = `
SELECT 'table ' || c.relname AS name, md5(concat_ws(' ', c.relkind, c.relpersistence,
    c.relrowsecurity, c.relforcerowsecurity, (
    SELECT string_agg(concat_ws(' ', a.attname, format_type(a.atttypid, a.atttypmod),
      a.attnotnull, a.attidentity, a.attgenerated, a.attcollation::regcollation::text,
      (SELECT pg_get_expr(d.adbin, d.adrelid) FROM pg_attrdef AS d
        WHERE d.adrelid = a.attrelid AND d.adnum = a.attnum)), ', ' ORDER BY a.attnum)
    FROM pg_attribute AS a
    WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped))) AS definition
  FROM pg_class AS c WHERE c.relnamespace = 'holdfast'::regnamespace AND c.relkind NOT IN ('i', 'I')
UNION ALL
SELECT 'index ' || c.relname, md5(pg_get_indexdef(c.oid) || x.indisvalid::text)
  FROM pg_class AS c JOIN pg_index AS x ON x.indexrelid = c.oid
  WHERE c.relnamespace = 'holdfast'::regnamespace
UNION ALL
SELECT 'constraint ' || c.conname || ' of ' || c.conrelid::regclass::text,
  md5(concat_ws(' ', pg_get_constraintdef(c.oid), c.convalidated,
    (SELECT string_agg(t.tgenabled::text, '') FROM pg_trigger AS t WHERE t.tgconstraint = c.oid)))
  FROM pg_constraint AS c
  WHERE c.connamespace = 'holdfast'::regnamespace AND c.contype <> 'n'
UNION ALL
SELECT 'trigger ' || t.tgname || ' of ' || t.tgrelid::regclass::text,
  md5(pg_get_triggerdef(t.oid) || t.tgenabled::text)
  FROM pg_trigger AS t JOIN pg_class AS c ON c.oid = t.tgrelid
  WHERE c.relnamespace = 'holdfast'::regnamespace AND NOT t.tgisinternal
UNION ALL
SELECT 'rule ' || r.rulename || ' of ' || r.ev_class::regclass::text,
  md5(pg_get_ruledef(r.oid) || r.ev_enabled::text)
  FROM pg_rewrite AS r JOIN pg_class AS c ON c.oid = r.ev_class
  WHERE c.relnamespace = 'holdfast'::regnamespace
UNION ALL
SELECT 'function ' || p.oid::regprocedure::text, md5(pg_get_functiondef(p.oid))
  FROM pg_proc AS p WHERE p.pronamespace = 'holdfast'::regnamespace`;

const insertObjects = `INSERT INTO holdfast.schema_objects (name, definition) ${objects}`;

export async function recordObjects(connection: LentConnection): Promise<void> {
  await connection.rows("DELETE FROM holdfast.schema_objects");
  await connection.rows(insertObjects);
}

/** The first object that is not as it was recorded, in words; null = all are. */
export async function findDifference(connection: LentConnection): Promise<string | null> {
  const [found] = await connection.rows(`
    SELECT name, CASE WHEN n.name IS NULL THEN 'is missing'
      WHEN r.name IS NULL THEN 'is not ours' ELSE 'was changed' END
    FROM holdfast.schema_objects AS r FULL JOIN (${objects}) AS n USING (name)
    WHERE n.definition IS DISTINCT FROM r.definition ORDER BY name LIMIT 1`);
  return found === undefined ? null : `${found[0]} ${found[1]}`;
}
