import { neededGrants } from "@holdfast/host";
import { describe, expect, test } from "vitest";
import { approve, askedCall, bookGrants, grant, openRun, states } from "./granted-workflow.ts";
import { openStores } from "./open-stores.ts";
import { OrderShop, sandboxOfFile } from "./order-shop.ts";
import { bookOneByOne, orderSource } from "./order-workflow.ts";

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

  test("[R84, S54] what no grant names is not done, and its run says what it lacks", async () => {
    const { shop, it } = await begin();
    await it.live();
    expect(shop.booked).toEqual([]);
    expect(await openRun(it)).toMatchObject({ status: "paused:approval", reason: "permission" });
    const [question] = await it.rows("attentions");
    expect(question?.note).toContain("shop.bookOrder was not allowed: no grant names it");
    await it.expectSound();
  });

  test("[R85] a grant is for so much risk at most, also for what lies in the ledger", async () => {
    const { shop, it } = await begin({ say: "allow", riskMax: "medium" });
    shop.world.risk = "medium";
    await it.command("set_brake", { operation: "*", reason: "wait" });
    await it.live();
    expect(await states(it)).toEqual(["ready"]);
    // Another version of the connector, which says otherwise of it.
    shop.world.risk = "high";
    await it.ask("release_brake", { operation: "*" });
    expect(shop.booked).toEqual([]);
    const run = await openRun(it);
    expect(run).toMatchObject({ status: "paused:approval", reason: "permission" });
    expect(run.message).toContain("it is for medium risk at most, and the risk is high");
    await grant(it, { say: "allow", riskMax: "high" });
    expect(shop.booked).toEqual(["a", "b", "c"]);
    await it.expectSound();
  });

  test("[R87] what is needed is seen in what was done too, and asking grants nothing", async () => {
    const { shop, it } = await begin();
    await it.live();
    const needed = (uses: readonly string[] = []) =>
      neededGrants(it.store, it.workflow, { uses, now: it.now });
    const operation = "shop.bookOrder";
    const why = `${operation} was not allowed: no grant names it`;
    const unnamed = { operation, isInScript: false, says: [], callCount: 0, askedCount: 0 };
    expect(await needed()).toEqual([{ ...unnamed, denied: why }]);
    const both = await needed(["shop.getOrder", operation]);
    expect(both.map(({ isInScript, says }) => [isInScript, says])).toEqual([
      [true, []],
      [true, ["allow"]],
    ]);
    expect(shop.booked).toEqual([]);
    await grant(it, { say: "allow", where: [{ at: "/id", equals: "a" }] }, { say: "ask" });
    expect(await needed()).toEqual([
      { ...unnamed, says: ["allow", "ask"], callCount: 2, askedCount: 1, denied: null },
    ]);
    expect((await it.rows("envelopes")).map(({ setBy }) => setBy)).toEqual(["ada", "ada", "ada"]);
  });

  test("[R84] a read that no grant names is refused before any I/O", async () => {
    const shop = new OrderShop();
    const it = await shop.open(sandbox(), { store });
    await it.command("set_envelope", { grants: new Uint8Array([0xd9, 0xd9, 0xf7, 0x80]) });
    await it.live();
    expect(shop.world.reads).toEqual([]);
    expect(await openRun(it)).toMatchObject({ reason: "permission", phase: "executing" });
    await grant(it, { say: "allow" });
    expect(shop.world.reads).toEqual(["shop.listOrders"]);
  });

  test("[R84, R110, S14] a grant that comes later lets the same run go on", async () => {
    const { shop, it } = await begin();
    await it.live();
    const { runId } = await it.openRun();
    expect(await grant(it, { say: "allow" })).toBe("done");
    expect(shop.booked).toEqual(["a", "b", "c"]);
    const run = (await it.rows("runs")).find((each) => each.runId === runId);
    expect(run).toMatchObject({ status: "committed", retryOf: null });
    expect(await it.questions()).toEqual([]);
  });

  test("[S54] a call outside of its constraints is refused with the one that fails", async () => {
    const { shop, it } = await begin({ say: "allow", where: [{ at: "/sum", max: 15 }] });
    await it.live();
    expect(shop.booked).toEqual(["a"]);
    const { message } = await openRun(it);
    expect(message).toContain("/sum is 20, not a number up to 15");
  });

  const rival = { at: "/id", pattern: ".*@rival\\.com.*" };
  const big = { at: "/sum", min: 1_000 };
  test.each<readonly [string, object, string]>([
    ["a text", rival, 'id: "x@rival.com"'],
    ["a text that is too long to be looked at", rival, 'id: "x@rival.com" + ",".repeat(4096)'],
    ["two lines", rival, 'id: "x@rival.com\\n"'],
    ["a list of texts", rival, 'id: ["x@rival.com"]'],
    ["a record", rival, 'id: { mail: "x@rival.com" }'],
    ["a list of records", { ...rival, at: "/id/mail" }, 'id: [{ mail: "x@rival.com" }]'],
    ["a number", big, "sum: 5000"],
    ["a number that is a text", big, 'sum: "5000"'],
    ["one of another kind", { at: "/id", equals: "x" }, 'id: ["x"]'],
  ])("[S54] a denial is not passed by, whatever form a value has: %s", async (_form, at, of) => {
    const shop = new OrderShop();
    const plain = "id: prepared.data.id, sum: prepared.data.sum";
    const source = orderSource(bookOneByOne.replace(plain, `${plain}, ${of}`));
    const it = await shop.open(sandbox(), { source, store });
    const grants = bookGrants({ say: "deny", where: [at] }, { say: "allow" });
    await it.command("set_envelope", { grants });
    await it.live();
    expect(shop.world.sent).toEqual([]);
    const { reason, message } = await openRun(it);
    expect([reason, message]).toEqual([
      "permission",
      expect.stringContaining("shop.bookOrder is denied by grant 3"),
    ]);
    await grant(it, { say: "allow" });
    expect(shop.world.sent).toHaveLength(3);
  });

  test("[R144, R93] the grant by which a call was made is kept with it", async () => {
    const { it } = await begin(
      { say: "deny", where: [{ at: "/id", equals: "z" }] },
      { say: "allow" },
    );
    await it.live();
    const [call] = await it.rows("mutations");
    expect(call?.verdict).toEqual({ envelope: 2, grant: 3, says: "allow" });
    const envelopes = await it.rows("envelopes");
    expect(envelopes).toMatchObject([
      { number: 1, setBy: "ada" },
      { number: 2, setBy: "ada", setAt: it.now },
    ]);
    await it.expectSound();
  });

  test("[R89, S52] a limit per day is counted from the ledger, and frees itself", async () => {
    const { shop, it } = await begin({ say: "allow", limits: [{ per: "day", count: 2 }] });
    const firstAt = it.now;
    await it.live();
    expect(shop.booked).toEqual(["a", "b"]);
    const run = await openRun(it);
    expect(run).toMatchObject({ reason: "budget", dueAt: firstAt + dayMs });
    expect(run.message).toContain("2 of 2 per day are used up");
    it.now = firstAt + dayMs - 1;
    await it.live();
    expect(shop.booked).toEqual(["a", "b"]);
    it.now = firstAt + dayMs;
    await it.live();
    expect(shop.booked).toEqual(["a", "b", "c"]);
    expect(await it.questions()).toEqual([]);
    await it.expectSound();
  });

  test("[R89] an amount is summed up exactly, and what failed does not count", async () => {
    const grants = { say: "allow", amount: "/sum", limits: [{ per: "week", amount: 0.3 }] };
    const shop = new OrderShop();
    shop.orders = [
      { id: "refused", sum: 0.3 },
      { id: "a", sum: 0.1 },
      { id: "b", sum: 0.2 },
      { id: "c", sum: 0.0001 },
    ];
    const it = await shop.open(sandbox(), { store });
    await it.command("set_envelope", { grants: bookGrants(grants) });
    await it.command("set_brake", { operation: "shop.bookOrder", reason: "first" });
    await it.live();
    await it.command("skip_event", { topic: "order.received", messageId: "refused" });
    await it.ask("release_brake", { operation: "shop.bookOrder" });
    expect(shop.booked).toEqual(["a", "b"]);
    const { message } = await openRun(it);
    expect(message).toContain("0.3 of 0.3 per week are used up, and this call is 0.0001");
  });

  test("[R89] what is more than a limit by itself is never let through", async () => {
    const limits = [{ per: "day", amount: 15 }];
    const { shop, it } = await begin({ say: "allow", amount: "/sum", limits });
    await it.live();
    expect(shop.booked).toEqual(["a"]);
    expect(await openRun(it)).toMatchObject({ reason: "permission", dueAt: null });
  });
});

