import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { HostProcess, newFolder } from "../end-to-end/host-process.ts";
import { itemScript } from "../end-to-end/story.ts";
import { Market, type Order } from "./market.ts";

const script = readFileSync(new URL("./orders.ts.txt", import.meta.url), "utf8");

const policy = { all: { reconcileDelayMs: 40, reconcileDelayMsMax: 100, reconcileTriesMax: 3 } };

type Grants = { readonly allow?: readonly string[]; readonly ask?: readonly string[] };

/** The shipped program, and a market that loses answers. */
export class PageWorld {
  readonly market: Market;
  readonly host: HostProcess;

  private constructor(market: Market, host: HostProcess) {
    this.market = market;
    this.host = host;
  }

  static async start(): Promise<PageWorld> {
    const market = await Market.start();
    const folder = newFolder();
    const [accountsFile, policyFile] = [join(folder, "accounts.json"), join(folder, "policy.json")];
    writeFileSync(accountsFile, JSON.stringify({ shop: accountOf(market.url) }));
    writeFileSync(policyFile, JSON.stringify(policy));
    const store = { kind: "sqlite", folder: join(folder, "data") } as const;
    const environment = { HOLDFAST_POLICY: policyFile };
    const host = new HostProcess({ store, accountsFile, environment });
    await host.url;
    return new PageWorld(market, host);
  }

  /** The same script under several names, so that several questions can be open at once. */
  async deploy(workflow: string, grants: Grants): Promise<void> {
    const text = script.replace('name: "orders"', `name: "${workflow}"`);
    const source = {
      entry: "orders.ts",
      files: { "orders.ts": text.replace("/new/orders", `/new/${workflow}`) },
    };
    await this.host.api("POST", "/versions", { source, ...grants });
  }

  /** Each order an item of a job, with three bookings. */
  async deployItems(workflow: string, grants: Grants): Promise<void> {
    const text = itemScript.replace('name: "orders"', `name: "${workflow}"`);
    const source = { entry: "orders.ts", files: { "orders.ts": text } };
    await this.host.api("POST", "/versions", { source, ...grants });
  }

  async publish(workflow: string, event: object): Promise<void> {
    const command = { kind: "publish_event", body: event };
    await this.host.api("POST", `/workflows/${workflow}/commands`, command);
  }

  /** New orders are there, and the workflow looks. */
  async bring(workflow: string, ...orders: readonly Order[]): Promise<void> {
    const before = this.market.orders.get(workflow) ?? [];
    this.market.orders.set(workflow, [...before, ...orders]);
    const ask = () => this.host.api("POST", `/workflows/${workflow}/commands`, { kind: "run_now" });
    // A run that is about to end holds it up.
    const asked = () => ask().then(() => "asked", String);
    await expect.poll(asked).toBe("asked");
  }

  async makeToken(name: string, role: string): Promise<string> {
    return (await this.host.api<{ token: string }>("POST", "/tokens", { name, role })).token;
  }

  /** Of a login link of whoever the token is of; it lets one browser in. */
  async loginCode(token: string): Promise<string> {
    const answer = await fetch(`${await this.host.url}/api/v1/login-codes`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}` },
    });
    return ((await answer.json()) as { code: string }).code;
  }

  async stop(): Promise<void> {
    await this.host.stop();
    await this.market.stop();
  }
}

function accountOf(url: string): object {
  return {
    connector: "http",
    baseUrl: url,
    allowPrivateAddresses: true,
    timeoutMs: 2_000,
    lookup: {
      path: "/bookings",
      query: { ref: "{key}" },
      sentAs: { field: "ref" },
      match: { "/ref": "{key}" },
      body: { number: "/number" },
      status: 200,
      visibilityDelayMs: 60,
    },
  };
}
