import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { encodeCanonical } from "@holdfast/core";
import { WorkflowOwner } from "@holdfast/host";
import { openSqliteStore } from "@holdfast/store/sqlite";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

const cli = fileURLToPath(new URL("./holdfast.js", import.meta.url));
const server = fileURLToPath(new URL("../server/main.ts", import.meta.url));

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "holdfast-cli-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

function run(program: string, ...args: string[]) {
  const env = { ...process.env, HOLDFAST_DATA: folder, HOLDFAST_POSTGRES_URL: "" };
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], { env });
  return { status, stdout: stdout.toString(), stderr: stderr.toString() };
}

const openStore = () =>
  openSqliteStore({ folder, clock: () => 0, newIncarnation: () => "cli-test" });

async function writeHistory(): Promise<void> {
  const store = await openStore();
  await store.createWorkflow("orders");
  const { epoch } = await store.load("orders", []);
  const owner = new WorkflowOwner(store, { workflow: "orders", epoch });
  await owner.execute([{ kind: "create_workflow", name: "orders" }], 1);
  const pause = { commandId: "1", workflow: "orders", actor: "ann", kind: "pause_workflow", at: 2 };
  await store.appendCommand({ ...pause, body: encodeCanonical({}) });
  await owner.foldInbox(3, 10);
  await store.close();
}

function tamper(sql: string): void {
  const database = new DatabaseSync(join(folder, "holdfast.db"));
  database.exec(sql);
  database.close();
}

describe("holdfast start", () => {
  test("makes a data folder, verifies it and says so", () => {
    const { status, stdout } = run(server, "--check");
    expect(status).toBe(0);
    expect(stdout).toMatch(/keeps its data in .*holdfast-cli/);
    expect(stdout).toMatch(/0 workflows, 0 records .*: all as recorded/);
  });

  test("does not go on with a store that is not as recorded", async () => {
    await writeHistory();
    tamper("UPDATE workflows SET error = 'x'");
    const { status, stderr } = run(server, "--check");
    expect(status).toBe(1);
    expect(stderr).toMatch(/TABLES_DIFFER at record \d+/);
  });
});

describe("holdfast verify", () => {
  test("ends with 0 and tells what it looked at", async () => {
    await writeHistory();
    const { status, stdout } = run(cli, "verify", "--full");
    expect(stdout).toMatch(/orders: 3 records from the first record, \d+ rows, as recorded/);
    expect(stdout).toMatch(/1 workflow verified, nothing differs/);
    expect(status).toBe(0);
  });

  test("ends with 1 and names the first difference with its journal position", async () => {
    await writeHistory();
    tamper("UPDATE verdicts SET note = 'other'");
    const { status, stdout } = run(cli, "verify");
    expect(status).toBe(1);
    expect(stdout).toMatch(/TABLES_DIFFER at record 3: verdicts 1: note is "other"/);
    expect(stdout).toMatch(/docs\/errors\/TABLES_DIFFER\.md/);
  });

  test("gives the same as one line of JSON", async () => {
    await writeHistory();
    const { status, stdout } = run(cli, "verify", "--json");
    expect(status).toBe(0);
    expect(stdout.trim().split("\n")).toHaveLength(1);
    const report = { workflow: "orders", head: 3, recordCount: 3, problems: [] };
    expect(JSON.parse(stdout)).toMatchObject({ ok: true, reports: [report] });
  });

  test("starts from the last checkpoint", async () => {
    await writeHistory();
    expect(run(cli, "checkpoint").stdout).toMatch(/orders: checkpoint at record 4/);
    expect(run(cli, "verify").stdout).toMatch(/0 records from the checkpoint before record 5/);
    expect(run(cli, "verify", "--full").stdout).toMatch(/4 records from the first record/);
  });

  test.each([["verify"], ["checkpoint"]])("%s ends with 1 on the same finding", async (command) => {
    await writeHistory();
    tamper("UPDATE verdicts SET note = 'other'");
    const { status, stdout } = run(cli, command);
    expect(stdout).toMatch(/TABLES_DIFFER at record 3: verdicts 1: note is "other"/);
    expect(status).toBe(1);
    const { ok } = JSON.parse(run(cli, command, "--json").stdout);
    expect(ok).toBe(false);
  });

  test("makes no database where there is none", () => {
    const { status, stderr } = run(cli, "verify", "--data", join(folder, "typo"));
    expect(status).toBe(3);
    expect(stderr).toMatch(/^STORE_GONE: There is no Holdfast database in .*typo\./);
  });

  test("refuses a folder another process owns, and says who", async () => {
    const store = await openStore();
    const { status, stderr } = run(cli, "verify");
    await store.close();
    expect(status).toBe(3);
    expect(stderr).toMatch(/STORE_LOCKED/);
    expect(stderr).toContain(String(process.pid));
  });

  test("refuses a file that is no database, in JSON when asked for JSON", () => {
    writeFileSync(join(folder, "holdfast.db"), "this is not a database, but it is long enough");
    const { status, stdout } = run(cli, "verify", "--json");
    expect(status).toBe(3);
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: "STORE_NOT_A_DATABASE" } });
  });
});

