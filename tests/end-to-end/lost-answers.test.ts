import { describe, expect, test } from "vitest";
import type { Loss } from "./lossy-shop.ts";
import { LossyWorld } from "./lossy-world.ts";
import { places } from "./stores.ts";

const orders = (count: number) => Array.from({ length: count }, (_, index) => `o-${index}`);

/** Every second answer is lost, in turn in one way and in the other. */
function everySecond(one: Loss, other: Loss): () => Loss {
  let requests = 0;
  const turns: readonly Loss[] = ["nothing", one, "nothing", other];
  return () => turns[requests++ % turns.length] ?? "nothing";
}

describe.each([
  ["SQLite", places.SQLite, 200],
  ["PostgreSQL", places.PostgreSQL, 40],
] as const)("on %s", (_, newStore, count) => {
  test("[R75] half of all answers are lost, and a key keeps every order single", async () => {
    const world = await LossyWorld.open(await newStore(), "key");
    world.shop.lossOf = everySecond("answer", "request");
    await world.publish(...orders(count));
    await world.settled(count);
    expect(world.shop.booked.toSorted()).toEqual(orders(count).toSorted());
    expect(world.shop.requests.length).toBeGreaterThanOrEqual(count * 1.5);
    expect(world.shop.lookCount).toBe(0);
    expect(await world.questions()).toEqual([]);
    await world.end();
  });

  test("[R64] half of all answers are lost, and a look finds what was booked", async () => {
    const world = await LossyWorld.open(await newStore(), "lookup");
    world.shop.lossOf = everySecond("answer", "500");
    await world.publish(...orders(count));
    await world.settled(count);
    expect(world.shop.booked.toSorted()).toEqual(orders(count).toSorted());
    expect(world.shop.requests).toHaveLength(count);
    expect(await world.questions()).toEqual([]);
    await world.end();
  });

  test("[R65] of a webhook every unknown is a question, and none is sent again", async () => {
    const world = await LossyWorld.open(await newStore(), "webhook");
    world.shop.lossOf = everySecond("answer", "500");
    await world.publish(...orders(8));
    for (let asked = 0; asked < 4; asked++) {
      const question = await world.question();
      expect(question).toMatchObject({ kind: "outcome_unknown" });
      expect(question.answers).not.toContain("try_again");
      await world.answer(question, "happened");
    }
    await world.settled(8);
    expect(world.shop.requests.toSorted()).toEqual(orders(8));
    await world.end();
  });
});
