import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { encodeCanonical } from "@holdfast/core";
import { WorkflowOwner } from "@holdfast/host";
import { openPostgresStore, openSqliteStore } from "@holdfast/store";
import {
  createSchemaDatabase,
  createTestDatabase,
  sharedServerUrl,
  type TestDatabase,
} from "@holdfast/store/testing/postgres";
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { cli, runProgram, server } from "./testing/run-program.ts";
import { runSql } from "./testing/run-sql.ts";

let database: TestDatabase;
let url = "";
beforeEach(async () => {
  database = await createSchemaDatabase();
  url = database.url;
});
afterEach(() => database.drop());

const openStore = () => openPostgresStore({ url, newIncarnation: () => "store-1" });

const pause = { workflow: "orders", actor: "ann", kind: "pause_workflow", at: 2 };

async function writeHistory(): Promise<void> {
  const store = await openStore();
  await store.createWorkflow("orders");
  const { epoch } = await store.load("orders", []);
  const owner = new WorkflowOwner(store, { workflow: "orders", epoch });
  await owner.execute([{ kind: "create_workflow", name: "orders" }], 1);
  await store.appendCommand({ ...pause, commandId: "1", body: encodeCanonical({}) });
  await owner.foldInbox(3, 10);
  await store.close();
}

const verify = (...args: string[]) => runProgram(cli, { url }, "verify", ...args);

/** A server on another timeline has other names for its log files, and nothing else to tell. */
const failOver = () => runSql(url, "UPDATE holdfast.store_meta SET timeline = '0000002A'");

/** A role that may connect, and nothing else. */
async function createRole() {
  const role = `app_${database.name}`;
  const asRole = new URL(url);
  const password = decodeURIComponent(asRole.password);
  await runSql(url, `CREATE ROLE ${role} LOGIN PASSWORD '${password}'`);
  asRole.username = role;
  const dropRole = () => runSql(url, `DROP OWNED BY ${role}; DROP ROLE ${role}`);
  return { role, asRole: asRole.href, dropRole };
}

describe("verify on PostgreSQL", () => {
  test("ends with 0 and tells what it looked at", async () => {
    await writeHistory();
    const { status, stdout } = await verify("--full");
    expect(stdout).toMatch(/orders: 3 records from the first record, \d+ rows, as recorded/);
    expect(stdout).toMatch(/1 workflow verified, nothing differs/);
    expect(status).toBe(0);
  });

  test("ends with 1 and names a row that somebody changed", async () => {
    await writeHistory();
    await runSql(url, "UPDATE holdfast.verdicts SET note = 'other'");
    const { status, stdout } = await verify();
    expect(status).toBe(1);
    expect(stdout).toMatch(/TABLES_DIFFER at record 3: verdicts 1: note is "other"/);
  });

  test("gives the same as one line of JSON", async () => {
    await writeHistory();
    const { stdout } = await verify("--json");
    expect(stdout.trim().split("\n")).toHaveLength(1);
    expect(JSON.parse(stdout)).toMatchObject({ ok: true, reports: [{ workflow: "orders" }] });
  });

  test("makes nothing in a database that has no store", async () => {
    const empty = await createTestDatabase(await sharedServerUrl());
    const { status, stderr } = await runProgram(cli, { url: empty.url }, "verify");
    expect(stderr).toMatch(/^STORE_GONE: .* it has no schema "holdfast"\. .*schema apply --grant/);
    expect(status).toBe(3);
    const made = "SELECT FROM pg_namespace WHERE nspname = 'holdfast'";
    expect(await runSql(empty.url, made)).toEqual([]);
    await empty.drop();
  });

  test("says that there is no store where only the schema was made", async () => {
    const { status, stderr } = await verify();
    expect(stderr).toMatch(/^STORE_GONE: .* the schema, in which no store was made yet\. /);
    expect(stderr).toMatch(/start Holdfast once/);
    expect(stderr).not.toContain("schema apply");
    expect(status).toBe(3);
  });

  test("does not advise to start Holdfast where the schema is somebody else's", async () => {
    const other = await createTestDatabase(await sharedServerUrl());
    await runSql(other.url, "CREATE SCHEMA holdfast");
    const empty = await runProgram(cli, { url: other.url }, "verify");
    expect(empty.stderr).toMatch(/^STORE_GONE: .* its schema "holdfast" is empty\. /);
    // With a table of our name, which it is not.
    await runSql(other.url, "CREATE TABLE holdfast.store_meta (id int)");
    const foreign = await runProgram(cli, { url: other.url }, "verify");
    expect(foreign.stderr).toMatch(/^STORE_NOT_A_DATABASE: .* that Holdfast did not make\. /);
    expect(foreign.stderr).not.toContain("holdfast start");
    await other.drop();
  });
});

