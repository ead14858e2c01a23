import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Role } from "@holdfast/protocol";
import { expect, onTestFinished } from "vitest";
import { HostProcess, newFolder, runBeside, type StartOptions } from "./host-process.ts";
import { bearer, knock } from "./knock.ts";

/** A host as somebody starts it who has set nothing up, and what people do with it. */
export class OwnHost {
  readonly folder: string;
  readonly options: StartOptions;
  #host: HostProcess | null = null;

  constructor(given: Pick<StartOptions, "environment" | "words"> = {}) {
    const place = newFolder();
    this.folder = join(place, "data");
    const accountsFile = join(place, "accounts.json");
    writeFileSync(accountsFile, "{}");
    const secretsFile = join(place, "secrets.json");
    writeFileSync(secretsFile, JSON.stringify({ shop: "s3cret" }));
    const store = { kind: "sqlite", folder: this.folder } as const;
    const environment = {
      HOLDFAST_TOKEN: "",
      HOLDFAST_SECRETS: secretsFile,
      ...given.environment,
    };
    this.options = { store, accountsFile, ...given, environment };
    onTestFinished(() => this.#host?.kill("SIGKILL"));
  }

  async start(): Promise<{ readonly host: HostProcess; readonly url: string }> {
    const host = new HostProcess(this.options);
    this.#host = host;
    return { host, url: await host.url };
  }

  /** A command as it is typed on the same machine. */
  async holdfast(...words: readonly string[]): Promise<{ code: number | null; out: string }> {
    return runBeside(this.options, ...words);
  }

  async makeToken(name: string, role: Role, ...more: readonly string[]): Promise<string> {
    const words = ["token", "create", name, "--role", role, "--json", ...more];
    const { out, code } = await this.holdfast(...words);
    expect({ out, code }).toMatchObject({ code: 0 });
    return (JSON.parse(out) as { token: string }).token;
  }
}

/** A browser that used a login link of this token. */
export async function login(url: string, token: string): Promise<{ readonly cookie: string }> {
  const path = "/api/v1/login-codes";
  const made = await knock(url, { method: "POST", path, headers: bearer(token) });
  const { code } = JSON.parse(made.text) as { code: string };
  const answer = await postCode(url, code);
  expect(answer.status).toBe(200);
  const [cookie = ""] = answer.headers["set-cookie"] ?? [];
  return { cookie: cookie.split(";")[0] ?? "" };
}

export async function postCode(url: string, code: string, headers: Record<string, string> = {}) {
  const body = JSON.stringify({ code });
  return knock(url, {
    method: "POST",
    path: "/login",
    body,
    headers: { ...page(url), ...headers },
  });
}

/** What a browser says of a request that the host's own page makes. */
export function page(url: string): Record<string, string> {
  const json = { "content-type": "application/json", "holdfast-page": "test" };
  return { ...json, origin: url, "sec-fetch-site": "same-origin" };
}

const idle = `
import { workflow } from "@holdfast/sdk";
export default workflow({
  name: "idle",
  topics: { things: { observed: true } },
  producers: {
    shown: { publishes: ["things"], webhook: { secret: "shop" }, handler: async () => {} },
    bare: { publishes: ["things"], webhook: true, handler: async () => {} },
  },
});`;

/** A workflow that does nothing until it is pushed to, at `shown` or at `bare`. */
export async function deployIdle(url: string, token: string): Promise<void> {
  const source = { entry: "idle.ts", files: { "idle.ts": idle } };
  const path = "/api/v1/versions";
  const body = JSON.stringify({ source });
  const { status, text } = await knock(url, { method: "POST", path, headers: bearer(token), body });
  expect([status, text]).toMatchObject([200, expect.stringContaining('"accepted":true')]);
}
