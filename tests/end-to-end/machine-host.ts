import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, vi } from "vitest";
import { HostProcess, newFolder, type StorePlace, writeAccounts } from "./host-process.ts";
import { OrderShop } from "./order-shop.ts";

/** What it begins with. */
export const script = readFileSync(new URL("./machine-orders.ts.txt", import.meta.url), "utf8");

const lookup = {
  path: "/orders",
  query: { ref: "{key}" },
  sentAs: { field: "ref" },
  match: { "/ref": "{key}" },
  body: { number: "/number" },
  status: 200,
  visibilityDelayMs: 60,
};
/** A snapshot with nearly every frame, no cell at hand that it has, and nothing spared. */
const frugal = { machineSnapshotRecords: 2, machineResidentBytesMax: 1, machinePartGraceMs: 1 };
const timings = { reconcileDelayMs: 40, reconcileDelayMsMax: 200, hostPauseMsMax: 150 };
const limits = { ...timings, ...frugal, machineSnapshotsKept: 1 };

type Intent = { readonly intentId: string; readonly state: string; readonly since: number };
type Intents = { readonly items: readonly Intent[] };

/** The shipped program with one machine, and a shop that counts. */
export class MachineHost {
  readonly shop: OrderShop;
  readonly store: StorePlace;
  host: HostProcess;
  readonly #start: () => HostProcess;
  readonly #folder = newFolder();

  private constructor(shop: OrderShop, store: StorePlace, start: () => HostProcess) {
    this.shop = shop;
    this.store = store;
    this.#start = start;
    this.host = start();
  }

  static async open(store: StorePlace, others: object = {}): Promise<MachineHost> {
    const shop = await OrderShop.start();
    const folder = newFolder();
    const accountsFile = writeAccounts(folder, shop.url, { lookup, timeoutMs: 2_000 });
    const policyFile = join(folder, "policy.json");
    writeFileSync(policyFile, JSON.stringify({ all: { ...limits, ...others } }));
    const environment = { HOLDFAST_POLICY: policyFile, HOLDFAST_LEASE_MS: "2000" };
    const world = new MachineHost(
      shop,
      store,
      () => new HostProcess({ store, accountsFile, environment }),
    );
    onTestFinished(async () => {
      world.host.kill("SIGKILL");
      await shop.stop();
    });
    const deployed = await world.deploy(script, "--allow", "shop.post");
    expect(deployed).toMatchObject({ code: 0 });
    return world;
  }

  deploy(text: string, ...words: readonly string[]) {
    return this.host.holdfast("deploy", this.write("orders.ts", text), ...words);
  }

  /** A file beside its own; answers where. */
  write(name: string, text: string): string {
    const file = join(this.#folder, name);
    writeFileSync(file, text);
    return file;
  }

  /** Dies, and another one goes on. */
  async crash(): Promise<void> {
    this.host.kill("SIGKILL");
    await this.host.ended;
    this.host = this.#start();
  }

  send(id: string, sum: number) {
    const event = JSON.stringify({ Placed: { id, sum } });
    return this.host.holdfast("machine", "send", "orders", "order", event, "--cell", `"${id}"`);
  }

  async publish(id: string, sum: number): Promise<void> {
    const body = { topic: "order.received", messageId: id, payload: { id, sum } };
    await this.host.api("POST", "/workflows/orders/commands", { kind: "publish_event", body });
  }

  /** The statuses of all of them. */
  async cells(): Promise<readonly string[]> {
    type Cells = { readonly items: readonly { readonly status: string }[] };
    const { items } = await this.host.api<Cells>("GET", "/workflows/orders/machines/cells");
    return items.map(({ status }) => status);
  }

  async phase(id: string): Promise<string> {
    const key = encodeURIComponent(`"${id}"`);
    const path = `/workflows/orders/machines/state?machine=order&key=${key}`;
    const cell = await this.host.api<{ state: { phase: string } }>("GET", path).catch(() => null);
    return cell?.state.phase ?? "none";
  }

  async soon(isSo: () => boolean | Promise<boolean>): Promise<void> {
    await vi.waitUntil(isSo, { timeout: 30_000, interval: 50 });
  }

  intents(): Promise<Intents> {
    return this.host.api<Intents>("GET", "/workflows/orders/machines/intents");
  }

  async replay(): Promise<{ readonly ok: boolean; readonly image: string }> {
    const { code, out } = await this.host.holdfast("machine", "replay", "orders", "--json");
    expect(code).toBe(0);
    return JSON.parse(out) as { ok: boolean; image: string };
  }
}