describe("holdfast start on PostgreSQL", () => {
  test("makes a store, verifies it and says where it is, without the user's name", async () => {
    const { status, stdout } = await runProgram(server, { url }, "--check");
    expect(stdout).toContain(`PostgreSQL ${new URL(url).host}/${database.name}\n`);
    expect(stdout).toMatch(/0 workflows, 0 records .*: all as recorded/);
    expect(status).toBe(0);
    expect((await verify()).status).toBe(0);
  });

  test("says host, port and database, wherever they come from", async () => {
    const { hostname, port, username, password } = new URL(url);
    vi.stubEnv("PGHOST", hostname);
    vi.stubEnv("PGPORT", port);
    vi.stubEnv("PGUSER", decodeURIComponent(username));
    vi.stubEnv("PGPASSWORD", decodeURIComponent(password));
    vi.stubEnv("PGDATABASE", database.name);
    onTestFinished(() => void vi.unstubAllEnvs());
    const { stdout, stderr } = await runProgram(server, { url: "postgres://" }, "--check");
    expect(stderr).toBe("");
    expect(stdout).toContain(`PostgreSQL ${hostname}:${port}/${database.name}\n`);
  });

  test("does not go on with a store that is not as recorded", async () => {
    await writeHistory();
    await runSql(url, "UPDATE holdfast.workflows SET error = 'x'");
    const { status, stderr } = await runProgram(server, { url }, "--check");
    expect(stderr).toMatch(/TABLES_DIFFER at record \d+/);
    expect(status).toBe(1);
  });
});

