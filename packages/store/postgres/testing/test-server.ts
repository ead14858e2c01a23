import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { findFreePort } from "./free-port.ts";
import { ServerFolder, type ServerParameters } from "./server-folder.ts";
import { ServerGuard } from "./server-guard.ts";
import { freeze, listAlive, listChildren, sendSignal, waitUntil } from "./server-processes.ts";
import { copyForStandby, waitForReplay } from "./standby-copy.ts";
import { withConnection } from "./test-database.ts";

/** As safe as a server can be set, and small; a bench or a test of its own names what differs. */
const defaultParameters: ServerParameters = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  fsync: "on",
  full_page_writes: "on",
  synchronous_commit: "on",
  max_connections: 200,
  shared_buffers: "64MB",
  // In the data folder, so that a killed server leaves nothing in the system's shared memory.
  dynamic_shared_memory_type: "mmap",
  // For a standby that is made while the primary works.
  wal_keep_size: "64MB",
};

const startCountMax = 5;
/** Recovery after a crash is part of a start. */
const startMsMax = 60_000;
const stopMsMax = 15_000;
const portTaken = /could not bind IPv4 address/;

export type TestServerOptions = {
  readonly parameters?: ServerParameters;
  /** Of the server's processes, such as a library to load into them. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Where the server's folder is made; the system's folder for temporary files is the default. */
  readonly parentFolder?: string;
};

/**
 * A PostgreSQL server of its own, with everything in one temporary folder. It ends with the process
 * that started it, whatever that one dies of.
 */
export class TestServer {
  readonly host = "127.0.0.1";
  readonly #folder: ServerFolder;
  readonly #guard: ServerGuard;
  readonly #environment: Readonly<Record<string, string>>;
  #parameters: ServerParameters;
  #port = 0;
  /** Null = it follows nobody and never did. */
  #primary: TestServer | null = null;
  /** Null = it is down. */
  #postmaster: ChildProcess | null = null;

  private constructor(folder: ServerFolder, { parameters, environment }: TestServerOptions) {
    this.#folder = folder;
    this.#guard = new ServerGuard(folder.path);
    this.#parameters = { ...defaultParameters, ...parameters };
    this.#environment = environment ?? {};
  }

  static async start(options: TestServerOptions = {}): Promise<TestServer> {
    const server = new TestServer(new ServerFolder(options.parentFolder), options);
    try {
      await server.#folder.makeData();
      await server.#startOnFreePort();
    } catch (error) {
      await server.stop();
      throw error;
    }
    return server;
  }

  get port(): number {
    return this.#port;
  }

  get dataFolder(): string {
    return this.#folder.data;
  }

  /** The postmaster first. Empty = the server is down. */
  get processIds(): readonly number[] {
    const pid = this.#postmaster?.pid;
    return pid === undefined ? [] : [pid, ...listChildren(pid)];
  }

  /** The last lines the server has written about itself. */
  get log(): string {
    return this.#folder.readLog();
  }

  url(database = "postgres"): string {
    return `postgres://postgres@${this.host}:${this.#port}/${database}`;
  }

  /** For good: nothing of it is left, neither processes nor data. */
  async stop(): Promise<void> {
    await this.shutDown();
    this.#guard.dismiss();
    this.#folder.remove();
  }

  /** Fast: open transactions are aborted, clients are told, everything is written out. */
  shutDown(): Promise<void> {
    return this.#end("SIGINT");
  }

  /** Immediate: the server drops everything, and the next start recovers. */
  crash(): Promise<void> {
    return this.#end("SIGQUIT");
  }

  /** All its processes at once, none of them the wiser. */
  async kill(): Promise<void> {
    const postmaster = this.#postmaster;
    if (postmaster?.pid === undefined) return;
    const children = freeze(postmaster.pid);
    for (const pid of children) sendSignal(pid, "SIGKILL");
    sendSignal(postmaster.pid, "SIGKILL");
    await this.#ended(postmaster);
    // Any of them still attached to the shared memory would forbid the next start.
    await waitUntil(() => listAlive(children).length === 0, stopMsMax);
  }

