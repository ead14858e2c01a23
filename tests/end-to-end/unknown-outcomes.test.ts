import { describe, expect, test } from "vitest";
import type { Loss } from "./lossy-shop.ts";
import { LossyWorld } from "./lossy-world.ts";
import { places } from "./stores.ts";

/** Only the first request of an order is lost. */
const first = (loss: Loss) => (_id: string, times: number) => (times === 1 ? loss : "nothing");

/** Requests that brought this order. */
const timesOf = ({ shop }: LossyWorld, id: string) =>
  shop.requests.filter((each) => each === id).length;

async function findsWhatWasBooked(world: LossyWorld): Promise<void> {
  world.shop.lossOf = (id) => id as Loss;
  await world.publish("answer", "500", "form");
  await world.settled(3);
  expect(world.shop.requests.toSorted()).toEqual(["500", "answer", "form"]);
  expect(world.shop.booked.toSorted()).toEqual(["500", "answer", "form"]);
}

async function sendsAgainWhatIsNotThere(world: LossyWorld): Promise<void> {
  world.shop.lossOf = first("request");
  const before = world.shop.lookCount;
  await world.publish("absent");
  await world.settled(4);
  expect(timesOf(world, "absent")).toBe(2);
  expect(world.shop.lookCount - before).toBeGreaterThan(1);
}

async function looksAgainAfterRestart(world: LossyWorld): Promise<void> {
  world.shop.lossOf = first("answer");
  world.shop.look = "gone";
  await world.publish("hidden");
  const before = world.shop.lookCount;
  await world.soon(() => world.shop.lookCount > before + 1);
  for (const again of [() => world.restart(), () => world.crash()]) {
    await again();
    const afterwards = world.shop.lookCount;
    await world.soon(() => world.shop.lookCount > afterwards);
  }
  expect(await world.openRuns()).toMatchObject([{ status: "paused:reconciliation" }]);
  world.shop.look = "shows";
  await world.settled(5);
  expect(timesOf(world, "hidden")).toBe(1);
}

async function sendsNothingWhatPeopleDo(world: LossyWorld): Promise<void> {
  world.shop.look = "gone";
  await world.publish("held");
  await world.publish("behind");
  await world.ask("pause_workflow");
  await world.crash();
  await world.deploy("says the same in other words");
  await world.crash();
  await world.ask("resume_workflow");
  await world.crash();
  const looks = world.shop.lookCount;
  await world.soon(() => world.shop.lookCount > looks);
  expect(timesOf(world, "held") + timesOf(world, "behind")).toBe(1);
  world.shop.look = "shows";
  await world.settled(7);
  expect(timesOf(world, "held") + timesOf(world, "behind")).toBe(2);
}

async function asksInTheEnd(world: LossyWorld): Promise<void> {
  world.shop.look = "nonsense";
  await world.publish("unclear");
  const question = await world.question();
  expect(question.answers).toContain("try_again");
  await world.crash();
  world.shop.look = "shows";
  // A double click: one is taken, the other is told so.
  const clicks = [world.answer(question, "try_again"), world.answer(question, "try_again")];
  const answered = await Promise.all(clicks);
  expect(answered.filter(({ code }) => code === 0)).toHaveLength(1);
  expect(answered.find(({ code }) => code !== 0)?.out).toContain("COMMAND_REFUSED");
  await world.crash();
  await world.settled(8);
  const again = await world.answer(question, "try_again");
  expect(again.code).not.toBe(0);
  expect(again.out).toContain("COMMAND_REFUSED");
  expect(timesOf(world, "unclear")).toBe(1);
}

async function keepsTheClass(world: LossyWorld): Promise<void> {
  world.shop.lossOf = first("401");
  await world.publish("signed out");
  const question = await world.question();
  expect(await world.openRuns()).toMatchObject([{ reason: "auth" }]);
  await world.crash();
  expect(timesOf(world, "signed out")).toBe(1);
  expect(await world.answer(question, "resume")).toMatchObject({ code: 0 });
  await world.settled(9);
  world.shop.lossOf = () => "422";
  await world.publish("wrong");
  const failed = await world.question();
  expect(failed).toMatchObject({ kind: "run_failed" });
  expect(world.shop.booked).not.toContain("wrong");
  const { out } = await world.host.holdfast("repair", "show", "orders", failed.subject ?? "");
  for (const part of ["the service answered 422", "ctx.peek", "order.received/wrong", "mutate:"]) {
    expect(out).toContain(part);
  }
  const other = await world.host.holdfast("repair", "show", "orders", "r1");
  expect(other.code).toBe(3);
}

/** On the desk of all workflows, and as a card with what each answer does. */
async function tellsAllOfIt(
  { host }: LossyWorld,
  { attentionId }: { readonly attentionId: string },
): Promise<void> {
  const list = await host.holdfast("attention");
  expect(list.out).toContain(attentionId);
  const { code, out } = await host.holdfast("attention", "show", "orders", attentionId);
  expect(code).toBe(0);
  for (const part of ['"ref":"skipped"', "only a person can find out", "it happens twice"]) {
    expect(out).toContain(part);
  }
  expect((await host.holdfast("attention", "show", "orders", "a999")).code).toBe(3);
}

describe.each(Object.entries(places))("through the shipped program, on %s", (_, newStore) => {
  test("[R109, S13, S14, S17, S18, S20, S21, S22, S23, S27, S28, S29] a shop says it", async () => {
    const world = await LossyWorld.open(await newStore(), "lookup");
    await findsWhatWasBooked(world);
    await sendsAgainWhatIsNotThere(world);
    await looksAgainAfterRestart(world);
    await sendsNothingWhatPeopleDo(world);
    await asksInTheEnd(world);
    await keepsTheClass(world);
    await world.end();
  });

  test("[S24] [S25] [S26] [S19] where nobody can be asked a person decides, at once", async () => {
    const world = await LossyWorld.open(await newStore(), "neither");
    world.shop.lossOf = first("answer");
    await world.publish("skipped");
    await tellsAllOfIt(world, await world.question());
    await world.crash();
    expect(await world.answer(await world.question(), "skip")).toMatchObject({ code: 0 });
    await world.crash();
    await world.settled(1);
    world.shop.lossOf = first("request");
    await world.publish("again");
    const question = await world.question();
    await world.crash();
    await world.soon(async () => (await world.answer(question, "did_not_happen")).code === 0);
    await world.settled(2);
    world.shop.lossOf = first("silence");
    await world.publish("happened");
    const result = JSON.stringify({ status: 200, body: { number: 7 } });
    const silent = await world.question();
    await world.crash();
    await world.answer(silent, "happened", "--result", result);
    await world.crash();
    await world.settled(3);
    expect(world.shop.requests).toEqual(["skipped", "again", "again", "happened"]);
    expect(world.shop.booked).toEqual(["skipped", "again", "happened"]);
    await world.end();
  });
});