describe("schema", () => {
  test("print shows SQL that makes all of it", async () => {
    const { stdout } = await runProgram(cli, {}, "schema", "print", "--postgres");
    const empty = await createTestDatabase(await sharedServerUrl());
    await runSql(empty.url, stdout);
    const objects = `SELECT relname FROM pg_class
      WHERE relnamespace = 'holdfast'::regnamespace ORDER BY relname`;
    expect(await runSql(empty.url, objects)).toEqual(await runSql(url, objects));
    await empty.drop();
  });

  test("apply makes it once, and no store in it", async () => {
    const empty = await createTestDatabase(await sharedServerUrl());
    const apply = () => runProgram(cli, { url: empty.url }, "schema", "apply", "--json");
    expect(await apply()).toMatchObject({ status: 0, stdout: '{"ok":true,"grantedTo":null}\n' });
    expect(await apply()).toMatchObject({ status: 0, stdout: '{"ok":true,"grantedTo":null}\n' });
    expect(await runSql(empty.url, "SELECT FROM holdfast.store_meta")).toEqual([]);
    expect((await runProgram(server, { url: empty.url }, "--check")).status).toBe(0);
    await empty.drop();
  });

  test("apply lets a role run hosts that could not before, and do nothing else", async () => {
    const { role, asRole, dropRole } = await createRole();
    const apply = ["schema", "apply", "--grant", role];
    for (const [program, command] of [
      [server, "--check"],
      [cli, "verify"],
    ] as const) {
      const denied = await runProgram(program, { url: asRole }, command);
      expect(denied.stderr).toMatch(/^STORE_ACCESS_DENIED: .*permission denied for schema/);
      expect(denied.stderr).toContain("holdfast schema apply --grant <role>");
      expect(denied.stderr).not.toContain("has no schema");
    }
    expect((await runProgram(cli, { url }, ...apply)).stdout).toContain(`the role ${role} may run`);
    expect((await runProgram(server, { url: asRole }, "--check")).status).toBe(0);
    await writeHistory();
    expect((await runProgram(cli, { url: asRole }, "verify", "--full")).status).toBe(0);
    expect((await runProgram(cli, { url: asRole }, "checkpoint")).status).toBe(0);
    const tamper = "UPDATE holdfast.journal SET hash = ''";
    await expect(runSql(asRole, tamper)).rejects.toThrow(/permission denied/);
    await runSql(url, "UPDATE holdfast.schema_version SET version = 2");
    const behind = await runProgram(server, { url: asRole }, "--check");
    expect(behind.stderr).toMatch(/^STORE_ACCESS_DENIED: .* or may not bring it to version \d/);
    expect(behind.stderr).not.toContain("has no schema");
    await dropRole();
  });

  test("apply ends with 2 where the role is not there, after making the schema", async () => {
    const granted = await runProgram(cli, { url }, "schema", "apply", "--grant", "nobody_here");
    expect(granted.stderr).toMatch(
      /the schema is in place, but the server has no role "nobody_here"/,
    );
    expect(granted.status).toBe(2);
  });

  test("apply ends with 2 where no database is named", async () => {
    const { status, stderr } = await runProgram(cli, {}, "schema", "apply");
    expect(stderr).toMatch(/HOLDFAST_POSTGRES_URL is not set/);
    expect(status).toBe(2);
  });
});

describe("accept-restored", () => {
  const accept = (...args: string[]) => runProgram(cli, { url }, "accept-restored", ...args);

  test("goes on under a new name only after a person has answered for it", async () => {
    await writeHistory();
    await failOver();
    for (const refused of [
      await verify(),
      await accept(),
      await runProgram(server, { url }, "--check"),
    ]) {
      expect(refused.stderr).toMatch(/^STORE_RESTORED: .* was last used on 0000002A/);
      expect(refused.status).toBe(3);
    }
    const { status, stdout } = await accept("--ledger-compared", "--json");
    expect(status).toBe(0);
    const names = JSON.parse(stdout);
    expect(names).toMatchObject({ ok: true, accepted: true, before: "store-1" });
    const [row] = await runSql(url, "SELECT store_incarnation AS name FROM holdfast.store_meta");
    expect(row).toEqual({ name: names.now });
    expect((await verify()).status).toBe(0);
  });

  test("says both names, and what a store that was never restored is called", async () => {
    await writeHistory();
    expect((await accept("--ledger-compared")).stdout).toMatch(/nothing to accept.* store-1/);
    await failOver();
    expect((await accept("--ledger-compared")).stdout).toMatch(
      /the store was store-1 and is [\w-]+/,
    );
  });

  test("is for the owner of the schema, and says so to the role that hosts run as", async () => {
    await writeHistory();
    const { role, asRole, dropRole } = await createRole();
    await runProgram(cli, { url }, "schema", "apply", "--grant", role);
    await failOver();
    const accepted = ["accept-restored", "--ledger-compared"];
    const { status, stderr } = await runProgram(cli, { url: asRole }, ...accepted);
    expect(stderr).toMatch(/^STORE_ACCESS_DENIED: This role may not accept .* as the owner/);
    expect(status).toBe(3);
    expect((await runProgram(cli, { url }, ...accepted)).status).toBe(0);
    expect((await runProgram(cli, { url: asRole }, "verify")).status).toBe(0);
    await dropRole();
  });

  test("accepts nothing where there is no store", async () => {
    expect(await accept("--ledger-compared")).toMatchObject({ status: 3 });
    expect(await runSql(url, "SELECT FROM holdfast.store_meta")).toEqual([]);
  });
});

