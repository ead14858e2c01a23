/**
 * One server for a whole test run. The process that runs the tests opens a door and hands its
 * number to every test file; the first file that knocks has the server started, so that a run
 * without such a file does not pay for it.
 */
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync, statfsSync } from "node:fs";
import { connect, createServer } from "node:net";
import {
  databasePrefix,
  dropDatabase,
  memoryServerName,
  runVariable,
  withConnection,
} from "./test-database.ts";
import { TestServer } from "./test-server.ts";

/** An existing server to use instead; its role must be allowed to create databases. */
export const urlVariable = "HOLDFAST_TEST_POSTGRES_URL";

declare module "vitest" {
  interface ProvidedContext {
    /** The port of the door. */
    readonly postgresDoor: number;
  }
}

export type SharedServer = {
  readonly door: number;
  readonly close: () => Promise<void>;
};

/** Where files are memory, a sync costs nothing, and a database a tenth. */
const memoryFolder = "/dev/shm";
/** Far more than the databases of one run, which are dropped one by one, ever fill. */
const memoryBytesMin = 2 * 1024 ** 3;

/** As careful as any, since a store refuses a server that is not. */
async function startQuick(): Promise<TestServer> {
  if (!hasMemoryFolder()) return TestServer.start();
  const inMemory = TestServer.start({
    parameters: { cluster_name: memoryServerName, max_wal_size: "256MB" },
    parentFolder: memoryFolder,
  });
  // The folder may turn out to forbid something; then the disk will do.
  return inMemory.catch(() => TestServer.start());
}

function hasMemoryFolder(): boolean {
  if (!existsSync(memoryFolder)) return false;
  const { bavail, bsize } = statfsSync(memoryFolder);
  return bavail * bsize >= memoryBytesMin;
}

/** Called once, by the process that starts the others: they inherit the name of the run. */
export async function openSharedServer(start = startQuick): Promise<SharedServer> {
  const run = `run${process.pid}x${randomBytes(3).toString("hex")}`;
  process.env[runVariable] = run;
  let started: Promise<TestServer> | null = null;
  const findUrl = async (): Promise<string> => {
    const existing = process.env[urlVariable];
    if (existing !== undefined) return existing;
    started ??= start();
    return (await started).url();
  };
  const door = createServer((socket) => {
    socket.on("error", () => {}); // whoever knocked died meanwhile
    findUrl().then(
      (url) => socket.end(JSON.stringify({ url })),
      (error: unknown) => socket.end(JSON.stringify({ problem: String(error) })),
    );
  });
  door.listen(0, "127.0.0.1");
  await once(door, "listening");
  const close = async (): Promise<void> => {
    door.close();
    const existing = process.env[urlVariable];
    if (existing !== undefined) await dropLeftovers(existing, run);
    await (await started?.catch(() => null))?.stop();
  };
  const address = door.address();
  return { door: typeof address === "object" ? (address?.port ?? 0) : 0, close };
}

async function dropLeftovers(serverUrl: string, run: string): Promise<void> {
  const names = await withConnection(serverUrl, async (client) => {
    const sql = "SELECT datname FROM pg_database WHERE starts_with(datname, $1)";
    const { rows } = await client.query<{ datname: string }>(sql, [databasePrefix(run)]);
    return rows.map(({ datname }) => datname);
  });
  for (const name of names) await dropDatabase(serverUrl, name);
}

/** The server's URL, as a role that may create databases. Starts the server if nobody has yet. */
export async function knock(door: number): Promise<string> {
  const socket = connect(door, "127.0.0.1").setEncoding("utf8");
  let text = "";
  for await (const part of socket) text += part;
  const answer: unknown = JSON.parse(text);
  if (typeof answer === "object" && answer !== null && "url" in answer) return String(answer.url);
  throw new Error(`no PostgreSQL server: ${text}`);
}
