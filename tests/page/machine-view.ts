import { readFileSync } from "node:fs";
import { expect } from "vitest";
import type { PageWorld } from "./page-world.ts";

const script = readFileSync(new URL("./parcels.ts.txt", import.meta.url), "utf8");

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

  async soon(id: string, status: string): Promise<void> {
    await expect.poll(() => this.status(id), { timeout: 60_000 }).toBe(status);
  }
}

/** Where its page is. */
export function cellPath(id: string, search = ""): string {
  return `/page/workflows/parcels/machines/parcel@1/${encodeURIComponent(`"${id}"`)}${search}`;
}