  /** On the same port and data; shuts down first if it is up. New parameters stay from then on. */
  async restart({ parameters }: { readonly parameters?: ServerParameters } = {}): Promise<void> {
    await this.shutDown();
    this.#parameters = { ...this.#parameters, ...parameters };
    await this.#start();
  }

  /** Every process stands still: connections stay open and nothing answers. */
  pause(): void {
    const pid = this.#postmaster?.pid;
    if (pid !== undefined) freeze(pid);
  }

  resume(): void {
    for (const pid of this.processIds) sendSignal(pid, "SIGCONT");
  }

  /** A second server that follows this one and can be read from. It outlives this one. */
  async standby({
    parameters,
  }: {
    readonly parameters?: ServerParameters;
  } = {}): Promise<TestServer> {
    const own = { ...this.#parameters, ...parameters };
    const conninfo = `host=${this.host} port=${this.#port} user=postgres`;
    const server = new TestServer(new ServerFolder(), {
      parameters: { ...own, primary_conninfo: conninfo },
      environment: this.#environment,
    });
    server.#primary = this;
    try {
      await copyForStandby(this.url(), this.#folder, server.#folder);
      await server.#startOnFreePort();
    } catch (error) {
      await server.stop();
      throw error;
    }
    return server;
  }

  /** A standby has then replayed all that its primary has written by now. */
  async catchUp(): Promise<void> {
    if (this.#primary === null) throw new Error("only a standby can catch up");
    await waitForReplay(this.#primary.url(), this.url());
  }

  /** A standby becomes a primary, on a timeline of its own. The old primary is not told. */
  async promote(): Promise<void> {
    await withConnection(this.url(), (client) => client.query("SELECT pg_promote()"));
  }

  async #startOnFreePort(): Promise<void> {
    for (let tried = 1; ; tried++) {
      this.#port = await findFreePort();
      try {
        return await this.#start();
      } catch (error) {
        if (tried === startCountMax || !portTaken.test(this.log)) throw error;
      }
    }
  }

  async #start(): Promise<void> {
    this.#folder.writeParameters({ ...this.#parameters, port: this.#port });
    const log = openSync(this.#folder.log, "a");
    const postmaster = spawn(this.#folder.binaries.postgres, ["-D", this.#folder.data], {
      ...this.#folder.spawnOptions(this.#environment),
      stdio: ["ignore", log, log],
      detached: true, // a Ctrl-C in the terminal is for the tests, which end the server themselves
    });
    closeSync(log);
    await once(postmaster, "spawn");
    postmaster.unref();
    this.#postmaster = postmaster;
    const pid = postmaster.pid ?? 0;
    this.#guard.watch(pid);
    const isUp = () => /^(ready|standby)$/.test(this.#folder.readStatus(pid) ?? "");
    await waitUntil(() => isUp() || hasExited(postmaster), startMsMax);
    if (isUp()) return;
    await this.kill();
    throw new Error(`PostgreSQL did not start on port ${this.#port}:\n${this.log}`);
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const postmaster = this.#postmaster;
    if (postmaster?.pid === undefined) return;
    this.resume();
    sendSignal(postmaster.pid, signal);
    // A standby that does not answer can hold a shutdown up.
    if (!(await waitUntil(() => hasExited(postmaster), stopMsMax))) return this.kill();
    await this.#ended(postmaster);
  }

  async #ended(postmaster: ChildProcess): Promise<void> {
    if (!(await waitUntil(() => hasExited(postmaster), stopMsMax))) {
      throw new Error(`the postmaster ${postmaster.pid} cannot be killed`);
    }
    this.#postmaster = null;
    this.#guard.rest();
  }
}

function hasExited({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}
