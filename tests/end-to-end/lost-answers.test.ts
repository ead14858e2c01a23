import { describe, expect, test } from "vitest";
import { LossyWorld } from "./lossy-world.ts";
import { places } from "./stores.ts";

const orders = (count: number) => Array.from({ length: count }, (_, index) => `o-${index}`);

describe.each(Object.entries(places))("on %s", (_, newStore) => {
  test("[R75] a key: half of all answers are lost, and every order is booked once", async () => {
    const world = await LossyWorld.open(await newStore(), "key");
    let requests = 0;
    world.shop.lossOf = () =>
      (["nothing", "answer", "nothing", "request"] as const)[requests++ % 4] ?? "nothing";
    await world.publish(...orders(200));
    await world.settled(200);
    expect(world.shop.booked.toSorted()).toEqual(orders(200).toSorted());
    expect(world.shop.requests.length).toBeGreaterThan(200);
    expect(world.shop.lookCount).toBe(0);
    expect(await world.questions()).toEqual([]);
    await world.end();
  });

  test("[R64] a lookup: half of all answers are lost, and every order is booked once", async () => {
    const world = await LossyWorld.open(await newStore(), "lookup");
    let requests = 0;
    world.shop.lossOf = () =>
      (["nothing", "answer", "nothing", "500"] as const)[requests++ % 4] ?? "nothing";
    await world.publish(...orders(200));
    await world.settled(200);
    expect(world.shop.booked.toSorted()).toEqual(orders(200).toSorted());
    expect(world.shop.lookCount).toBeGreaterThanOrEqual(100);
    expect(world.shop.requests).toHaveLength(200);
    expect(await world.questions()).toEqual([]);
    await world.end();
  });

  test("[R65] a webhook: every unknown is a question, and none is sent again", async () => {
    const world = await LossyWorld.open(await newStore(), "webhook");
    world.shop.lossOf = (id) => (Number(id.slice(2)) % 2 === 0 ? "answer" : "nothing");
    await world.publish(...orders(12));
    for (let asked = 0; asked < 6; asked++) {
      const question = await world.question();
      expect(question).toMatchObject({ kind: "outcome_unknown" });
      expect(question.answers).not.toContain("try_again");
      await world.answer(question, "happened");
    }
    await world.settled(12).catch(async (e) => { console.log((await world.host.holdfast("why", "orders")).out, world.shop.requests, await world.questions(), (await world.host.holdfast("outputs","orders")).out, (await world.host.holdfast("runs","orders")).out); throw e; });
    expect(world.shop.requests.toSorted()).toEqual(orders(12).toSorted());
    await world.end();
  });
});