describe("the command line", () => {
  test("prints the schema", () => {
    const { status, stdout } = run(cli, "schema", "print");
    expect(status).toBe(0);
    expect(stdout).toMatch(/CREATE TABLE mutation_inputs/);
  });

  test.each([[["bogus"]], [["verify", "--bogus"]], [["schema"]]])("ends with 2 on %j", (args) => {
    expect(run(cli, ...args).status).toBe(2);
  });

  test.each([
    { args: ["bogus", "--json"], says: /unknown command 'bogus'/ },
    { args: ["verify", "--bogus", "--json"], says: /unknown option '--bogus'/ },
    { args: ["schema", "apply", "--json", "--grant"], says: /argument missing/ },
    { args: ["schema", "apply", "--json"], says: /HOLDFAST_POSTGRES_URL is not set/ },
  ])("says what is wrong with $args in JSON when asked for JSON", ({ args, says }) => {
    const { status, stdout, stderr } = run(cli, ...args);
    const error = { code: "USAGE", message: expect.stringMatching(says) };
    expect(stderr).toBe("");
    expect(JSON.parse(stdout)).toEqual({ error });
    expect(status).toBe(2);
  });

  test.each([
    { program: cli, args: ["--help"] },
    { program: cli, args: ["verify", "--help"] },
    { program: server, args: ["--help"] },
  ])("lists the variables that matter when asked for help with $args", ({ program, args }) => {
    const { status, stdout } = run(program, ...args);
    for (const name of ["HOLDFAST_DATA", "HOLDFAST_POSTGRES_URL", "PGPASSWORD", "PGHOST"]) {
      expect(stdout).toContain(name);
    }
    expect(status).toBe(0);
  });
});

describe("a command line that makes no sense", () => {
  test.each(["machine", "topics", "workflows"])(
    "%s alone shows what can be done with it",
    (name) => {
      const { status, stderr } = run(cli, name);
      expect([name, status]).toEqual([name, name === "workflows" ? 3 : 2]);
      if (name !== "workflows") expect(stderr).toMatch(/Usage: holdfast .*Commands:.* ls /s);
    },
  );

  test("a group alone says as JSON that a command is missing", () => {
    const { status, stdout } = run(cli, "machine", "--json");
    expect(status).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: "USAGE" } });
  });

  test.each([
    ["machine", "cancel", "orders", "ab", "--wait-ms", "-5"],
    ["workflow", "pause", "orders", "--wait-ms", "soon"],
    ["machine", "apply", "orders", "1", "--within-ms", "x"],
  ])("%s %s takes no time that is none", (...words) => {
    const { status, stderr } = run(cli, ...words);
    expect(status).toBe(2);
    expect(stderr).toContain("A whole number is expected, 0 or more.");
  });
});
