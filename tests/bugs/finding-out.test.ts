import { expect, test } from "vitest";
import { LossyWorld, type Manner } from "../end-to-end/lossy-world.ts";
import { places } from "../end-to-end/stores.ts";

/** Through the program as it is shipped: that the parts work says nothing of whether they run. */
test.each([
  ["looks it up", "lookup", { sends: 1, isLookedUp: true }],
  ["sends it again under its key", "key", { sends: 2, isLookedUp: false }],
] as const satisfies readonly (readonly [string, Manner, object])[])(
  "[B3] the shipped host finds out what came of a lost answer by itself: it %s",
  async (_, manner, { sends, isLookedUp }) => {
    const world = await LossyWorld.open(await places.SQLite(), manner);
    world.shop.lossOf = (_id, times) => (times === 1 ? "answer" : "nothing");
    await world.publish("o-1");
    await world.settled(1);
    expect(world.shop.booked).toEqual(["o-1"]);
    expect(world.shop.requests).toHaveLength(sends);
    expect(world.shop.lookCount > 0).toBe(isLookedUp);
    // The key that tells it from every other call was on the wire.
    expect(world.shop.bookings.map(({ key }) => key)).toEqual([expect.stringMatching(/^.{16,}$/)]);
    expect(await world.questions()).toEqual([]);
    await world.end();
  },
);
