import { readFileSync } from "node:fs";
import { expect } from "vitest";
import type { PageWorld } from "./page-world.ts";

const script = readFileSync(new URL("./parcels.ts.txt", import.meta.url), "utf8");

/** Says more of every parcel, and so is another machine to its cells. */
export const louder = script
  .replace("phase: schema.text(),", "phase: schema.text(), note: schema.option(schema.text()),")
  .replace('{ phase: "booking", customer', '{ phase: "booking", note: "by version two", customer');

/** Parcels that machines keep track of, in the world of the page. */
export class Parcels {
  readonly #world: PageWorld;

  constructor(world: PageWorld) {
    this.#world = world;
  }

  deploy(text = script, more: object = { ask: ["shop.post"] }): Promise<unknown> {
    const source = { entry: "parcels.ts", files: { "parcels.ts": text } };
    return this.#world.host.api("POST", "/versions", { source, ...more });
  }

  async pack(id: string, customer: string, lineCount = 2): Promise<void> {
    const lines = Array.from({ length: lineCount }, (_, at) => ({ sku: `bolt-${at}`, count: at }));
    const payload = { id, customer, lines };
    await this.#world.publish("parcels", { topic: "parcel.packed", messageId: id, payload });
  }

  async status(id: string): Promise<string> {
    const key = encodeURIComponent(`"${id}"`);
    const path = `/workflows/parcels/machines/state?machine=parcel&key=${key}`;
    const cell = await this.#world.host.api<{ status: string }>("GET", path).catch(() => null);
    return cell?.status ?? "none";
  }

  /** Takes back whatever is open, so that nothing is under way. */
  async takeBack(): Promise<void> {
    type Intents = { readonly items: readonly { readonly intentId: string }[] };
    const path = "/workflows/parcels/machines/intents";
    const { items } = await this.#world.host.api<Intents>("GET", path);
    for (const { intentId } of items) {
      const command = { kind: "cancel_intent", body: { intentId } };
      await this.#world.host.api("POST", "/workflows/parcels/commands", command);
    }
  }

  async soon(id: string, status: string): Promise<void> {
    await expect.poll(() => this.status(id), { timeout: 60_000 }).toBe(status);
  }
}

/** Where its page is. */
export function cellPath(id: string, search = ""): string {
  return `/page/workflows/parcels/machines/parcel@1/${encodeURIComponent(`"${id}"`)}${search}`;
}