describe("a grant that is taken back while a call waits", () => {
  /** The first order is recorded, and held up by the brake. */
  async function held(...given: readonly object[]) {
    const shop = new OrderShop();
    const it = await shop.open(sandbox());
    await it.command("set_envelope", { grants: bookGrants(...given) });
    await it.command("set_brake", { operation: "*", reason: "wait" });
    await it.live();
    return { shop, it, go: () => it.ask("release_brake", { operation: "*" }) };
  }

  test("[R86] is not there any more when the call could be sent: the run pauses", async () => {
    const { shop, it, go } = await held({ say: "allow" });
    expect(await states(it)).toEqual(["ready"]);
    await grant(it);
    await go();
    expect(shop.booked).toEqual([]);
    expect(await openRun(it)).toMatchObject({ reason: "permission", phase: "mutating" });
    expect(await states(it)).toEqual(["ready"]);
    await grant(it, { say: "allow" });
    expect(shop.booked).toEqual(["a", "b", "c"]);
    await it.expectSound();
  });

  test("[R86, R91] asks, if the new ones ask: the same bytes, and no script", async () => {
    const { shop, it, go } = await held({ say: "allow" });
    await grant(it, { say: "ask" });
    await go();
    expect(shop.booked).toEqual([]);
    expect(await states(it)).toEqual(["failed", "awaiting_approval"]);
    const [before, asked] = await it.rows("mutations");
    expect(asked?.payloadHash).toBe(before?.payloadHash);
    expect(asked?.verdict).toMatchObject({ envelope: 3, says: "ask" });
    expect(await approve(it)).toBe("done");
    expect(shop.booked).toEqual(["a"]);
    await it.expectSound();
  });

  test("[R91] stops an approved call, too: an approval answers a grant that asks", async () => {
    const { shop, it, go } = await held({ say: "ask" });
    await approve(it);
    await grant(it, { say: "deny" });
    await go();
    expect(shop.booked).toEqual([]);
    const { message, reason } = await openRun(it);
    expect([reason, message]).toEqual(["permission", "shop.bookOrder is denied by grant 3"]);
  });

  test("[R91] leaves an approved call alone where it still asks", async () => {
    const { shop, it, go } = await held({ say: "ask" });
    await approve(it);
    await grant(it, { say: "ask", where: [{ at: "/sum", max: 10 }] });
    await go();
    expect(shop.booked).toEqual(["a"]);
  });

  test("[R86] is over by itself at its time", async () => {
    const { shop, it, go } = await held({ say: "allow", expiresAt: 1_700_000_060_000 });
    it.now = 1_700_000_060_000;
    await go();
    expect(shop.booked).toEqual([]);
    expect((await openRun(it)).message).toContain("it expired at 2023-11-14 22:14:20 UTC");
  });

  test("[R91] is asked for anew when another version of the connector would send it", async () => {
    const { shop, it, go } = await held({ say: "ask" });
    await approve(it);
    shop.connectorVersion = "2";
    await go();
    expect(shop.booked).toEqual([]);
    expect(await askedCall(it)).toMatchObject({ connectorVersion: "2" });
    const [, question] = (await it.rows("attentions")).filter(({ kind }) => kind === "approval");
    expect(question?.note).toContain("it would be sent by version 2 of the connector");
    await approve(it);
    expect(shop.booked).toEqual(["a"]);
  });
});

