import {
  applyPostgresSchema,
  grantPostgresRole,
  printPostgresSchema,
  printSchema,
} from "@holdfast/store";
import { Command } from "commander";
import { example } from "../group.ts";
import { admitUrl } from "../open-store.ts";
import { requireUrl, UsageError } from "../store-place.ts";

export function schemaCommand(): Command {
  return new Command("schema")
    .addCommand(example(printCommand(), "schema print", "schema print --postgres --json"))
    .addCommand(example(applyCommand(), "schema apply --grant holdfast_host"));
}

function printCommand(): Command {
  return new Command("print")
    .description("print the SQL of every migration, in order")
    .option("--postgres", "for PostgreSQL instead of SQLite", false)
    .option("--json", "one line of JSON", false)
    .action(({ postgres, json }: { readonly postgres: boolean; readonly json: boolean }) => {
      const sql = postgres ? printPostgresSchema() : printSchema();
      console.log(json ? JSON.stringify({ sql }) : sql);
    });
}

function applyCommand(): Command {
  return new Command("apply")
    .description("bring the PostgreSQL database in HOLDFAST_POSTGRES_URL to this version's schema")
    .option("--postgres", "implied: SQLite makes its schema by itself", true)
    .option("--grant <role>", "let this role run hosts, and no more than that")
    .option("--json", "one line of JSON", false)
    .action(apply);
}

type ApplyOptions = { readonly grant?: string | null; readonly json: boolean };

async function apply({ grant: role = null, json }: ApplyOptions): Promise<void> {
  const url = await admitUrl(requireUrl());
  await applyPostgresSchema({ url });
  if (role !== null && !(await grantPostgresRole({ url }, role))) {
    throw new UsageError(
      `the schema is in place, but the server has no role ${JSON.stringify(role)}. ` +
        "Create it (CREATE ROLE … LOGIN), then say this again.",
    );
  }
  if (json) return console.log(JSON.stringify({ ok: true, grantedTo: role }));
  console.log("the schema is in place");
  if (role !== null) console.log(`the role ${role} may run hosts on it`);
}
