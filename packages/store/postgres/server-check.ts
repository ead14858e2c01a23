import { invariant } from "@holdfast/core";
import type { Database } from "./connection.ts";
import { hostError } from "./errors.ts";

const oldestVersion = 150_000;

const serverState = `
SELECT current_setting('server_version_num')::int,
  current_setting('server_encoding'),
  current_setting('fsync'),
  current_setting('full_page_writes'),
  current_setting('session_replication_role'),
  current_setting('default_transaction_isolation'),
  current_setting('transaction_read_only'),
  pg_is_in_recovery()`;

export type CheckedServer = { readonly majorVersion: number };

/**
 * Looks at what the promises hang on, before anything is written, and says what is wrong with it.
 * `synchronous_commit` is mended for each of our transactions, so it only has to be possible.
 */
export async function checkServer(database: Database): Promise<CheckedServer> {
  const row = await database.row("check server", serverState);
  invariant(row !== undefined, "what was asked for is one row");
  const [version, encoding, fsync, fullPages, replaying, isolation, readOnly, standby] = row;
  const refuse = (code: "STORE_NOT_DURABLE" | "STORE_SERVER_UNFIT" | "STORE_READ_ONLY") => {
    return (what: string, remedy: string) => {
      return hostError(code, { what: `${database.place}: ${what}.`, remedy }, database.place);
    };
  };
  if (Number(version) < oldestVersion) {
    const what = `the server is version ${version}, but 15 or later is needed`;
    throw refuse("STORE_SERVER_UNFIT")(what, "Upgrade the server.");
  }
  if (encoding !== "UTF8") {
    const remedy = "Create a database with ENCODING 'UTF8' for Holdfast.";
    throw refuse("STORE_SERVER_UNFIT")(`the database's encoding is ${encoding}`, remedy);
  }
  if (isolation !== "read committed") {
    const remedy = "Set default_transaction_isolation to 'read committed' for Holdfast's role.";
    throw refuse("STORE_SERVER_UNFIT")(`transactions are ${isolation} by default`, remedy);
  }
  if (replaying === "replica") {
    const remedy = "Reset session_replication_role for Holdfast's role and database.";
    throw refuse("STORE_SERVER_UNFIT")("sessions replay: no trigger would fire", remedy);
  }
  if (standby === true || readOnly === "on") {
    const what = standby === true ? "the server is a standby" : "sessions are read-only";
    throw refuse("STORE_READ_ONLY")(
      what,
      "Point Holdfast at the primary, with a role that writes.",
    );
  }
  for (const [name, value] of [
    ["fsync", fsync],
    ["full_page_writes", fullPages],
  ]) {
    if (value === "on") continue;
    const remedy = `Set ${name} to on: otherwise the server forgets what it acknowledged.`;
    throw refuse("STORE_NOT_DURABLE")(`${name} is ${value}`, remedy);
  }
  return { majorVersion: Math.floor(Number(version) / 10_000) };
}
