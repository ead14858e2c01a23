import { describe, expect, test } from "vitest";
import { approve, askedCall, bookGrants, grant, states } from "./granted-workflow.ts";
import { openStores } from "./open-stores.ts";
import { OrderShop, sandboxOfFile } from "./order-shop.ts";
import type { WorkflowInTest } from "./workflow-in-test.ts";

const sandbox = sandboxOfFile();
const ask = { say: "ask" };
const fourEyes = { say: "ask", fourEyes: true };
const brake = { operation: "*", reason: "wait" };

function as<T>(it: WorkflowInTest, actor: string, work: () => Promise<T>): Promise<T> {
  const before = it.actor;
  it.actor = actor;
  return work().finally(() => {
    it.actor = before;
  });
}

describe.each(Object.entries(openStores))("four eyes on %s", (_, store) => {
  /** Deployed by ada; the first of its calls waits, if it is asked about. */
  async function begin(...given: readonly object[]) {
    const shop = new OrderShop();
    const it = await shop.open(sandbox(), { store });
    await it.command("set_envelope", { grants: bookGrants(...given) });
    await it.live();
    return { shop, it };
  }

  test("[R93] that are asked for while a call waits hold for its approval", async () => {
    const { shop, it } = await begin(ask);
    expect((await askedCall(it)).approval?.fourEyes).toBe(false);
    await as(it, "bob", () => grant(it, fourEyes));
    expect(await approve(it)).toBe("approver_deployed_it");
    expect(shop.booked).toEqual([]);
    expect(await as(it, "bob", () => approve(it))).toBe("done");
    expect(shop.booked).toEqual(["a"]);
    const [first] = await it.rows("mutations");
    expect(first?.approval).toMatchObject({ actor: "bob", fourEyes: true });
    expect(first?.verdict).toMatchObject({ says: "ask", fourEyes: true });
    await it.expectSound();
  });

  test("[R93] that are asked for before the approval is taken in hold for it", async () => {
    const { shop, it } = await begin(ask);
    await as(it, "bob", () => it.command("set_envelope", { grants: bookGrants(fourEyes) }));
    expect(await approve(it)).toBe("approver_deployed_it");
    expect(shop.booked).toEqual([]);
  });

  test("[R91, R93] an approval that was given without them does not cover the call", async () => {
    const { shop, it } = await begin(ask);
    await it.command("set_brake", brake);
    expect(await approve(it)).toBe("done");
    await as(it, "bob", () => grant(it, fourEyes));
    await it.ask("release_brake", { operation: "*" });
    expect(shop.booked).toEqual([]);
    expect(await states(it)).toEqual(["failed", "awaiting_approval"]);
    expect(await approve(it)).toBe("approver_deployed_it");
    expect(await as(it, "bob", () => approve(it))).toBe("done");
    expect(shop.booked).toEqual(["a"]);
    await it.expectSound();
  });

  test("[R93] stay where the grant that asks for them has no room left", async () => {
    const { shop, it } = await begin({ ...fourEyes, limits: [{ per: "day", count: 1 }] }, ask);
    expect(await as(it, "bob", () => approve(it))).toBe("done");
    expect(shop.booked).toEqual(["a"]);
    expect((await askedCall(it)).approval?.fourEyes).toBe(true);
    expect(await approve(it)).toBe("approver_deployed_it");
    expect(shop.booked).toEqual(["a"]);
  });
});