test("[R75] what may have been sent is not sent again without a grant", async () => {
  const shop = new OrderShop();
  shop.orders = [{ id: "a", sum: 10 }];
  shop.guarantee = { retentionMs: dayMs };
  shop.book = () => {
    throw new Error("nobody knows");
  };
  const it = await shop.open(sandbox());
  await it.live();
  expect(await states(it)).toEqual(["needs_reconcile"]);
  const sentCount = shop.world.sent.length;
  await grant(it, { say: "deny" });
  for (let count = 0; count < 20; count++) {
    it.now += dayMs / 10;
    await it.live();
  }
  expect(shop.world.sent).toHaveLength(sentCount);
  expect(await states(it)).toEqual(["indeterminate"]);
});

test("[R88, S53] a deployment leaves the grants as they are, whatever it uses", async () => {
  const shop = new OrderShop();
  const it = await shop.open(sandbox());
  await it.command("set_envelope", { grants: bookGrants({ say: "ask" }) });
  await it.live();
  const [before] = await it.rows("workflows");
  await it.deploy(orderSource(`${bookOneByOne} /* mended */`));
  await it.live();
  const [after] = await it.rows("workflows");
  expect(after).toMatchObject({ versionMinor: 1, envelope: before?.envelope });
  expect(shop.booked).toEqual([]);
});
