import { HostError, type Instant } from "@holdfast/core";
import pg from "pg";
import { closedError } from "../store-errors.ts";
import { connectionConfig, readPostgresAddress } from "./address.ts";
import type { AtBoundary, StatementName } from "./boundary.ts";
import { storeError } from "./errors.ts";
import { AsideConnections, asideMax, LentConnection, type PostgresRow } from "./lent-connection.ts";

/** Together with those for long readers ten, which is what docs/operating counts for a host. */
const connectionsMax = 10 - asideMax;
/** Longer than any statement takes; then the connection is given up, and what it did unknown. */
const answerMsMax = 30_000;

export type DatabaseOptions = {
  /** postgres://user:password@host:port/database */
  readonly url: string;
  /** For tests; absent = the database's own clock, which is what hosts share. */
  readonly clock?: () => Instant;
  /** For everything but long reading and listening, which have connections of their own. */
  readonly connectionsMax?: number;
  /** A statement that takes longer is given up, and its outcome is unknown. */
  readonly answerMsMax?: number;
  readonly atBoundary?: AtBoundary;
  /** Told of what went wrong and harmed nobody: a lost idle connection, a lost wake-up. */
  readonly onTrouble?: (error: Error) => void;
};

function placeOf(url: string): string {
  const address = readPostgresAddress(url);
  if ("fault" in address) throw badAddress(address.fault);
  return address.place;
}

/** Not shown, because it may hold a password. */
function badAddress(why: string): HostError {
  return new HostError("STORE_UNREACHABLE", {
    what: `The address of the database cannot be used: ${why}.`,
    remedy: "Correct it; write special characters in it as %xx.",
    retry: "safe",
  });
}

/**
 * The connections to one database. Uses no session state: a statement may go through any of them,
 * or through a pooler that swaps sessions between transactions.
 */
export class Database {
  readonly url: string;
  readonly place: string;
  readonly clock: (() => Instant) | undefined;
  readonly onTrouble: (error: Error) => void;
  readonly #pool: pg.Pool;
  readonly #answerMsMax: number;
  readonly #atBoundary: AtBoundary | undefined;
  readonly #aside: AsideConnections;
  readonly #underWay = new Set<Promise<unknown>>();
  #closed = false;

  constructor(options: DatabaseOptions) {
    this.url = options.url;
    this.place = placeOf(options.url);
    this.clock = options.clock;
    this.onTrouble = options.onTrouble ?? (() => {});
    this.#answerMsMax = options.answerMsMax ?? answerMsMax;
    this.#atBoundary = options.atBoundary;
    this.#pool = this.#makePool(options.connectionsMax ?? connectionsMax);
    this.#aside = new AsideConnections(this.#makePool(asideMax), this.#answerMsMax);
  }

  /** Connects when it is first asked. */
  #makePool(max: number): pg.Pool {
    const pool = new pg.Pool({ ...connectionConfig(this.url), max, allowExitOnIdle: true });
    // An idle connection that breaks is taken out of the pool; the next call makes another.
    pool.on("error", (error) => this.onTrouble(error));
    // The pool hears only those that lie idle. For all others the statement that is under way
    // says so, or nobody needs to know; an event that nobody hears would end the process.
    pool.on("connect", (client) => client.on("error", () => {}));
    return pool;
  }

  /** What a function is given as the time: null = it takes the database's own. */
  now(): Instant | null {
    return this.clock?.() ?? null;
  }

  admit(): void {
    if (this.#closed) throw closedError();
  }

  /** One statement in a transaction of its own. Throws a HostError that says what went wrong. */
  async rows(
    name: StatementName,
    sql: string,
    values: readonly unknown[] = [],
  ): Promise<readonly PostgresRow[]> {
    try {
      return await this.send(name, sql, values);
    } catch (error) {
      throw storeError(error, { place: this.place, doing: name });
    }
  }

  async row(
    name: StatementName,
    sql: string,
    values: readonly unknown[] = [],
  ): Promise<PostgresRow | undefined> {
    return (await this.rows(name, sql, values))[0];
  }

  /** As `rows`, but throws what the server or the network said. */
  async send(
    name: StatementName,
    sql: string,
    values: readonly unknown[],
  ): Promise<readonly PostgresRow[]> {
    return this.withConnection(name, (connection) => connection.rows(sql, values));
  }

  /** Several statements on one connection, which is given up if any of them fails. */
  async withConnection<T>(
    name: StatementName,
    work: (connection: LentConnection) => Promise<T>,
  ): Promise<T> {
    this.admit();
    const done = this.#use(name, work);
    this.#underWay.add(done);
    try {
      return await done;
    } finally {
      this.#underWay.delete(done);
    }
  }

  async #use<T>(name: StatementName, work: (connection: LentConnection) => Promise<T>): Promise<T> {
    const connection = await this.#lend(name);
    try {
      this.#atBoundary?.(`${name} sending`);
      const answer = await work(connection);
      this.#atBoundary?.(`${name} answered`);
      connection.giveBack();
      return answer;
    } catch (error) {
      // The server's own errors leave the connection well, unless a transaction is open on it.
      if (error instanceof pg.DatabaseError && !connection.isSpoiled) connection.giveBack();
      throw error;
    } finally {
      connection.giveUp();
    }
  }

  /** A connection for one user, to be given back or up. */
  async #lend(name: StatementName): Promise<LentConnection> {
    const client = await this.#connected(name, () => this.#pool.connect());
    return new LentConnection(client, this.#answerMsMax);
  }

  /** For a long reader, to be taken back. Closing does not wait for it, nor does a commit. */
  async lendAside(name: StatementName): Promise<LentConnection> {
    this.admit();
    return this.#connected(name, () => this.#aside.lend());
  }

  takeBack(connection: LentConnection): void {
    this.#aside.takeBack(connection);
  }

  /** Nothing was sent when this fails. */
  async #connected<T>(name: StatementName, connect: () => Promise<T>): Promise<T> {
    try {
      return await connect();
    } catch (error) {
      throw storeError(error, { place: this.place, doing: name }, { sent: false });
    }
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    // A pool that ends forgets whoever still waits for one of its connections.
    await Promise.all([this.#aside.close(), Promise.allSettled(this.#underWay)]);
    await this.#pool.end();
  }
}
