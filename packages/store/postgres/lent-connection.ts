import type pg from "pg";
import { closedError } from "../store-errors.ts";
import { AnswerTimeout } from "./errors.ts";

/** Long readers at once. Few, because each also keeps the server from clearing away old rows. */
export const asideMax = 2;

export type PostgresRow = readonly unknown[];

/** One connection for a while. */
export class LentConnection {
  /** It is in a state that the next user could not use. */
  isSpoiled = false;
  readonly #client: pg.PoolClient;
  readonly #answerMsMax: number;
  #isLent = true;

  constructor(client: pg.PoolClient, answerMs: number) {
    this.#client = client;
    this.#answerMsMax = answerMs;
  }

  async rows(sql: string, values: readonly unknown[] = []): Promise<readonly PostgresRow[]> {
    if (!this.#isLent) throw closedError();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        this.isSpoiled = true;
        reject(new AnswerTimeout(`no answer within ${this.#answerMsMax} ms`));
      }, this.#answerMsMax);
    });
    const query = this.#client.query({ text: sql, values: [...values], rowMode: "array" });
    try {
      const { rows } = await Promise.race([query, late]);
      return rows as PostgresRow[];
    } catch (error) {
      throw this.#isLent ? error : closedError();
    } finally {
      clearTimeout(timer);
    }
  }

  giveBack(): void {
    this.#release({ closing: false });
  }

  /** Closes the connection, unless it was given back. */
  giveUp(): void {
    this.#release({ closing: true });
  }

  #release({ closing }: { readonly closing: boolean }): void {
    if (!this.#isLent) return;
    this.#isLent = false;
    this.#client.release(closing);
  }

  /** For a transaction of several statements: whatever fails, the connection goes with it. */
  async transaction<T>(begin: string, work: () => Promise<T>): Promise<T> {
    this.isSpoiled = true;
    await this.rows(begin);
    const answer = await work();
    await this.rows("COMMIT");
    this.isSpoiled = false;
    return answer;
  }
}

/**
 * Connections for long readers, who may never come back. They are none of those that commits and
 * heartbeats use: a host that cannot say in time that it lives loses all it owns. Whoever finds
 * all of them lent waits, however long the others read; a pool alone would give up on it.
 */
export class AsideConnections {
  readonly #pool: pg.Pool;
  readonly #answerMsMax: number;
  readonly #lent = new Set<LentConnection>();
  readonly #waiting: PromiseWithResolvers<void>[] = [];
  #freeCount = asideMax;
  #closed = false;

  /** The pool is for `asideMax` connections and used by nobody else. */
  constructor(pool: pg.Pool, answerMs: number) {
    this.#pool = pool;
    this.#answerMsMax = answerMs;
  }

  async lend(): Promise<LentConnection> {
    await this.#takeTurn();
    const client = await this.#pool.connect().catch((error: unknown) => {
      this.#passTurn();
      throw this.#closed ? closedError() : error;
    });
    const connection = new LentConnection(client, this.#answerMsMax);
    this.#lent.add(connection);
    if (!this.#closed) return connection;
    this.takeBack(connection);
    throw closedError();
  }

  /** Twice is once. */
  takeBack(connection: LentConnection): void {
    if (!this.#lent.delete(connection)) return;
    connection.giveUp();
    this.#passTurn();
  }

  /** Ends what is lent, and whoever waits is told: their turn would never come. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const turn of this.#waiting.splice(0)) turn.reject(closedError());
    for (const connection of this.#lent) this.takeBack(connection);
    await this.#pool.end();
  }

  async #takeTurn(): Promise<void> {
    if (this.#freeCount > 0) {
      this.#freeCount -= 1;
      return;
    }
    const turn = Promise.withResolvers<void>();
    this.#waiting.push(turn);
    await turn.promise;
  }

  #passTurn(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#freeCount += 1;
    else next.resolve();
  }
}
