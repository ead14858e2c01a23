import { HostError, type Instant } from "@holdfast/core";
import pg from "pg";
import { closedError } from "../store-errors.ts";
import type { AtBoundary, StatementName } from "./boundary.ts";
import { storeError } from "./errors.ts";
import { LentConnection, type PostgresRow } from "./lent-connection.ts";

/** Connections that one store may hold at once, besides the one that listens. */
const connectionsMax = 10;
/** Longer than any statement takes; then the connection is given up, and what it did unknown. */
const answerMsMax = 30_000;
const connectMsMax = 10_000;

export type DatabaseOptions = {
  /** postgres://user:password@host:port/database */
  readonly url: string;
  /** For tests; absent = the database's own clock, which is what hosts share. */
  readonly clock?: () => Instant;
  readonly connectionsMax?: number;
  /** A statement that takes longer is given up, and its outcome is unknown. */
  readonly answerMsMax?: number;
  readonly atBoundary?: AtBoundary;
  /** Told of what went wrong and harmed nobody: a lost idle connection, a lost wake-up. */
  readonly onTrouble?: (error: Error) => void;
};

/** Whole numbers stay numbers: the core admits none that JavaScript could not hold. */
const types = {
  getTypeParser: ((id: number, format?: "text" | "binary") =>
    id === pg.types.builtins.INT8
      ? Number
      : pg.types.getTypeParser(id, format ?? "text")) as typeof pg.types.getTypeParser,
};

export function connectionConfig(url: string): pg.ClientConfig {
  return {
    connectionString: url,
    application_name: "holdfast",
    keepAlive: true,
    connectionTimeoutMillis: connectMsMax,
    types,
  };
}

/** Host, port and database: enough to know which one is meant, and nothing secret. */
function placeOf(url: string): string {
  if (!/^postgres(ql)?:/.test(url) || !URL.canParse(url)) {
    throw badAddress("it is not a PostgreSQL address (postgres://user@host:5432/database)");
  }
  // What is behind an unescaped / or # of a password would pass for a host and a database.
  const { pathname, hash } = new URL(url);
  if (hash !== "" || /@|\/./.test(pathname.slice(1))) {
    throw badAddress("a special character in it is not written as %xx");
  }
  try {
    const { host, port, database } = new pg.Client(connectionConfig(url));
    return `PostgreSQL ${host}:${port}/${database}`;
  } catch (error) {
    // Certificates that the address names are read here.
    throw badAddress(error instanceof Error ? error.message : String(error));
  }
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
  readonly #aside = new Set<LentConnection>();
  readonly #underWay = new Set<Promise<unknown>>();
  #closed = false;

  constructor(options: DatabaseOptions) {
    this.url = options.url;
    this.place = placeOf(options.url);
    this.clock = options.clock;
    this.onTrouble = options.onTrouble ?? (() => {});
    this.#answerMsMax = options.answerMsMax ?? answerMsMax;
    this.#atBoundary = options.atBoundary;
    this.#pool = new pg.Pool({
      ...connectionConfig(options.url),
      max: options.connectionsMax ?? connectionsMax,
      allowExitOnIdle: true,
    });
    // An idle connection that breaks is taken out of the pool; the next call makes another.
    this.#pool.on("error", (error) => this.onTrouble(error));
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
    const connection = await this.lend(name);
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

  /** A connection for one user, to be given back or up. Nothing was sent when this fails. */
  async lend(name: StatementName): Promise<LentConnection> {
    this.admit();
    try {
      return new LentConnection(await this.#pool.connect(), this.#answerMsMax);
    } catch (error) {
      throw storeError(error, { place: this.place, doing: name }, { sent: false });
    }
  }

  /** As `lend`, for somebody who may never come back: closing does not wait for it. */
  async lendAside(name: StatementName): Promise<LentConnection> {
    const connection = await this.lend(name);
    if (this.#closed) {
      connection.giveUp();
      throw closedError();
    }
    this.#aside.add(connection);
    return connection;
  }

  takeBack(connection: LentConnection): void {
    this.#aside.delete(connection);
    connection.giveUp();
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    for (const connection of this.#aside) this.takeBack(connection);
    // A pool that ends forgets whoever still waits for one of its connections.
    await Promise.allSettled(this.#underWay);
    await this.#pool.end();
  }
}
