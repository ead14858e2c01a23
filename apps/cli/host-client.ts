import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { ProblemAnswer } from "@holdfast/protocol";
import { idempotencyHeader, waitHeader } from "@holdfast/protocol/headers";

export type HostOptions = { readonly data?: string | undefined };

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

/** Speaks with a running host; every command beside `start` goes through it. */
export class HostClient {
  readonly #place: HostPlace;

  constructor(options: HostOptions) {
    this.#place = findHost(options);
  }

  get url(): string {
    return this.#place.url;
  }

  async get<T>(path: string, query: Readonly<Record<string, string | undefined>> = {}): Promise<T> {
    const given = Object.entries(query).filter((each): each is [string, string] => {
      return each[1] !== undefined;
    });
    const search = given.length === 0 ? "" : `?${new URLSearchParams(given)}`;
    return this.#request(`${path}${search}`, { method: "GET" });
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

  async #request<T>(path: string, given: RequestInit): Promise<T> {
    const { url, token } = this.#place;
    const headers = { ...given.headers, authorization: `Bearer ${token}` };
    const answer = await fetch(`${url}/api/v1${path}`, { ...given, headers }).catch((cause) => {
      throw unreachable(`No host answers at ${url}.`, cause);
    });
    const body: unknown = await answer.json();
    if (!answer.ok) throw new HostProblem(body as ProblemAnswer);
    return body as T;
  }
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
  const own = () => readIn(folder, "token", `There is no token of yours in ${folder}.`).trim();
  return { url: (JSON.parse(noted) as { url: string }).url, token: token ?? own() };
}

function readIn(folder: string, name: string, missing: string): string {
  try {
    return readFileSync(join(folder, name), "utf8");
  } catch (cause) {
    throw unreachable(missing, cause);
  }
}

function unreachable(what: string, cause?: unknown): HostProblem {
  const code = "HOST_UNREACHABLE";
  const remedy =
    "Start one with `holdfast start`, name its folder with --data, or set HOLDFAST_URL and " +
    "HOLDFAST_TOKEN.";
  const title = "No host answers there.";
  const type = `docs/errors/${code}.md`;
  return new HostProblem({ type, title, status: 0, code, detail: what, remedy }, { cause });
}
