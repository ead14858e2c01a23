import { encodeGrants, type StandingRule } from "@holdfast/core";
import { ruleLike } from "@holdfast/host";
import { describe, expect, test } from "vitest";
import { approve, bookGrants, grant, states } from "./granted-workflow.ts";
import { openStores } from "./open-stores.ts";
import { OrderShop, sandboxOfFile } from "./order-shop.ts";
import type { WorkflowInTest } from "./workflow-in-test.ts";

const sandbox = sandboxOfFile();
const dayMs = 86_400_000;
const perDay = (count: number): StandingRule["limits"] => [{ per: "day", count, amount: null }];

/** "Allow calls like this" of what is asked now; the host goes on with it. */
async function allowLike(
  it: WorkflowInTest,
  { open, limits, forMs }: Pick<StandingRule, "open" | "limits"> & { readonly forMs: number },
): Promise<string> {
  const question = (await it.rows("attentions")).find(({ kind, closedAt }) => {
    return kind === "approval" && closedAt === null;
  });
  const { attentionId = "" } = question ?? {};
  const rule = { open, limits, amount: null, expiresAt: it.now + forMs };
  const asked = { attentionId, rule, now: it.now, riskOf: () => null };
  const found = await ruleLike(it.store, it.workflow, asked);
  if (found === null || !found.ok) return found?.message ?? "no such question";
  const { from, grant: made } = found;
  const grants = encodeGrants([...(from?.grants ?? []), made]);
  return it.ask("set_envelope", { grants, expects: from?.number ?? 0 });
}

describe.each(Object.entries(openStores))("standing rules, on %s", (_, store) => {
  /** Asked about each order; of 10, 20, 30 and 5. */
  async function asked(...given: readonly object[]) {
    const shop = new OrderShop();
    shop.orders.push({ id: "d", sum: 5 });
    const it = await shop.open(sandbox(), { store });
    await it.command("set_envelope", { grants: bookGrants(...given) });
    await it.live();
    expect(await states(it)).toEqual(["awaiting_approval"]);
    return { shop, it };
  }

  test("[R86, R89] what is like it goes unasked, up to its limit and its end", async () => {
    const { shop, it } = await asked({ say: "ask" });
    const open = [
      { at: "/id", prefix: "" },
      { at: "/sum", min: 0, max: 25 },
    ];
    expect(await allowLike(it, { open, limits: perDay(2), forMs: dayMs / 2 })).toBe("done");
    // The rule is for what comes: the call that was asked about is still asked about.
    expect(await states(it)).toEqual(["awaiting_approval"]);
    expect(await approve(it)).toBe("done");
    // 20 goes by the rule; 30 is more than it says.
    expect(shop.booked).toEqual(["a", "b"]);
    const [, ruled, third] = await it.rows("mutations");
    expect(ruled).toMatchObject({ state: "applied", approval: null });
    expect(ruled?.verdict).toMatchObject({ envelope: 3, says: "allow" });
    expect(third).toMatchObject({ state: "awaiting_approval" });
    expect(await approve(it)).toBe("done");
    // Two of this day were used up: beyond the limit it is asked about, and not refused.
    expect(await states(it)).toEqual(["applied", "applied", "applied", "awaiting_approval"]);
    await it.expectSound();
  });

  test("[R86] when a rule is over, the same is asked again", async () => {
    const { shop, it } = await asked({ say: "ask" });
    const open = [
      { at: "/id", prefix: "" },
      { at: "/sum", min: 0 },
    ];
    expect(await allowLike(it, { open, limits: perDay(9), forMs: 1_000 })).toBe("done");
    it.now += 1_000;
    expect(await approve(it)).toBe("done");
    expect(shop.booked).toEqual(["a"]);
    expect(await states(it)).toEqual(["applied", "awaiting_approval"]);
  });

  test("[R86, S27] a rule made from grants that are taken back changes nothing", async () => {
    const { it } = await asked({ say: "ask" });
    const from = (await it.rows("envelopes")).at(-1)?.number ?? 0;
    const grants = bookGrants({ say: "ask" }, { say: "allow" });
    await grant(it, { say: "deny" });
    expect(await it.ask("set_envelope", { grants, expects: from })).toBe("envelope_changed");
    expect((await it.rows("envelopes")).at(-1)?.number).toBe(from + 1);
    const rule = { open: [], limits: perDay(1), forMs: dayMs };
    expect(await allowLike(it, rule)).toContain("is denied");
  });

  test("[R90] where four eyes are asked for nobody makes a rule of it", async () => {
    const { it } = await asked({ say: "ask", fourEyes: true });
    const rule = { open: [], limits: perDay(1), forMs: dayMs };
    expect(await allowLike(it, rule)).toContain("asks for four eyes");
  });
});
