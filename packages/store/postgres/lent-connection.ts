import type pg from "pg";
import { closedError } from "../store-errors.ts";
import { AnswerTimeout } from "./errors.ts";

export type PostgresRow = readonly unknown[];

/** The statement that is under way says so; an event that nobody hears would end the process. */
function ignoreLoss(): void {}

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
    client.on("error", ignoreLoss);
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
    this.#client.off("error", ignoreLoss);
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
