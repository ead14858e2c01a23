import { describe, expect, test } from "vitest";
import { LossyWorld } from "./lossy-world.ts";
import { places } from "./stores.ts";

type Why = {
  readonly event: { readonly payload: { readonly said: unknown } };
};
type Closed = {
  readonly items: readonly { readonly call: { readonly evidence: readonly { note: string }[] } }[];
};

/** What the person says, and what the shop never answered. */
const told = JSON.stringify({ status: 200, body: { number: 99 } });

/** An order that was booked, and of which the host could not find out. */
async function unclear(world: LossyWorld, id: string) {
  world.shop.lossOf = () => "answer";
  world.shop.look = "nonsense";
  await world.publish(id);
  return world.question();
}

async function said(world: LossyWorld, id: string): Promise<unknown> {
  const why = await world.host.api<Why>("GET", `/workflows/orders/why/order.booked/${id}`);
  return why.event.payload.said;
}

/** What is on record of the last question. */
async function lastNote(world: LossyWorld): Promise<string> {
  const path = "/workflows/orders/attention?status=closed&limit=1";
  const { items } = await world.host.api<Closed>("GET", path);
  return items[0]?.call.evidence.at(-1)?.note ?? "";
}

async function refusesWhatCannotBe(world: LossyWorld): Promise<void> {
  const question = await unclear(world, "first");
  const { out } = await world.host.holdfast("attention", "show", "orders", question.attentionId);
  expect(out).toContain("it happens twice");
  const wrong = JSON.stringify({ status: "200", body: {} });
  const refused = await world.answer(question, "happened", "--result", wrong);
  expect(refused.code).not.toBe(0);
  expect(refused.out).toContain("result/status");
  const stray = JSON.stringify({ status: 200, body: {}, more: 1 });
  const again = await world.answer(question, "happened", "--result", stray);
  expect(again.out).toContain("REQUEST_INVALID");
  expect(await world.questions()).toHaveLength(1);
}

async function refusesWhatTheShopDoesNotFind(world: LossyWorld): Promise<void> {
  const question = await world.question();
  world.shop.look = "hides";
  const refused = await world.answer(question, "happened", "--result", told);
  expect(refused.code).not.toBe(0);
  expect(refused.out).toContain("does not find it (the list is empty)");
  expect(await world.questions()).toHaveLength(1);
  const insisted = await world.answer(question, "happened", "--result", told, "--insist");
  expect(insisted.code).toBe(0);
  await world.settled(1);
  expect(await said(world, "first")).toEqual({ number: 99 });
  expect(await lastNote(world)).toContain("answered: happened; the service does not find it");
}

async function takesTheShopsOwnResult(world: LossyWorld): Promise<void> {
  const question = await unclear(world, "second");
  world.shop.look = "shows";
  const refused = await world.answer(question, "did_not_happen");
  expect(refused.code).not.toBe(0);
  expect(refused.out).toContain("the service has it");
  expect(await world.answer(question, "happened", "--result", told)).toMatchObject({ code: 0 });
  await world.settled(2);
  expect(await said(world, "second")).toEqual({ number: 2 });
  expect(await lastNote(world)).toContain("its own result is taken");
}

async function takesTheirWord(world: LossyWorld): Promise<void> {
  const question = await unclear(world, "third");
  world.shop.look = "gone";
  expect(await world.answer(question, "happened", "--result", told)).toMatchObject({ code: 0 });
  await world.settled(3);
  expect(await said(world, "third")).toEqual({ number: 99 });
  expect(await lastNote(world)).toContain("taken at their word: the service did not say");
}

describe.each(Object.entries(places))("through the shipped program, on %s", (_, newStore) => {
  test("[R71, R72, R74] a person's word is held against what the shop says", async () => {
    const world = await LossyWorld.open(await newStore(), "lookup");
    await refusesWhatCannotBe(world);
    await refusesWhatTheShopDoesNotFind(world);
    await takesTheShopsOwnResult(world);
    await takesTheirWord(world);
    expect(world.shop.requests).toEqual(["first", "second", "third"]);
    await world.end();
  });
});
