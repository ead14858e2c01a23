import { expect, test } from "vitest";
import { Desk, patience } from "./desk.ts";
import { verifyFull } from "./host-process.ts";
import { places } from "./stores.ts";
import { deployOrders } from "./story.ts";

test("[R86, R93] calls like one that was asked about are allowed for a time", async () => {
  const store = await places.SQLite();
  const desk = await Desk.open(store);
  await deployOrders(desk.host, []);
  await desk.grant({ say: "ask" });
  await desk.publish("o-1", 5);
  const { attentionId } = await desk.question("approval");
  const until = new Date(Date.now() + 3_600_000).toISOString();
  const words = ["grants", "allow-like", "orders", attentionId];
  const open = ["--text", "/ref", "/body/id", "--max", "/body/sum=100"];
  const rule = [...words, ...open, "--limit", "day=3", "--until", until];
  const shown = await desk.say(...rule, "--preview");
  expect(shown).toMatch(/^0 would be added: allow shop\.post, where the call has /);
  expect(shown).toContain("/body/sum is from 0 to 100");
  expect(await desk.say("grants", "show", "orders")).toContain("Envelope 1");
  const ben = await desk.operator("ben");
  expect(await ben(...rule)).toMatch(/^3 .*ROLE_TOO_LOW/s);
  const wrong = [...words, ...open, "--limit", "day=3", "--until", "yesterday"];
  expect(await desk.say(...wrong)).toMatch(/yesterday is not a time/);
  const wide = [...words, "--text", "/body/no", "--limit", "day=3", "--until", until];
  expect(await desk.say(...wide)).toMatch(/\/body\/no is not in the call/);
  expect(await desk.say(...rule)).toMatch(/envelope 2 is in force\nthe call itself still waits/);
  expect(await desk.say("grants", "diff", "orders")).toContain("+ allow shop.post, where the call");
  expect(desk.sums).toEqual([]);
  expect(await desk.say("approve", "orders", attentionId)).toMatch(/^0 /);
  await desk.restart();
  await desk.publish("o-2", 100);
  await desk.booked(5, 100);
  await desk.publish("o-3", 101);
  const more = await desk.question("approval");
  const path = `/workflows/orders/attention/${more.attentionId}/allow-like`;
  const asked = { limits: [{ per: "day", count: 1 }], expiresAt: until };
  await expect(desk.host.api("POST", path, { ...asked, limits: [] })).rejects.toThrow(
    "REQUEST_INVALID",
  );
  const exact = await desk.host.api("POST", path, { ...asked, preview: true });
  expect(exact).toMatchObject({ accepted: null, from: 2, to: null });
  expect(desk.sums).toEqual([5, 100]);
  await expect.poll(() => desk.say("grants", "show", "orders"), patience).toContain("Envelope 2");
  await desk.host.stop();
  expect((await verifyFull(store)).out).toContain("nothing differs");
});
