import { describe, expect, test } from "vitest";
import { Desk, patience } from "./desk.ts";
import { verifyFull } from "./host-process.ts";
import { places } from "./stores.ts";
import { deployOrders } from "./story.ts";

const ask = { say: "ask", fourEyes: true, where: [{ at: "/body/sum", max: 1_000_000 }] };

function callOf(sum: number): object {
  return { path: "/orders", body: { id: "o-1", sum }, ref: "o-1" };
}

describe.each(Object.entries(places))("editing before approving, on %s", (_, newStore) => {
  test("[R90, R91, R93, S50] what was edited is sent once others agreed to it", async () => {
    const store = await newStore();
    const desk = await Desk.open(store);
    await deployOrders(desk.host, []);
    await desk.grant(ask);
    const [ann, bob] = [await desk.operator("ann"), await desk.operator("bob")];
    await desk.publish("o-1", 820_000);
    const first = await desk.question("approval");
    const payloadHash = first.call?.approval.payloadHash ?? "";
    const path = `/workflows/orders/attention/${first.attentionId}`;
    const edited = (params: object, hash = payloadHash) =>
      desk.host.api("POST", `${path}/edit`, { params, payloadHash: hash });

    // What could not be made, is not granted or is not what was shown leaves the call as it was.
    await expect(edited({ body: {} })).rejects.toThrow("The edited call cannot be made: ");
    await expect(edited(callOf(2_000_000))).rejects.toThrow("not a number up to 1000000");
    await expect(edited(callOf(820_000))).rejects.toThrow("The call is what it was before");
    await expect(edited(callOf(1), "sha256:x")).rejects.toThrow("; edited was sha256:x");
    const command = { kind: "edit_mutation", body: {} };
    const bare = desk.host.api("POST", "/workflows/orders/commands", command);
    await expect(bare).rejects.toThrow("There is no command edit_mutation");
    const edit = ["edit", "orders", first.attentionId, "--params", JSON.stringify(callOf(82_000))];
    expect(await ann(...edit, "--preview")).toBe("0 /body/sum: 820000 → 82000\n");
    expect((await desk.question("approval")).attentionId).toBe(first.attentionId);

    expect(await ann(...edit)).toMatch(
      /^0 \/body\/sum: 820000 → 82000\n.*asked now: holdfast approve orders a/s,
    );
    const second = await desk.question("approval");
    expect(second.attentionId).not.toBe(first.attentionId);
    await desk.crash();

    // Neither the old question, nor the old bytes, nor whoever edited or deployed it.
    const approve = (attentionId: string, hash?: string) =>
      bob("approve", "orders", attentionId, ...(hash ? ["--payload", hash] : []));
    expect(await approve(first.attentionId)).toMatch(/COMMAND_REFUSED/);
    expect(await approve(second.attentionId, payloadHash)).toMatch(
      /COMMAND_REFUSED: The question is about .*82000[^0]/,
    );
    expect(await ann("approve", "orders", second.attentionId)).toMatch(/ann has edited it/);
    expect(await desk.say("approve", "orders", second.attentionId)).toMatch(/COMMAND_REFUSED/);
    expect(desk.sums).toEqual([]);

    expect(await approve(second.attentionId)).toMatch(
      /^0 .*edited by {3}ann.*\/body\/sum: 820000 → 82000/s,
    );
    await desk.booked(82_000);
    const outputs = () => desk.say("outputs", "orders");
    await expect.poll(outputs, patience).toContain("order.booked");
    await expect(edited(callOf(5))).rejects.toThrow("There is no open question");
    expect(desk.sums).toEqual([82_000]);
    await desk.host.stop();
    expect((await verifyFull(store)).out).toContain("nothing differs");
  });
});
