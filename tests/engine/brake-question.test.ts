import { findQuestion, whyOf } from "@holdfast/host";
import { describe, expect, test } from "vitest";
import { approve, bookGrants, states } from "./granted-workflow.ts";
import { openStores } from "./open-stores.ts";
import { OrderShop, sandboxOfFile } from "./order-shop.ts";
import type { WorkflowInTest } from "./workflow-in-test.ts";

const sandbox = sandboxOfFile();
const brake = { operation: "shop.bookOrder", reason: "the shop is closed" };

const held = { status: "paused:approval", reason: "brake", phase: "mutating" };

/** Those about a brake, open or not. */
async function asked(it: WorkflowInTest) {
  const rows = await it.rows("attentions");
  return rows.filter(({ note }) => note.startsWith("brake: "));
}

describe.each(Object.entries(openStores))("a brake that holds a call, on %s", (_, store) => {
  test("[R70, R150] is a question, once, and closes itself when it is released", async () => {
    const shop = new OrderShop();
    const it = await shop.open(sandbox(), { store });
    await it.command("set_envelope", { grants: bookGrants({ say: "allow" }) });
    expect(await it.ask("set_brake", brake)).toBe("done");
    // The order is there, and its call: now something waits behind the brake.
    expect(await it.openRun()).toMatchObject(held);
    const why = await whyOf(it.store, it.workflow, (await it.openRun()).runId, it.now);
    const cause = { kind: "brake_on", operation: brake.operation, by: { actor: "ada" } };
    const because = [{ cause }];
    expect(why).toMatchObject({ kind: "explained", why: { state: "waiting", because } });
    const [question] = await asked(it);
    expect(question).toMatchObject({ kind: "action_needed", closedAt: null, answers: ["stop"] });
    expect(question?.note).toContain("shop.bookOrder");
    expect(question?.note).toContain("set by ada: the shop is closed");
    const { attentionId = "" } = question ?? {};
    const shown = await findQuestion(it.store, it.workflow, attentionId);
    expect(Object.keys(shown?.does ?? {})).toEqual(["stop"]);
    expect(shown?.inputs.map(({ title }) => title)).toEqual(["Order a"]);
    const heldBy = { operation: brake.operation, setBy: "ada", reason: brake.reason, calls: 1 };
    expect([shown?.heldBy, shown?.why]).toEqual([
      expect.objectContaining(heldBy),
      expect.stringContaining("A brake holds this call"),
    ]);
    await it.live();
    expect(await it.ask("set_brake", { operation: "*", reason: "and all else" })).toBe("done");
    expect(await it.ask("release_brake", { operation: brake.operation })).toBe("done");
    // Another brake still holds it.
    expect(await asked(it)).toHaveLength(1);
    const { runId } = await it.openRun();
    expect(await it.openRun()).toMatchObject(held);
    expect(await it.ask("resume_run", { runId })).toBe("brake_is_on");
    expect([await states(it), shop.booked]).toEqual([["ready"], []]);
    expect(await it.ask("release_brake", { operation: "*" })).toBe("done");
    const [closed, ...more] = await asked(it);
    expect([closed?.closedBy, closed?.answer, more]).toEqual(["ada", "released", []]);
    expect(shop.booked).toEqual(["a", "b", "c"]);
    await it.expectSound();
  });

  test("[R150] is asked about when a call is approved behind it, and no sooner", async () => {
    const shop = new OrderShop();
    const it = await shop.open(sandbox(), { store });
    await it.command("set_envelope", { grants: bookGrants({ say: "ask" }) });
    await it.live();
    expect(await it.ask("set_brake", brake)).toBe("done");
    // Nothing could be sent yet: the approval is what it waits for.
    expect(await asked(it)).toEqual([]);
    expect(await approve(it)).toBe("done");
    const [first] = await asked(it);
    expect(first).toMatchObject({ closedAt: null });
    const { runId } = await it.openRun();
    expect(await it.ask("stop_run", { runId })).toBe("done");
    expect((await asked(it))[0]?.closedAt).not.toBeNull();
    expect(shop.booked).toEqual([]);
    await it.expectSound();
  });
});
