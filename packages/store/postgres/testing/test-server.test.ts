import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { nobody } from "../../sqlite/testing/child.ts";
import { isFree } from "./free-port.ts";
import { listAlive, waitUntil } from "./server-processes.ts";
import { withConnection } from "./test-database.ts";
import { TestServer } from "./test-server.ts";

const waitMsMax = 10_000;

async function ask(server: TestServer, sql: string): Promise<unknown[]> {
  return withConnection(server.url(), async (client) => (await client.query(sql)).rows);
}

/** Counts as gone what nobody could start a server beside. */
function isGone(processIds: readonly number[], folder: string): boolean {
  return listAlive(processIds).length === 0 && !existsSync(folder);
}

async function connectTo(server: TestServer): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: server.url() });
  client.on("error", () => {});
  await client.connect();
  onTestFinished(() => client.end().catch(() => {}));
  return client;
}

describe("a server", () => {
  let server: TestServer;

  beforeAll(async () => {
    server = await TestServer.start();
    await ask(server, "CREATE TABLE kept (id int)");
  });

  afterAll(() => server.stop());

  test("is as careful with data as one in earnest", async () => {
    const careful = ["fsync", "full_page_writes", "synchronous_commit", "data_checksums"];
    for (const name of careful)
      expect(await ask(server, `SHOW ${name}`)).toEqual([{ [name]: "on" }]);
    expect(await ask(server, "SHOW server_encoding")).toEqual([{ server_encoding: "UTF8" }]);
  });

  test.each(["kill", "crash", "shutDown"] as const)(
    "that is down after %s comes back on its port with what was committed and nothing else",
    async (how) => {
      await ask(server, "TRUNCATE kept");
      await ask(server, "INSERT INTO kept VALUES (1)");
      const open = await connectTo(server);
      await open.query("BEGIN; INSERT INTO kept VALUES (2)");
      const { processIds, port } = server;
      await server[how]();
      expect(listAlive(processIds)).toEqual([]);
      expect(server.processIds).toEqual([]);
      expect(await isFree(port)).toBe(true);
      await server.restart();
      expect(server.port).toBe(port);
      expect(await ask(server, "SELECT id FROM kept")).toEqual([{ id: 1 }]);
    },
  );

  test("has the parameters it was restarted with", async () => {
    await server.restart({ parameters: { work_mem: "7MB", log_line_prefix: "it's " } });
    expect(await ask(server, "SHOW work_mem")).toEqual([{ work_mem: "7MB" }]);
    expect(await ask(server, "SHOW log_line_prefix")).toEqual([{ log_line_prefix: "it's " }]);
  });

  test("that is paused says nothing until it is resumed", async () => {
    const client = await connectTo(server);
    server.pause();
    let answered = false;
    const answer = client.query("SELECT 1 AS one").then(({ rows }) => {
      answered = true;
      return rows;
    });
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(answered).toBe(false);
    server.resume();
    expect(await answer).toEqual([{ one: 1 }]);
  });

  test("that is killed while it is paused comes back", async () => {
    server.pause();
    await server.kill();
    await server.restart();
    expect(await ask(server, "SELECT 1 AS one")).toEqual([{ one: 1 }]);
  });
});

test("a server that is stopped leaves neither processes nor files", async () => {
  const server = await TestServer.start();
  const folder = dirname(server.dataFolder);
  const { processIds } = server;
  expect(isGone(processIds, folder)).toBe(false);
  expect(listAlive(processIds).length).toBeGreaterThan(5);
  await server.stop();
  expect(isGone(processIds, folder)).toBe(true);
  await server.stop();
});

test("a server that cannot start says why, and leaves nothing", async () => {
  const before = process.env["TMPDIR"];
  const folder = mkdtempSync(join(tmpdir(), "holdfast-tmp-"));
  chmodSync(folder, 0o755); // whoever runs the server must come through
  process.env["TMPDIR"] = folder;
  onTestFinished(() => {
    if (before === undefined) delete process.env["TMPDIR"];
    else process.env["TMPDIR"] = before;
    rmSync(folder, { recursive: true });
  });
  const start = TestServer.start({ parameters: { shared_buffers: "nonsense" } });
  await expect(start).rejects.toThrow(/invalid value for parameter "shared_buffers"/);
  expect(readdirSync(folder)).toEqual([]);
});

test("a server ends with its process, even if that is killed and is not root", async () => {
  const script = fileURLToPath(new URL("./server-child.ts", import.meta.url));
  const asNobody = process.getuid?.() === 0 ? { uid: nobody, gid: nobody } : {};
  const child = spawn(process.execPath, [script], {
    stdio: ["ignore", "pipe", "inherit"],
    ...asNobody,
  });
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  const [line] = await once(createInterface({ input: child.stdout }), "line");
  const { folder, processIds } = JSON.parse(String(line));
  expect(listAlive(processIds)).toContain(processIds[0]);
  child.kill("SIGKILL");
  expect(await waitUntil(() => isGone(processIds, folder), waitMsMax)).toBe(true);
});