describe("what cannot be opened", () => {
  test.each([["text"], ["JSON"]])("a server that is not there, in %s", async (form) => {
    const nowhere = { url: "postgres://ann:hunter2@127.0.0.1:1/shop" };
    const args = form === "JSON" ? ["verify", "--json"] : ["verify"];
    const { status, stdout, stderr } = await runProgram(cli, nowhere, ...args);
    expect(stdout + stderr).toMatch(/STORE_UNREACHABLE: .*PostgreSQL 127\.0\.0\.1:1\/shop/);
    expect(stdout + stderr).not.toContain("hunter2");
    expect(status).toBe(3);
    const started = await runProgram(server, nowhere);
    expect(started.stderr).toMatch(/^STORE_UNREACHABLE/);
    expect(started.stderr).not.toContain("hunter2");
    expect(started.status).toBe(3);
  });

  test("a database and a role that are not there", async () => {
    const other = new URL(url);
    other.pathname = "/nothing_here";
    expect((await runProgram(cli, { url: other.href }, "verify")).stderr).toMatch(/^STORE_GONE/);
    const stranger = new URL(url);
    stranger.username = "nobody_here";
    const { stderr } = await runProgram(cli, { url: stranger.href }, "verify");
    expect(stderr).toMatch(/^STORE_ACCESS_DENIED/);
  });

  test.each([
    ["shop"],
    ["mysql://ann:hunter2@127.0.0.1/shop"],
    ["postgres://ann:hunter2#x@127.0.0.1/shop"],
  ])("a URL such as %j, without repeating it", async (bad) => {
    for (const [program, word] of [
      [cli, "verify"],
      [server, "--check"],
    ] as const) {
      const { status, stdout, stderr } = await runProgram(program, { url: bad }, word);
      expect(stderr).toMatch(
        /^error: the address in HOLDFAST_POSTGRES_URL cannot be used: it is not/,
      );
      expect(stdout + stderr).not.toContain("hunter2");
      expect(status).toBe(2);
    }
  });

  test("a certificate that is not there", async () => {
    const secure = { url: `${url}?sslmode=verify-full&sslrootcert=/nowhere/root.crt` };
    const { status, stderr } = await runProgram(cli, secure, "verify");
    expect(stderr).toMatch(/names \/nowhere\/root\.crt as sslrootcert, which cannot be read/);
    expect(status).toBe(2);
  });

  test("a server without TLS, which is not said to be down", async () => {
    const { status, stderr } = await runProgram(
      cli,
      { url: `${url}?sslmode=verify-full` },
      "verify",
    );
    expect(stderr).toMatch(/^STORE_UNREACHABLE: .* does not offer TLS, which sslmode asks for/);
    expect(stderr).not.toContain("Check that the server runs");
    expect(status).toBe(3);
  });

  test("two stores at once, unless the command line names the folder", async () => {
    const data = mkdtempSync(join(tmpdir(), "holdfast-cli-"));
    const newIncarnation = () => "cli-test";
    await (await openSqliteStore({ folder: data, clock: () => 0, newIncarnation })).close();
    for (const [program, word] of [
      [cli, "verify"],
      [server, "--check"],
    ] as const) {
      const { status, stderr } = await runProgram(program, { data, url }, word);
      expect(stderr).toMatch(/two stores are named: HOLDFAST_DATA is .*holdfast-cli-/);
      expect(status).toBe(2);
    }
    for (const command of ["schema apply", "accept-restored --ledger-compared"]) {
      const { status, stderr } = await runProgram(cli, { data, url }, ...command.split(" "));
      expect(stderr).toMatch(/two stores are named: HOLDFAST_DATA is .*holdfast-cli-/);
      expect(status).toBe(2);
    }
    const named = await runProgram(cli, { data, url }, "verify", "--data", data);
    expect(named).toMatchObject({ status: 0, stderr: "" });
    rmSync(data, { recursive: true });
  });
});
