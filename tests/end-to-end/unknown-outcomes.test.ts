import { describe, expect, test } from "vitest";
import type { Loss } from "./lossy-shop.ts";
import { LossyWorld, type Manner } from "./lossy-world.ts";
import { places } from "./stores.ts";

describe.each(Object.entries(places))("through the shipped program, on %s", (_, newStore) => {
  /** The first request of every order is lost in this way. */
  async function losing(manner: Manner, loss: Loss): Promise<LossyWorld> {
    const world = await LossyWorld.open(await newStore(), manner);
    world.shop.lossOf = (_id, times) => (times === 1 ? loss : "nothing");
    return world;
  }

  test("[S20] [S17] [S18] what was booked is found, and next gets the result", async () => {
    const world = await losing("lookup", "answer");
    await world.publish("dropped");
    await world.settled(1);
    world.shop.lossOf = () => "500";
    await world.publish("broke");
    await world.settled(2);
    world.shop.lossOf = () => "form";
    await world.publish("formless");
    await world.settled(3);
    expect(world.shop.requests).toEqual(["dropped", "broke", "formless"]);
    expect(world.shop.booked).toEqual(["dropped", "broke", "formless"]);
    const { out } = await world.host.holdfast("outputs", "orders");
    expect(out).toContain("dropped");
    await world.end();
  });

  test("[S21] [S28] what is not there is sent again, once, and not too early", async () => {
    const world = await losing("lookup", "request");
    await world.publish("o-1");
    await world.settled(1);
    expect(world.shop.requests).toEqual(["o-1", "o-1"]);
    expect(world.shop.booked).toEqual(["o-1"]);
    expect(world.shop.lookCount).toBeGreaterThan(1);
    await world.end();
  });

  test("[S22] [S28] looks that fail are repeated, across a restart", async () => {
    const world = await losing("lookup", "answer");
    world.shop.look = "gone";
    await world.publish("o-1");
    await world.soon(() => world.shop.lookCount > 1);
    await world.restart();
    const before = world.shop.lookCount;
    await world.soon(() => world.shop.lookCount > before);
    expect(await world.openRuns()).toMatchObject([{ status: "paused:reconciliation" }]);
    world.shop.look = "shows";
    await world.settled(1);
    expect(world.shop.requests).toEqual(["o-1"]);
    await world.end();
  });

  test("[S23] [S27] looks that say nothing end in a question; try again works", async () => {
    const world = await losing("lookup", "answer");
    world.shop.look = "nonsense";
    await world.publish("o-1");
    const question = await world.question();
    expect(question.answers).toContain("try_again");
    world.shop.look = "shows";
    expect(await world.answer(question, "try_again")).toMatchObject({ code: 0 });
    await world.settled(1);
    const again = await world.answer(question, "try_again");
    expect(again.code).not.toBe(0);
    expect(again.out).toContain("COMMAND_REFUSED");
    expect(world.shop.requests).toEqual(["o-1"]);
    await world.end();
  });

  test("[S24] [S25] [S26] without a way to find out a person decides, at once", async () => {
    const world = await losing("neither", "answer");
    await world.publish("skipped");
    expect(await world.answer(await world.question(), "skip")).toMatchObject({ code: 0 });
    await world.settled(1);
    expect(world.shop.requests).toEqual(["skipped"]);
    world.shop.lossOf = (_id, times) => (times === 1 ? "request" : "nothing");
    await world.publish("again");
    const question = await world.question();
    await world.soon(async () => (await world.answer(question, "did_not_happen")).code === 0);
    await world.settled(2);
    expect(world.shop.requests).toEqual(["skipped", "again", "again"]);
    world.shop.lossOf = () => "answer";
    await world.publish("happened");
    const result = JSON.stringify({ status: 200, body: { number: 7 } });
    await world.answer(await world.question(), "happened", "--result", result);
    await world.settled(3);
    expect(world.shop.booked).toEqual(["skipped", "again", "happened"]);
    await world.end();
  });

  test("[S29] people who pause, resume and deploy meanwhile send nothing", async () => {
    const world = await losing("lookup", "answer");
    world.shop.look = "gone";
    await world.publish("o-1", "o-2");
    await world.soon(() => world.shop.lookCount > 0);
    await world.ask("pause_workflow");
    await world.deploy("says the same in other words");
    await world.ask("resume_workflow");
    const looks = world.shop.lookCount;
    await world.soon(() => world.shop.lookCount > looks);
    expect(world.shop.requests).toEqual(["o-1"]);
    world.shop.look = "shows";
    await world.settled(2);
    expect(world.shop.requests).toEqual(["o-1", "o-2"]);
    await world.end();
  });

  test("[S13] a definite failure keeps its class, and nothing was booked", async () => {
    const world = await losing("lookup", "401");
    await world.publish("o-1");
    await world.question();
    expect(await world.openRuns()).toMatchObject([{ reason: "auth" }]);
    await world.answer(await world.question(), "resume");
    await world.settled(1);
    world.shop.lossOf = () => "422";
    await world.publish("o-2");
    const question = await world.question();
    expect(question).toMatchObject({ kind: "run_failed" });
    expect(world.shop.booked).toEqual(["o-1"]);
    await world.end();
  });
});
