import { encodeCanonical, policyDefaults } from "@holdfast/core";
import { beforeEach, describe, expect, test } from "vitest";
import { ForgetfulShop, ForgottenOrder, findable } from "./forgotten-order.ts";
import { openStores } from "./open-stores.ts";
import { sandboxOfFile } from "./order-shop.ts";
import { bookOneByOne, orderSource } from "./order-workflow.ts";
import { Fails } from "./scripted-world.ts";
import type { WorkflowInTest } from "./workflow-in-test.ts";

const sandbox = sandboxOfFile();
const { hostPauseMsMax } = policyDefaults;

describe.each([
  ["SQLite", openStores.SQLite],
  ["PostgreSQL", openStores.PostgreSQL],
])("on %s", (_name, store) => {
  let shop: ForgetfulShop;
  let it: WorkflowInTest;
  let order: ForgottenOrder;

  beforeEach(() => {
    shop = new ForgetfulShop();
  });

  async function open(): Promise<void> {
    order = await ForgottenOrder.open(sandbox(), { shop, store });
    it = order.it;
  }

  async function begin(): Promise<void> {
    await open();
    await it.live();
  }

  describe("a person's answer", () => {
    test("[S25] [R73] skip: next hears of it, and the event is skipped", async () => {
      await begin();
      expect(await order.resolve({ says: "skip" })).toBe("done");
      expect(await it.statuses("order.received")).toEqual({
        a: "consumed",
        b: "skipped",
        c: "consumed",
      });
      expect(Object.keys(await it.payloads("order.booked")).toSorted()).toEqual(["a", "c"]);
      await it.expectSound();
    });

    test.each(["prepare", "replay"] as const)(
      "[S26] [R72] it did not happen, then %s: it is sent once more",
      async (then) => {
        shop.isApplied = false;
        await begin();
        it.now += hostPauseMsMax * 2;
        const phases: string[] = [];
        it.onPhase = ({ phase }) => phases.push(phase);
        expect(await order.resolve({ says: "did_not_happen", then })).toBe("done");
        await order.expectAllBooked();
        expect(shop.booked).toEqual(["a", "b", "b", "c"]);
        expect(phases[0]).toBe(then === "replay" ? "mutate" : "prepare");
      },
    );

    test("[C24] it happened: next gets the result that was given", async () => {
      await begin();
      const result = encodeCanonical({ number: "B-by-hand" });
      expect(await order.resolve({ says: "happened", result })).toBe("done");
      await order.expectAllBooked();
      expect((await it.payloads("order.booked"))["b"]).toEqual({ number: "B-by-hand" });
    });

    test("[S27] [R74] given twice counts once, and the second is told so", async () => {
      await begin();
      const { mutationId } = await order.callOfB();
      const skip = { mutationId, answer: { says: "skip" } };
      const first = await it.command("resolve_mutation", skip);
      const second = await it.command("resolve_mutation", skip);
      await it.live();
      const verdicts = await Promise.all(
        [first, second].map((id) => it.store.findVerdict(it.workflow, id)),
      );
      expect(verdicts.map((verdict) => verdict?.accepted)).toEqual([true, false]);
      expect(verdicts[1]?.refusal).toMatch(/mutation_(settled|resolved)/);
    });

    test("[S27] [R74] that comes while the host still finds out is refused", async () => {
      shop.guarantee = findable;
      shop.find = () => ({ says: "retry", note: "come back" });
      await begin();
      expect(await order.resolve({ says: "skip" })).toBe("mutation_not_indeterminate");
    });
  });

  test("[S29] pausing, resuming and a new version send nothing while it is uncertain", async () => {
    shop.guarantee = findable;
    shop.find = () => ({ says: "retry", note: "come back" });
    await begin();
    await it.ask("pause_workflow", {});
    await it.deploy(orderSource(bookOneByOne.replace("Book order", "Order")));
    await it.live();
    await it.ask("resume_workflow", {});
    expect(shop.booked).toEqual(["a", "b"]);
    expect((await order.uncertain())?.state).toBe("needs_reconcile");
    await it.ask("pause_workflow", {});
    shop.find = () => shop.lookUp();
    await order.nextTry();
    expect((await it.rows("mutations")).map(({ state }) => state)).toEqual(["applied", "applied"]);
    expect(shop.booked).toEqual(["a", "b"]);
    await it.ask("resume_workflow", {});
    await order.expectAllBooked();
  });

  describe("[S19] a connector that does not end", () => {
    let answerLate: (answer: unknown) => void;

    /** Nobody waits for the booking of b any longer; what comes later is up to the test. */
    async function hangOnB(): Promise<void> {
      shop.book = ({ id }) => {
        shop.really.push(String(id));
        if (id !== "b") return { number: `B-${id}` };
        const late = Promise.withResolvers<unknown>();
        answerLate = late.resolve;
        return late.promise;
      };
      await open();
      it.timers = {
        setTimer: (_ms, onTime) => {
          const isForB = shop.really.includes("b");
          if (isForB) setImmediate(onTime);
          return () => {};
        },
      };
      await it.live();
    }

    async function giveUpOnB(): Promise<void> {
      await hangOnB();
      expect((await order.callOfB()).state).toBe("indeterminate");
    }

    async function lateCommand(): Promise<void> {
      answerLate({ number: "B-late" });
      await expect.poll(() => it.store.readInbox(it.workflow, 1)).toHaveLength(1);
      await it.live();
    }

    test("is unknown; when it says at last that it worked, that settles it", async () => {
      await giveUpOnB();
      await lateCommand();
      await order.expectAllBooked();
      expect((await it.payloads("order.booked"))["b"]).toEqual({ number: "B-late" });
      expect((await it.questions()).length).toBe(0);
    });

    test("[R68] may be at it still: what is not there proves nothing", async () => {
      shop.guarantee = findable;
      shop.find = () => ({ says: "not_found", note: "there is no booking" });
      await hangOnB();
      for (let tries = 1; (await order.uncertain())?.state === "needs_reconcile"; tries++) {
        expect(tries).toBeLessThanOrEqual(policyDefaults.reconcileTriesMax);
        await order.nextTry();
      }
      expect((await order.uncertain())?.state).toBe("indeterminate");
      expect(shop.really).toEqual(["a", "b"]);
    });

    test("[R161] and worked although a person said it did not brakes the operation", async () => {
      await giveUpOnB();
      it.now += hostPauseMsMax * 2;
      await it.command("set_brake", { operation: "shop.bookOrder", reason: "look first" });
      // biome-ignore lint/suspicious/noThenProperty: the word of the contract; never awaited
      expect(await order.resolve({ says: "did_not_happen", then: "prepare" })).toBe("done");
      await it.command("release_brake", { operation: "shop.bookOrder" });
      await lateCommand();
      expect(await it.questions()).toContain("happened_after_all");
      expect((await it.rows("brakes")).map(({ operation }) => operation)).toContain(
        "shop.bookOrder",
      );
      expect(shop.really).toEqual(["a", "b"]);
    });
  });

  test("[S17] [S18] what a connector throws after the send is unknown", async () => {
    const book = shop.book;
    shop.losses = 0;
    shop.book = (params) => {
      const result = book(params);
      if (params["id"] === "b" && shop.really.filter((id) => id === "b").length === 1) {
        throw "the answer does not have the form it should have";
      }
      return result;
    };
    await begin();
    expect((await order.callOfB()).state).toBe("indeterminate");
    expect(shop.booked).toEqual(["a", "b"]);
    await it.expectSound();
  });

  test("[S13] a definite failure keeps its class", async () => {
    for (const kind of ["auth", "permission", "precondition"] as const) {
      shop = new ForgetfulShop();
      shop.book = () => {
        throw new Fails(kind, `${kind} is wrong`);
      };
      await begin();
      const run = await it.openRun();
      expect(run).toMatchObject({ reason: kind });
      expect((await it.rows("mutations")).at(-1)).toMatchObject({ state: "failed" });
    }
  });
});
