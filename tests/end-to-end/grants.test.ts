import { describe, expect, test } from "vitest";
import { Desk, patience } from "./desk.ts";
import { verifyFull } from "./host-process.ts";
import { places } from "./stores.ts";
import { deployOrders, script } from "./story.ts";

const small = { say: "allow", where: [{ at: "/body/sum", max: 100 }] };
const ask = { say: "ask" };

describe.each(Object.entries(places))("grants and approvals, on %s", (_, newStore) => {
  test("[R91, S49] what was approved is sent after a restart, and nothing else is", async () => {
    const store = await newStore();
    const desk = await Desk.open(store);
    const source = { entry: "orders.ts", files: { "orders.ts": script } };
    const deployment = { source, allow: ["shop.get"], ask: ["shop.post"] };
    expect(await desk.host.api("POST", "/versions", deployment)).toMatchObject({
      grants: ["+ allow shop.get", "+ ask shop.post"],
      missing: [],
    });
    expect(await desk.grant(small, ask)).toContain("envelope 2 is in force");
    await desk.publish("o-1", 5);
    await desk.booked(5);
    await desk.publish("o-2", 82_000);
    const { attentionId } = await desk.question("approval");
    await desk.restart();
    await desk.crash();
    const card = await desk.say("approve", "orders", attentionId, "--show");
    expect(card).toMatch(/^0 question {4}shop\.post on /);
    expect(card).toContain('parameters  {"ref":"o-2","body":{"id":"o-2","sum":82000}');
    expect(card).toContain("the script calls it  Book order o-2");
    expect(desk.sums).toEqual([5]);
    expect(await desk.say("approve", "orders", attentionId)).toMatch(/^0 /);
    await desk.booked(5, 82_000);
    expect(await desk.say("approve", "orders", attentionId)).toMatch(/^3 .*COMMAND_REFUSED/s);
    await desk.host.stop();
    expect((await verifyFull(store)).out).toContain("nothing differs");
  });

  test("[R84] what was lent of one account is not lent of another", async () => {
    const desk = await Desk.open(await newStore(), ["other"]);
    await deployOrders(desk.host, ["shop.post"]);
    const elsewhere = script.replace('account: "shop"', 'account: "other"');
    const source = { entry: "orders.ts", files: { "orders.ts": elsewhere } };
    const major = { source, bump: "major" };
    const told = ["shop leads to http of other, not http of shop; granted are shop.post"];
    const preview = { ...major, preview: true };
    expect(await desk.host.api("POST", "/versions", preview)).toMatchObject({ elsewhere: told });
    const refused = await desk.host.api("POST", "/versions", major).catch(String);
    expect(refused).toContain(`grants for other accounts: ${told[0]}.`);
    expect(refused).toContain("--keep-grants");
    await desk.publish("o-1", 5);
    await desk.booked(5);
    const kept = { ...major, keepGrants: true };
    expect(await desk.host.api("POST", "/versions", kept)).toMatchObject({
      version: "2.0",
      accepted: true,
      elsewhere: told,
    });
    const back = { source: { ...source, files: { "orders.ts": script } }, bump: "major" };
    const anew = { ...back, allow: ["shop.post"] };
    expect(await desk.host.api("POST", "/versions", anew)).toMatchObject({ version: "3.0" });
    await desk.host.stop();
  });

  test("[S50] approved 82,000, executed 820,000: refused, with both shown", async () => {
    const desk = await Desk.open(await newStore());
    await deployOrders(desk.host, []);
    await desk.grant(ask);
    await desk.publish("o-1", 82_000);
    const first = await desk.question("approval");
    const payloadHash = first.call?.approval.payloadHash ?? "";
    desk.shop.mood = "refuses";
    expect(await desk.say("approve", "orders", first.attentionId)).toMatch(/^0 /);
    await desk.question("run_failed");
    await desk.crash();
    desk.shop.mood = "answers";
    const inflated = script.replace("sum: event.payload.sum", "sum: event.payload.sum * 10");
    const source = { entry: "orders.ts", files: { "orders.ts": inflated } };
    await desk.host.api("POST", "/versions", { source });
    const { attentionId } = await desk.question("approval");
    await desk.crash();
    const refused = await desk.say("approve", "orders", attentionId, "--payload", payloadHash);
    expect(refused).toMatch(
      /COMMAND_REFUSED: The question is about .*820000.*; agreed to was .*82000[^0]/,
    );
    expect(await desk.say("approve", "orders", attentionId, "--show")).toContain('"sum":82000}');
    expect(desk.sums).toEqual([]);
    expect(await desk.say("reject", "orders", attentionId, "--then", "skip")).toMatch(/^2 /);
    const reject = ["reject", "orders", attentionId, "--then", "skip", "--reason"];
    expect(await desk.say(...reject, " ")).toMatch(
      /^3 COMMAND_REFUSED: A rejection needs a reason/,
    );
    expect(await desk.say(...reject, "ten times too much")).toMatch(/^0 /);
    await desk.crash();
    await expect.poll(() => desk.say("why", "orders", "o-1"), patience).toMatch(/was rejected by /);
    expect(desk.sums).toEqual([]);
  });

  test("[R86, R84, S52] a grant that is taken back, or used up, holds what waits", async () => {
    const desk = await Desk.open(await newStore());
    await deployOrders(desk.host, []);
    await desk.grant({ say: "allow", limits: [{ per: "day", count: 1 }] });
    await desk.publish("o-1", 1);
    await desk.booked(1);
    await desk.publish("o-2", 2);
    const used = await desk.question("action_needed", "budget");
    expect(used.note).toContain("1 of 1 per day are used up");
    await desk.crash();
    expect((await desk.question("action_needed", "budget")).attentionId).toBe(used.attentionId);
    expect(desk.sums).toEqual([1]);
    expect(await desk.grant({ say: "allow" })).toContain(
      "~ allow shop.post, up to 1 calls per day → allow shop.post",
    );
    await desk.booked(1, 2);
    await desk.say("brake", "on", "orders");
    await desk.crash();
    await desk.publish("o-3", 3);
    await expect.poll(() => desk.say("why", "orders", "o-3"), patience).toMatch(/brake/);
    expect(desk.sums).toEqual([1, 2]);
    await desk.grant({ say: "deny" });
    await desk.say("brake", "off", "orders");
    await desk.question("action_needed", "shop.post is denied by grant 1");
    expect(desk.sums).toEqual([1, 2]);
    await desk.grant({ say: "allow" });
    await desk.booked(1, 2, 3);
  });

  test("[R89] code that has run for long enough waits, and goes on when it may", async () => {
    const store = await newStore();
    const desk = await Desk.open(store);
    const burning = script.replace("if (!event)", "for (let n = 0; n < 200_000; n++); if (!event)");
    await deployOrders(desk.host, [], [], burning);
    await desk.grant({ say: "allow", limits: [{ per: "run", activeMs: 1 }] });
    await desk.publish("o-1", 1);
    const { attentionId } = await desk.question("action_needed", "ms of active time per run");
    const why = await desk.say("why", "orders", "o-1");
    expect(why).toMatch(/\d of 1 ms of active time per run are used up/);
    const { items } = await desk.host.api<{ items: readonly { activeMs: number }[] }>(
      "GET",
      "/workflows/orders/runs?status=open",
    );
    expect(items[0]?.activeMs).toBeGreaterThanOrEqual(1);
    expect(desk.sums).toEqual([]);
    await desk.restart();
    expect(await desk.say("why", "orders", "o-1")).toMatch(/of 1 ms of active time per run/);
    const file = desk.file({ operation: "shop.post", say: "allow", limits: [{ per: "day" }] });
    expect(await desk.say("grants", "set", "orders", "--file", file)).toContain(
      "it limits nothing: give count, amount or activeMs",
    );
    expect(
      await desk.grant({ say: "allow", limits: [{ per: "week", activeMs: 3_600_000 }] }),
    ).toContain(
      "~ allow shop.post, up to 1 ms of active time per run → " +
        "allow shop.post, up to 3600000 ms of active time per week",
    );
    await desk.booked(1);
    const path = `/workflows/orders/attention/${attentionId}`;
    expect(await desk.host.api("GET", path)).toMatchObject({ closedAt: expect.anything() });
    await desk.host.stop();
    expect((await verifyFull(store)).out).toContain("nothing differs");
  });

  test("[R85] a grant for so much risk lets through what is no riskier", async () => {
    const desk = await Desk.open(await newStore());
    await deployOrders(desk.host, []);
    await desk.grant({ say: "allow", riskMax: "medium" });
    await desk.publish("o-1", 1);
    await desk.booked(1);
  });

  test("[R36] a call without a title is told in the host's words, and marked as that", async () => {
    const desk = await Desk.open(await newStore());
    const untitled = script.replace(/ui: \{ title: .*? \},/, "");
    await deployOrders(desk.host, ["shop.post"], [], untitled);
    await desk.publish("o-1", 1);
    await desk.booked(1);
    const told = /– \(by the host: POST .*\/orders.*\)/;
    await expect.poll(() => desk.say("outputs", "orders"), patience).toMatch(told);
    expect(await desk.say("mutations", "ls", "orders")).toMatch(told);
  });

  test("[R85, R93, S53] who deployed does not approve, who approves does not grant", async () => {
    const desk = await Desk.open(await newStore());
    await deployOrders(desk.host, []);
    await desk.publish("o-1", 1);
    await desk.question("action_needed", "shop.post was not allowed");
    expect(await desk.say("grants", "needed", "orders")).toBe(
      "0 shop.post: no grant names it; in the script; http:write, medium risk; " +
        "waits: shop.post was not allowed: no grant names it\n",
    );
    expect(await desk.host.api("GET", "/workflows/orders/grants/needed")).toMatchObject({
      suggested: [{ operation: "shop.post", say: "ask" }],
    });
    await desk.grant({ ...ask, fourEyes: true, expiresAt: "2099-01-01T00:00:00Z" });
    const { attentionId } = await desk.question("approval");
    await desk.crash();
    const path = `/workflows/orders/attention/${attentionId}`;
    expect(await desk.host.api("GET", path)).toMatchObject({
      declared: { capability: "http:write", risk: "medium", scopes: { length: 3 } },
    });
    const bare = desk.host.api("POST", path, { answer: "approve" });
    await expect(bare).rejects.toThrow("names the bytes and the preview that were shown");
    const alone = await desk.say("approve", "orders", attentionId);
    expect(alone).toMatch(
      /whoever deployed or proposed its version, or edited .* may not agree.*COMMAND_REFUSED/s,
    );
    const asBob = await desk.operator("bob");
    const widened = await asBob("grants", "set", "orders", "--file", desk.file());
    expect(widened).toMatch(/^3 .*admin/s);
    expect(await asBob("approve", "orders", attentionId)).toMatch(/^0 /);
    await desk.booked(1);
    expect(await desk.say("grants", "show", "orders")).toContain(
      "1. ask shop.post, approved by somebody who did not deploy it, until 2099-01-01",
    );
    const file = desk.file({ operation: "shop.get", say: "ask" });
    expect(await desk.say("grants", "set", "orders", "--file", file)).toContain(
      "nobody can be asked about a read",
    );
    const other = desk.file({ operation: "shop.get", say: "allow" });
    expect(await desk.say("grants", "diff", "orders", "--file", other)).toMatch(
      /^0 - ask shop\.post.*\n\+ allow shop\.get\n$/,
    );
    expect(await desk.say("grants", "diff", "orders")).toMatch(/^0 \+ ask shop\.post/);
    await allowsWhatIsTame(desk);
    expect(await desk.say("grants", "show", "orders")).toContain(
      '1. allow shop.post, where /path is "/orders", while its risk is medium at most\n' +
        "   http:write, medium risk; limited: path; not limited: query, content",
    );
    const tame = desk.file({ operation: "shop.delete", say: "allow", riskMax: "medium" });
    expect(await desk.say("grants", "set", "orders", "--file", tame)).toContain(
      "shop.delete has high risk, and the grant is for medium at most",
    );
    const { items } = await desk.host.api<{ items: readonly object[] }>(
      "GET",
      "/workflows/orders/connections",
    );
    const remove = { operation: "delete", capability: "http:delete", risk: "high" };
    expect(items).toMatchObject([
      { operations: expect.arrayContaining([expect.objectContaining(remove)]) },
    ]);
  });
});

/** Of a risk that its connector says, and the grant has room for. */
async function allowsWhatIsTame(desk: Desk): Promise<void> {
  const where = [{ at: "/path", equals: "/orders" }];
  await desk.grant({ say: "allow", where, riskMax: "medium" });
  await desk.publish("o-2", 2);
  await desk.booked(1, 2);
}
