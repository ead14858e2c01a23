import { readFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { join, resolve } from "node:path";
import type { ProblemAnswer } from "@holdfast/protocol";
import { idempotencyHeader, waitHeader } from "@holdfast/protocol/headers";
import { isOk, readJson, type Sent, send } from "./send.ts";

export type HostOptions = {
  readonly data?: string | undefined;
  readonly json?: boolean | undefined;
  /** True = where no host answers nothing is read: the next one may be about to open the store. */
  readonly onlyHost?: boolean;
};

/** What a running host answered instead of doing it. */
export class HostProblem extends Error {
  override readonly name = "HostProblem";
  readonly problem: ProblemAnswer;

  constructor(problem: ProblemAnswer, options?: ErrorOptions) {
    super(problem.detail, options);
    this.problem = problem;
  }
}

type HostPlace = { readonly url: string; readonly token: string };

export type AskOptions = { readonly key?: string; readonly waitMs?: number };

/** Speaks with a running host; what only looks can also be read from the store itself. */
export class HostClient {
  readonly #options: HostOptions;
  #place: HostPlace | null = null;
  #isTold = false;

  constructor(options: HostOptions) {
    this.#options = options;
  }

  get url(): string {
    return this.#host.url;
  }

  get #host(): HostPlace {
    this.#place ??= findHost(this.#options);
    return this.#place;
  }

  async get<T>(path: string, query: Readonly<Record<string, string | undefined>> = {}): Promise<T> {
    const given = Object.entries(query).filter((each): each is [string, string] => {
      return each[1] !== undefined;
    });
    const search = given.length === 0 ? "" : `?${new URLSearchParams(given)}`;
    const full = `${path}${search}`;
    try {
      const answer = await this.#request<T>(full, { method: "GET" });
      if (process.stderr.isTTY) this.#say(`Through the host at ${this.url}:`);
      return answer;
    } catch (error) {
      const isForHost = this.#options.onlyHost === true || isNamedByUrl(this.#options);
      if (!isUnreachable(error) || isForHost) throw error;
      // There is a host, and only the token is missing.
      if (error.problem.status !== noAnswerStatus) throw error;
      return this.#readStore<T>(full, error);
    }
  }

  async post<T>(path: string, body: object, { key, waitMs }: AskOptions = {}): Promise<T> {
    return this.#request(path, {
      method: "POST",
      body: JSON.stringify(body),
      headers: {
        "content-type": "application/json",
        ...(key === undefined ? {} : { [idempotencyHeader]: key }),
        ...(waitMs === undefined ? {} : { [waitHeader]: String(waitMs) }),
      },
    });
  }

  async delete<T>(path: string): Promise<T> {
    return this.#request(path, { method: "DELETE" });
  }

  /** Only once, however many pages are asked for; a program that reads JSON is not disturbed. */
  #say(where: string): void {
    if (!this.#isTold && !this.#options.json) console.error(where);
    this.#isTold = true;
  }

  async #readStore<T>(path: string, unreached: HostProblem): Promise<T> {
    if (!/^\/(workflows|attention)\b/.test(path)) throw unreached;
    // Much code, and seldom needed.
    const { readLocally } = await import("./local-reader.ts");
    const answer = await readLocally(this.#options.data, path);
    if (answer === null) throw unreached;
    if (answer.status !== 200) throw new HostProblem(answer.body as ProblemAnswer);
    this.#say(`No host runs; read from the store in ${answer.place}:`);
    return answer.body as T;
  }

  /** An answer that does not end; it is over when the signal fires or the host ends. */
  async *stream(path: string, signal: AbortSignal): AsyncIterable<string> {
    yield* await this.#send(path, { method: "GET", signal });
  }

  async #request<T>(path: string, given: Sent): Promise<T> {
    return (await readJson(await this.#send(path, given))) as T;
  }

  async #send(path: string, given: Sent): Promise<IncomingMessage> {
    const { url, token } = this.#host;
    const headers = { ...given.headers, authorization: `Bearer ${token}` };
    const answer = await send(`${url}/api/v1${path}`, { ...given, headers }).catch((cause) => {
      throw unreachable(`No host answers at ${url}.`, cause);
    });
    if (isOk(answer)) return answer;
    throw new HostProblem((await readJson(answer)) as ProblemAnswer);
  }
}

export function isUnreachable(error: unknown): error is HostProblem {
  return error instanceof HostProblem && error.problem.code === "HOST_UNREACHABLE";
}

/** Then only that host is meant, and no store. */
function isNamedByUrl({ data }: HostOptions): boolean {
  return data === undefined && Boolean(process.env["HOLDFAST_URL"]);
}

/** What the environment says, or what the host of the data folder has written down there. */
function findHost({ data }: HostOptions): HostPlace {
  const url = process.env["HOLDFAST_URL"] || null;
  const token = process.env["HOLDFAST_TOKEN"] || null;
  if (data === undefined && url !== null) {
    if (token === null) throw unreachable("HOLDFAST_URL is set, and HOLDFAST_TOKEN is not.");
    return { url: url.replace(/\/$/, ""), token };
  }
  const folder = resolve(data ?? (process.env["HOLDFAST_DATA"] || ".holdfast"));
  const noted = readIn(folder, "host.json", `No host runs on the data folder ${folder}.`);
  const missing = `There is no token of yours in ${folder}.`;
  const own = () => readIn(folder, "token", missing, noTokenStatus).trim();
  return { url: (JSON.parse(noted) as { url: string }).url, token: token ?? own() };
}

function readIn(folder: string, name: string, missing: string, status?: number): string {
  try {
    return readFileSync(join(folder, name), "utf8");
  } catch (cause) {
    throw unreachable(missing, cause, status);
  }
}

/** Of a problem that no host has told. */
const noAnswerStatus = 0;
const noTokenStatus = 401;

function unreachable(what: string, cause?: unknown, status = noAnswerStatus): HostProblem {
  const code = "HOST_UNREACHABLE";
  const remedy =
    "Start one with `holdfast start`, name its folder with --data, or set HOLDFAST_URL and " +
    "HOLDFAST_TOKEN.";
  const title = "No host answers there.";
  const type = `docs/errors/${code}.md`;
  return new HostProblem({ type, title, status, code, detail: what, remedy }, { cause });
}
