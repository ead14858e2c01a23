import { encodeCanonical } from "@holdfast/core";
import type { Finding } from "@holdfast/host";
import type { Sandbox } from "@holdfast/sandbox";
import { expect } from "vitest";
import type { OpenStore } from "./open-stores.ts";
import { OrderShop } from "./order-shop.ts";
import { orderSource } from "./order-workflow.ts";
import { Fails } from "./scripted-world.ts";
import type { WorkflowInTest } from "./workflow-in-test.ts";

/** A shop that books order b and loses the answer, as often as it is told to. */
export class ForgetfulShop extends OrderShop {
  /** Bookings that really happened, in their order. */
  readonly really: string[] = [];
  /** Answers to bookings of b that are still to be lost. */
  losses = 1;
  isApplied = true;

  constructor() {
    super();
    this.book = ({ id }) => {
      const isLost = id === "b" && this.losses > 0;
      if (isLost) this.losses -= 1;
      if (!isLost || this.isApplied) this.really.push(String(id));
      if (isLost) throw new Fails("indeterminate", "the answer was lost");
      return { number: `B-${id}` };
    };
    this.find = () => this.lookUp();
  }

  lookUp(): Finding {
    if (!this.really.includes("b")) return { says: "not_found", note: "there is no booking" };
    return { says: "applied", result: encodeCanonical({ number: "B-b" }) };
  }
}

/** A shop that can be asked, and shows a booking five seconds later at the latest. */
export const findable = { canReconcile: true, visibilityDelayMs: 5_000 };

/** The workflow that works for such a shop, and what is asked of it again and again. */
export class ForgottenOrder {
  readonly shop: ForgetfulShop;
  readonly it: WorkflowInTest;

  private constructor(shop: ForgetfulShop, it: WorkflowInTest) {
    this.shop = shop;
    this.it = it;
  }

  static async open(sandbox: Sandbox, { shop, store, consumer }: Parts): Promise<ForgottenOrder> {
    const it = await shop.open(sandbox, { source: orderSource(consumer), store });
    return new ForgottenOrder(shop, it);
  }

  /** The call that was sent last. */
  async callOfB() {
    const rows = await this.it.rows("mutations");
    const last = rows.filter(({ sendCount }) => sendCount > 0).at(-1);
    if (last === undefined) throw new Error("nothing was sent");
    return last;
  }

  async uncertain() {
    const rows = await this.it.rows("mutations");
    return rows.find(({ state }) => state !== "applied" && state !== "failed");
  }

  /** Until the next question to the service is due, and through it. */
  async nextTry(): Promise<void> {
    const row = await this.uncertain();
    this.it.now = Math.max(this.it.now, row?.nextAttemptAt ?? this.it.now);
    await this.it.live();
  }

  async resolve(answer: object): Promise<string> {
    const { mutationId } = await this.callOfB();
    return this.it.ask("resolve_mutation", { mutationId, answer });
  }

  async expectAllBooked(): Promise<void> {
    expect(this.shop.really.toSorted()).toEqual(["a", "b", "c"]);
    expect(await this.it.statuses("order.received")).toEqual({
      a: "consumed",
      b: "consumed",
      c: "consumed",
    });
    await this.it.expectSound();
  }
}

type Parts = {
  readonly shop: ForgetfulShop;
  readonly store: OpenStore;
  readonly consumer?: string;
};
