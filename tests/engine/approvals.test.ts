import { type MutationRow, policyDefaults } from "@holdfast/core";
import { describe, expect, test } from "vitest";
import { approve, askedCall, bookGrants, openRun, states } from "./granted-workflow.ts";
import { openStores } from "./open-stores.ts";
import { OrderShop, sandboxOfFile } from "./order-shop.ts";
import { bookOneByOne, orderSource } from "./order-workflow.ts";
import { WorkflowInTest } from "./workflow-in-test.ts";

const sandbox = sandboxOfFile();
const dayMs = 86_400_000;

describe.each(Object.entries(openStores))("on %s", (_, store) => {
  /** Three orders of 10, 20 and 30; nothing has run yet. */
  async function begin(...given: readonly object[]) {
    const shop = new OrderShop();
    const it = await shop.open(sandbox(), { store });
    await it.command("set_envelope", { grants: bookGrants(...given) });
    return { shop, it };
  }

  test("[R90] a call to be approved is recorded, not sent, and shown as it would be", async () => {
    const { shop, it } = await begin({ say: "ask" });
    await it.live();
    expect(shop.booked).toEqual([]);
    expect(await openRun(it)).toMatchObject({ status: "paused:approval", reason: "approval" });
    const call = await askedCall(it);
    expect(call.approval).toMatchObject({
      preview: 'shop.bookOrder {"id":"a","sum":10}',
      payloadHash: call.payloadHash,
      approvedAt: null,
    });
    expect(await it.rows("mutation_inputs")).toEqual([]);
  });

  test("[R91, S49] what was approved is sent by another host, without the script", async () => {
    const { shop, it } = await begin({ say: "ask" });
    await it.live();
    const { mutationId, payloadHash } = await askedCall(it);
    const phases: string[] = [];
    it.onPhase = ({ phase }) => phases.push(phase);
    await it.command("set_brake", { operation: "*", reason: "wait" });
    expect(await approve(it)).toBe("done");
    expect(await states(it)).toEqual(["ready"]);
    await it.ask("release_brake", { operation: "*" });
    expect(shop.world.sent[0]?.params).toEqual({ id: "a", sum: 10 });
    const sent = (await it.rows("mutations")).find((row) => row.mutationId === mutationId);
    expect(sent).toMatchObject({ state: "applied", payloadHash });
    expect(sent?.approval).toMatchObject({ actor: "ada", payloadHash });
    expect(phases[0]).toBe("next");
    await it.expectSound();
  });

  test("[R90, S50] approving other bytes, or another preview, changes nothing", async () => {
    const { shop, it } = await begin({ say: "ask" });
    await it.live();
    expect(await approve(it, { payloadHash: "sha256:other" })).toBe("payload_differs");
    expect(await approve(it, { previewHash: "sha256:other" })).toBe("payload_differs");
    expect(shop.booked).toEqual([]);
    expect(await approve(it)).toBe("done");
    expect(shop.booked).toEqual(["a"]);
  });

  test("[R90, S50] an approval of another workflow's call is refused, sends nothing", async () => {
    const clock = { now: 1_700_000_000_000 };
    const shared = { store: await store(() => clock.now), sandbox: sandbox(), clock };
    const begun = async (workflow: string, sum: number) => {
      const shop = new OrderShop();
      shop.orders = [{ id: "a", sum }];
      const parts = { ...shared, world: shop.world, workflow };
      const it = await WorkflowInTest.create(parts, orderSource());
      await it.command("set_envelope", { grants: bookGrants({ say: "ask" }) });
      await it.live();
      return { shop, it };
    };
    const mine = await begun("mine", 10);
    const theirs = await begun("theirs", 20);
    const { mutationId, payloadHash, approval } = await askedCall(theirs.it);
    const foreign = { mutationId, payloadHash, previewHash: approval?.previewHash };
    // Both have a call of that name; what was agreed to is the other one's.
    expect((await askedCall(mine.it)).mutationId).toBe(mutationId);
    expect(await mine.it.ask("approve_mutation", foreign)).toBe("payload_differs");
    const unknown = { ...foreign, mutationId: "m999" };
    expect(await mine.it.ask("approve_mutation", unknown)).toBe("mutation_not_found");
    expect([await states(mine.it), await states(theirs.it)]).toEqual([
      ["awaiting_approval"],
      ["awaiting_approval"],
    ]);
    expect([mine.shop.booked, theirs.shop.booked]).toEqual([[], []]);
    expect(await approve(theirs.it)).toBe("done");
    expect([mine.shop.booked, theirs.shop.booked]).toEqual([[], ["a"]]);
    await mine.it.expectSound();
  });

  test("[S50] an approval of 82,000 does not cover the 820,000 that come instead", async () => {
    const shop = new OrderShop();
    shop.orders = [{ id: "a", sum: 82_000 }];
    const it = await shop.open(sandbox(), { store });
    await it.command("set_envelope", { grants: bookGrants({ say: "ask" }) });
    await it.live();
    const small = await askedCall(it);
    shop.book = () => {
      throw new Error("nobody knows");
    };
    await approve(it);
    const inflated = bookOneByOne.replace("sum: event.payload.sum", "sum: event.payload.sum * 10");
    await it.deploy(orderSource(inflated));
    const { mutationId } = small;
    // biome-ignore lint/suspicious/noThenProperty: the word of the contract; never awaited
    const answer = { says: "did_not_happen", then: null };
    await it.ask("resolve_mutation", { mutationId, answer });
    const large = await askedCall(it);
    expect(await it.textOf(large.payload)).toBe('{"id":"a","sum":820000}');
    const { payloadHash } = small;
    expect(await approve(it, { payloadHash })).toBe("payload_differs");
    expect(await it.ask("approve_mutation", { mutationId, payloadHash, previewHash: "p" })).toBe(
      "mutation_not_awaiting_approval",
    );
    expect(shop.world.sent.map(({ params }) => params["sum"])).toEqual([82_000]);
    shop.book = ({ id }) => ({ number: `B-${id}` });
    expect(await approve(it)).toBe("done");
    expect(shop.world.sent.map(({ params }) => params["sum"])).toEqual([82_000, 820_000]);
  });

  test("[R92, S51] rejecting needs a reason, and goes on without the call or stops", async () => {
    const { shop, it } = await begin({ say: "ask" });
    await it.live();
    const reject = async (reason: string, way: "skip" | "stop") => {
      const { mutationId } = await askedCall(it);
      // biome-ignore lint/suspicious/noThenProperty: the word of the contract; never awaited
      return it.ask("reject_mutation", { mutationId, reason, then: way });
    };
    expect(await reject("  ", "skip")).toBe("reason_missing");
    expect(await reject("too dear", "skip")).toBe("done");
    expect(await it.statuses("order.received")).toMatchObject({ a: "skipped", b: "reserved" });
    expect(await reject("not now", "stop")).toBe("done");
    const [workflow] = await it.rows("workflows");
    expect(workflow?.status).toBe("paused");
    expect(shop.booked).toEqual([]);
    const [first] = await it.rows("mutations");
    expect(first).toMatchObject({
      state: "failed",
      resolution: { kind: "rejected", actor: "ada" },
    });
    expect(first?.failure?.message).toBe("rejected: too dear");
    await it.expectSound();
  });

  test("[R90] an answer that does not come in time is asked for again", async () => {
    const { shop, it } = await begin({ say: "ask" });
    await it.live();
    const before = await askedCall(it);
    it.now = before.approval?.expiresAt ?? 0;
    expect(await approve(it)).toBe("approval_expired");
    const again = await askedCall(it);
    expect(again.mutationId).not.toBe(before.mutationId);
    expect(again.payloadHash).toBe(before.payloadHash);
    expect(again.approval?.previewHash).toBe(before.approval?.previewHash);
    expect(again.approval?.expiresAt).toBeGreaterThan(it.now);
    expect(await it.questions()).toEqual(["approval"]);
    expect(await approve(it)).toBe("done");
    expect(shop.booked).toEqual(["a"]);
    await it.expectSound();
  });

  test("[R90] an approval that ran out before it was used is asked for again", async () => {
    const { shop, it } = await begin({ say: "ask" });
    await it.live();
    await it.command("set_brake", { operation: "*", reason: "wait" });
    await approve(it);
    it.now += 7 * dayMs;
    await it.ask("release_brake", { operation: "*" });
    expect(shop.booked).toEqual([]);
    expect(await states(it)).toEqual(["failed", "awaiting_approval"]);
    await approve(it);
    expect(shop.booked).toEqual(["a"]);
  });

  /** The host stands still when it has chosen what to do, and goes on when time is over. */
  function standStillUntilOver(it: WorkflowInTest, { approval }: MutationRow): void {
    it.wayToCode = (script) => {
      it.now = Math.max(it.now, approval?.expiresAt ?? 0);
      return script;
    };
  }

  test("[R90] an approval that runs out when its send is chosen is asked for again", async () => {
    const { shop, it } = await begin({ say: "ask" });
    await it.live();
    const call = await askedCall(it);
    await it.command("set_brake", { operation: "*", reason: "wait" });
    await approve(it);
    standStillUntilOver(it, call);
    expect(await it.ask("release_brake", { operation: "*" })).toBe("done");
    expect(shop.booked).toEqual([]);
    expect(await states(it)).toEqual(["failed", "awaiting_approval"]);
    expect(await approve(it)).toBe("done");
    expect(shop.booked).toEqual(["a"]);
    await it.expectSound();
  });

  test("[R75, R90] one that runs out when its call is to be sent again is over", async () => {
    const { shop, it } = await begin({ say: "ask" });
    shop.guarantee = { retentionMs: 365 * dayMs };
    shop.book = () => {
      throw new Error("nobody knows");
    };
    await it.live();
    const call = await askedCall(it);
    await approve(it);
    expect(await states(it)).toEqual(["needs_reconcile"]);
    const sentCount = shop.world.sent.length;
    standStillUntilOver(it, call);
    it.now += policyDefaults.reconcileDelayMsMax;
    expect(await it.live()).toMatchObject({ kind: "resting" });
    expect(it.now).toBe(call.approval?.expiresAt);
    // Nobody agreed to more; whether it was done is not known, so a person is asked that.
    expect(shop.world.sent).toHaveLength(sentCount);
    expect(await states(it)).toEqual(["indeterminate"]);
    expect(await it.questions()).toEqual(["outcome_unknown"]);
    await it.expectSound();
  });

  test("[R93] two people who answer at once: one wins, the other is told", async () => {
    const { it } = await begin({ say: "ask" });
    await it.live();
    const { mutationId, payloadHash, approval } = await askedCall(it);
    const agreed = { mutationId, payloadHash, previewHash: approval?.previewHash };
    const first = await it.command("approve_mutation", agreed);
    // biome-ignore lint/suspicious/noThenProperty: the word of the contract; never awaited
    const second = await it.command("reject_mutation", { mutationId, reason: "no", then: "stop" });
    await it.live();
    const verdicts = await it.rows("verdicts");
    const refusalOf = (id: string) => verdicts.find(({ commandId }) => commandId === id)?.refusal;
    expect([refusalOf(first), refusalOf(second)]).toEqual([null, "mutation_not_awaiting_approval"]);
  });
});

describe("four eyes", () => {
  test("[R93] who deployed the version may not approve; somebody else may", async () => {
    const shop = new OrderShop();
    const it = await shop.open(sandbox());
    await it.command("set_envelope", { grants: bookGrants({ say: "ask", fourEyes: true }) });
    await it.live();
    expect(await approve(it)).toBe("approver_deployed_it");
    expect(shop.booked).toEqual([]);
    it.actor = "bob";
    expect(await approve(it)).toBe("done");
    expect(shop.booked).toEqual(["a"]);
    const approvers = (await it.rows("mutations")).map(({ approval }) => approval?.actor ?? null);
    expect(approvers).toEqual(["bob", null]);
  });
});
