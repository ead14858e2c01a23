import type { ProblemAnswer } from "@holdfast/protocol";
import { idempotencyHeader, pageHeader } from "@holdfast/protocol/headers";
import { noteLoggedOut } from "./login-state.ts";

/** The host answered, and the answer is no. */
export class AskProblem extends Error {
  override readonly name = "AskProblem";
  readonly status: number;
  readonly said: Partial<ProblemAnswer>;

  constructor(status: number, said: Partial<ProblemAnswer>) {
    super(said.detail ?? said.title ?? `The host answered ${status}.`);
    this.status = status;
    this.said = said;
  }
}

/** Nobody answered. What was asked may have been done or not. */
export class Unreachable extends Error {
  override readonly name = "Unreachable";
}

export type Query = Readonly<Record<string, string | number | undefined>>;

/** `path` is what comes after /api/v1. */
export async function get<T>(path: string, query: Query = {}, signal?: AbortSignal): Promise<T> {
  const init = signal === undefined ? {} : { signal };
  return ask<T>(`/api/v1${path}${queryText(query)}`, init);
}

export async function post<T>(path: string, body: object, key?: string): Promise<T> {
  return ask<T>(`/api/v1${path}`, {
    method: "POST",
    headers: ownHeaders(key),
    body: JSON.stringify(body),
  });
}

export async function remove<T>(path: string): Promise<T> {
  return ask<T>(`/api/v1${path}`, { method: "DELETE", headers: ownHeaders() });
}

export async function logOut(): Promise<void> {
  await ask("/logout", { method: "POST", headers: ownHeaders(), body: "{}" });
  noteLoggedOut();
}

function ownHeaders(key?: string): Record<string, string> {
  const own = { "content-type": "application/json", [pageHeader]: "page" };
  return key === undefined ? own : { ...own, [idempotencyHeader]: key };
}

function queryText(query: Query): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === "" ? [] : [[name, String(value)]],
  );
  return pairs.length === 0 ? "" : `?${new URLSearchParams(pairs)}`;
}

async function ask<T>(address: string, init: RequestInit): Promise<T> {
  const answer = await fetch(address, init).catch((error: unknown) => {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new Unreachable("The host does not answer.", { cause: error });
  });
  if (answer.ok) return (await answer.json()) as T;
  if (answer.status === 401) noteLoggedOut();
  throw new AskProblem(answer.status, await saidBy(answer));
}

/** A proxy in between may answer with anything. */
async function saidBy(answer: Response): Promise<Partial<ProblemAnswer>> {
  const text = await answer.text();
  if (!(answer.headers.get("content-type") ?? "").includes("json")) return {};
  return JSON.parse(text) as Partial<ProblemAnswer>;
}

/** Of one workflow, as a path. */
export function of(workflow: string, ...parts: readonly string[]): string {
  return `/workflows/${[workflow, ...parts].map(encodeURIComponent).join("/")}`;
}
