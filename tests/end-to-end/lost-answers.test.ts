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

const count = 200;
const scale = Math.max(1, Number(process.env["HOLDFAST_FUZZ_SCALE"] ?? 1));
/** Every second one is a question that somebody answers; with a scale of 5 there are as many. */
const pushCount = Math.min(count, 40 * scale);

describe.each([
  ["SQLite", places.SQLite],
  ["PostgreSQL", places.PostgreSQL],
] as const)("on %s", (_, newStore) => {
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
    await world.publish(...orders(pushCount));
    for (let asked = 0; asked < pushCount / 2; asked++) {
      const question = await world.question();
      expect(question).toMatchObject({ kind: "outcome_unknown" });
      expect(question.answers).not.toContain("try_again");
      const path = `/workflows/orders/attention/${question.attentionId}`;
      await world.host.api("POST", path, { answer: "happened" });
    }
    await world.settled(pushCount);
    expect(world.shop.requests.toSorted()).toEqual(orders(pushCount).toSorted());
    await world.end();
  });
});
