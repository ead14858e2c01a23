import { encodeGrants, type Grant, plainGrants } from "@holdfast/core";
import { describe, expect, test } from "vitest";
import { approve, askedCall, bookGrants, grant, states } from "./granted-workflow.ts";
import { MachineInTest } from "./machine-in-test.ts";
import { machineSource } from "./machine-workflow.ts";
import { openStores } from "./open-stores.ts";
import { OrderShop, sandboxOfFile } from "./order-shop.ts";
import { bookOneByOne, orderSource } from "./order-workflow.ts";
import { loudSource, ProposalsInTest } from "./proposal-in-test.ts";
import { Fails } from "./scripted-world.ts";
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

/** The same, said in other words: another version by its hash. */
const mended = `${orderSource(bookOneByOne)}\nexport const mended = 1;\n`;

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

  test("[R93] look at who deployed the version that made the call, too", async () => {
    const { shop, it } = await begin(fourEyes);
    await as(it, "bob", () => it.deploy(mended));
    expect(await approve(it)).toBe("approver_deployed_it");
    expect(await as(it, "bob", () => approve(it))).toBe("approver_deployed_it");
    expect(shop.booked).toEqual([]);
    expect(await as(it, "eve", () => approve(it))).toBe("done");
    expect(shop.booked).toEqual(["a"]);
    await it.expectSound();
  });

  test("[R93] know the version of a call that was allowed first", async () => {
    const { shop, it } = await begin({ say: "deny" });
    await it.command("set_brake", brake);
    await grant(it, { say: "allow" });
    expect(await states(it)).toEqual(["ready"]);
    await as(it, "bob", () => it.deploy(mended));
    await as(it, "bob", () => grant(it, fourEyes));
    await it.ask("release_brake", { operation: "*" });
    expect(await approve(it)).toBe("approver_deployed_it");
    expect(shop.booked).toEqual([]);
    expect(await as(it, "eve", () => approve(it))).toBe("done");
    expect(shop.booked).toEqual(["a"]);
  });

  test("[R93] know the version of a run that goes on when another one is active", async () => {
    const { shop, it } = await begin({ say: "deny" });
    await as(it, "bob", () => it.deploy(mended));
    await as(it, "bob", () => grant(it, fourEyes));
    expect((await askedCall(it)).approval?.fourEyes).toBe(true);
    expect(await approve(it)).toBe("approver_deployed_it");
    expect(await as(it, "bob", () => approve(it))).toBe("approver_deployed_it");
    expect(shop.booked).toEqual([]);
    expect(await as(it, "eve", () => approve(it))).toBe("done");
    expect(shop.booked).toEqual(["a"]);
  });

  test("[R93] look at who deployed what prepared the call, where it is made anew", async () => {
    const shop = new OrderShop();
    const replays = `onMutationFailed: "replay", ${bookOneByOne}`;
    const it = await shop.open(sandbox(), { source: orderSource(replays), store });
    await it.command("set_envelope", { grants: bookGrants(fourEyes) });
    await it.live();
    shop.book = () => {
      throw new Fails("logic", "no such order");
    };
    expect(await as(it, "eve", () => approve(it))).toBe("done");
    shop.book = ({ id }) => ({ number: `B-${id}` });
    const next = `${orderSource(replays)}\nexport const mended = 1;\n`;
    await as(it, "bob", () => it.deploy(next));
    await it.live();
    expect((await it.openRun()).retryOf).not.toBeNull();
    expect(await approve(it)).toBe("approver_deployed_it");
    expect(await as(it, "bob", () => approve(it))).toBe("approver_deployed_it");
    expect(shop.booked).toEqual(["a"]);
    expect(await as(it, "eve", () => approve(it))).toBe("done");
    expect(shop.booked).toEqual(["a", "a"]);
    await it.expectSound();
  });
});

describe.each(Object.entries(openStores))("four eyes of machines on %s", (_, open) => {
  const book: Grant = { ...(plainGrants("ask", ["shop.book"])[0] as Grant), fourEyes: true };
  const grants = encodeGrants([...plainGrants("allow", ["shop.look"]), book]);

  test("[R93] [M.E-13] who proposed a version does not approve its calls", async () => {
    const it = await MachineInTest.begin(sandbox(), open);
    const proposals = new ProposalsInTest(it);
    await it.test.ask("set_envelope", { grants });
    const number = await as(it.test, "eve", () => proposals.agreed(loudSource));
    expect(await as(it.test, "bob", () => proposals.apply(number))).toBe("done");
    await it.say("o1", "book");
    expect(await as(it.test, "eve", () => approve(it.test))).toBe("approver_deployed_it");
    expect(await as(it.test, "bob", () => approve(it.test))).toBe("approver_deployed_it");
    expect(it.sent).toEqual([]);
    expect(await as(it.test, "ada", () => approve(it.test))).toBe("done");
    expect(it.sent).toHaveLength(1);
    await it.expectSound();
  });

  test("[R93] [M.E-13] nor who deployed the one that made them", async () => {
    const it = await MachineInTest.begin(sandbox(), open);
    await it.test.ask("set_envelope", { grants });
    await it.say("o1", "book");
    await as(it.test, "bob", () => it.test.deploy(`${machineSource}\nexport const mended = 1;\n`));
    expect(await as(it.test, "ada", () => approve(it.test))).toBe("approver_deployed_it");
    expect(it.sent).toEqual([]);
    expect(await as(it.test, "eve", () => approve(it.test))).toBe("done");
    expect(it.sent).toHaveLength(1);
    await it.expectSound();
  });
});
