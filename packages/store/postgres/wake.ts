import type { Wake } from "@holdfast/core";
import pg from "pg";
import { Watchers } from "../watchers.ts";
import { connectionConfig } from "./address.ts";
import type { Database } from "./connection.ts";

/** Of this database alone: PostgreSQL keeps the channels of databases apart. */
const channel = "holdfast_wake";
/** PostgreSQL takes no more than 8,000 bytes; what would be longer says "look everywhere". */
const payloadBytesMax = 7_900;
const reconnectMsMin = 100;
const reconnectMsMax = 5_000;

/**
 * Tells other hosts that commands were appended, and hears it from them, over a connection of its
 * own. Only a hint: it is sent after the commit, because a transaction that notifies would make
 * all others that do wait for its sync; it may be lost with a connection; a pooler that swaps
 * sessions does not deliver it at all. Whoever waits for work looks by itself as well.
 */
export class WakeLine {
  readonly #database: Database;
  readonly #watchers = new Watchers();
  readonly #appended = new Set<string>();
  #client: pg.Client | null = null;
  #timer: NodeJS.Timeout | null = null;
  #reconnectMs = reconnectMsMin;
  #scheduled = false;
  #sending: Promise<unknown> | null = null;
  #closed = false;

  constructor(database: Database) {
    this.#database = database;
  }

  watch(onWake: (wake: Wake) => void): () => void {
    this.#database.admit();
    const end = this.#watchers.add(onWake);
    if (this.#client === null && this.#timer === null) void this.#listen();
    return () => {
      end();
      if (this.#watchers.isEmpty) this.#hangUp();
    };
  }

  /** The listeners of this process hear of it over the line too, as everybody else. */
  tell(workflow: string): void {
    this.#appended.add(workflow);
    if (this.#scheduled || this.#sending !== null || this.#closed) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#sending = this.#send().finally(() => {
        this.#sending = null;
        const [next] = this.#appended;
        if (next !== undefined) this.tell(next);
      });
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#watchers.endAll();
    this.#hangUp();
    await this.#sending;
  }

  async #send(): Promise<void> {
    const workflows = [...this.#appended];
    this.#appended.clear();
    const named = JSON.stringify(workflows);
    const payload = Buffer.byteLength(named) > payloadBytesMax ? "null" : named;
    try {
      const sql = "SELECT pg_notify($1, $2)";
      await this.#database.rows("wake others", sql, [channel, payload]);
    } catch (error) {
      // Durable already: whoever was not woken finds it at the next look.
      if (!this.#closed) this.#database.onTrouble(error as Error);
    }
  }

  async #listen(): Promise<void> {
    const client = new pg.Client(connectionConfig(this.#database.url));
    this.#client = client;
    client.on("error", (error) => this.#lost(client, error));
    client.on("end", () => this.#lost(client, null));
    client.on("notification", ({ payload }) =>
      this.#watchers.wake({ workflows: readPayload(payload) }),
    );
    try {
      await client.connect();
      await client.query(`LISTEN ${channel}`);
      this.#reconnectMs = reconnectMsMin;
      // What was said before this connection listened is lost.
      this.#watchers.wake({ workflows: null });
    } catch (error) {
      this.#lost(client, error as Error);
    }
  }

  #lost(client: pg.Client, error: Error | null): void {
    if (this.#client !== client) return;
    this.#client = null;
    if (error !== null) this.#database.onTrouble(error);
    endQuietly(client);
    if (this.#closed || this.#watchers.isEmpty) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      void this.#listen();
    }, this.#reconnectMs);
    this.#timer.unref();
    this.#reconnectMs = Math.min(this.#reconnectMs * 2, reconnectMsMax);
  }

  #hangUp(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    const client = this.#client;
    this.#client = null;
    if (client !== null) endQuietly(client);
  }
}

/** It is given up either way. */
function endQuietly(client: pg.Client): void {
  client.end().catch(() => {});
}

/** Anybody may write to the channel: what is not ours still says that something happened. */
function readPayload(payload: string | undefined): readonly string[] | null {
  try {
    const named: unknown = JSON.parse(payload ?? "null");
    const isList = Array.isArray(named) && named.every((name) => typeof name === "string");
    return isList ? named : null;
  } catch {
    return null;
  }
}
