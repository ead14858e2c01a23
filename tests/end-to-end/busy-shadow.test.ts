/** A version is tried beside a host that is busy: the shop hears of nothing that was only tried. */
import { encodeCanonical } from "@holdfast/core";
import { describe, expect, test } from "vitest";
import { verifyFull } from "./host-process.ts";
import { MachineHost, script } from "./machine-host.ts";
import { places } from "./stores.ts";

/** Other for large orders alone. */
const nextScript = script.replace(
  '{ phase: "Booking" }',
  '{ phase: Number(sum) > 100 ? "Booking much" : "Booking" }',
);

type Report = {
  readonly deltas: readonly {
    readonly cell: string;
    readonly changes: readonly { readonly at: string; readonly to?: unknown }[];
  }[];
  readonly effects: readonly unknown[];
};

const cellOf = (id: string) =>
  `orders/order@1::${Buffer.from(encodeCanonical(id)).toString("hex")}`;

async function shadow({ host }: MachineHost, given: object): Promise<Report> {
  const path = "/workflows/orders/machines/proposals/1";
  await host.api("POST", `${path}/shadow`, given);
  return (await host.api<{ report: Report }>("GET", path)).report;
}

const sumOf = (at: number) => (at % 3 === 0 ? 500 : 5);

describe.each(Object.entries(places))("a shadow beside a busy host, on %s", (_, newStore) => {
  test("[M.G-4] [M.G-6] sends nothing, and names the cells that change and no others", async () => {
    const world = await MachineHost.open(await newStore());
    const { shop } = world;
    for (let at = 0; at < 6; at++) await world.publish(`before-${at}`, sumOf(at));
    const file = world.write("next.ts", nextScript);
    expect(await world.host.holdfast("machine", "propose", file)).toMatchObject({ code: 0 });
    const placed = (id: string, sum: number) => ({ topic: "order.received", event: { id, sum } });
    const seeds = [placed("only tried, much", 500), placed("only tried", 5), placed("before-0", 5)];
    let isTrying = true;
    const ids: string[] = [];
    const busy = (async () => {
      for (let at = 0; isTrying || at < 10; at++) {
        ids.push(`during-${at}`);
        await world.publish(`during-${at}`, sumOf(at));
      }
    })();
    for (let times = 0; times < 4; times++) {
      const { deltas, effects } = await shadow(world, { recent: 0, seeds });
      expect(deltas).toMatchObject([
        { cell: cellOf("only tried, much"), changes: [{ at: "/phase", to: "Booking much" }] },
      ]);
      expect(effects).toHaveLength(2);
      // What is going on is run again as well, of which the shop has most already.
      await shadow(world, { recent: 20 });
    }
    isTrying = false;
    await busy;
    // What is still under way would be among the recent.
    const isQuiet = async () => (await world.intents()).items.length === 0;
    await world.soon(() => shop.counts.size === ids.length + 6);
    await world.soon(isQuiet);
    for (let at = 0; at < 6; at++) await world.publish(`after-${at}`, sumOf(at));
    const all = [...ids, ...[0, 1, 2, 3, 4, 5].flatMap((at) => [`before-${at}`, `after-${at}`])];
    await world.soon(() => shop.counts.size === all.length);
    await world.soon(isQuiet);
    const { deltas } = await shadow(world, { recent: 6 });
    expect(deltas.map(({ cell }) => cell).sort()).toEqual(
      [cellOf("after-0"), cellOf("after-3")].sort(),
    );
    expect([...shop.counts].sort()).toEqual(all.map((id) => [id, 1] as const).sort());
    expect(shop.heard.filter((line) => line.includes("tried"))).toEqual([]);
    await world.host.stop();
    expect(await verifyFull(world.store)).toMatchObject({ code: 0 });
  });
});
