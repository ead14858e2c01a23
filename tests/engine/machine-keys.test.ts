import { encodeCanonical, encodeGrants, plainGrants } from "@holdfast/core";
import { listIntents, whyOf } from "@holdfast/host";
import { Sandbox } from "@holdfast/sandbox";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { MachineInTest } from "./machine-in-test.ts";
import { openStores } from "./open-stores.ts";
import { Fails, HostDies } from "./scripted-world.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await Sandbox.open({ threadsMax: 1 });
});
afterAll(() => sandbox.close());

const ok = "shop/book@1 ok";

describe.each(Object.entries(openStores))("keys that machines ask for, on %s", (_, open) => {
  test("[M.R-10, R78] a second call under a key that is open waits for the first", async () => {
    const it = await MachineInTest.begin(sandbox, open);
    await asksForBookings(it);
    await it.say("o1", "keyed");
    await it.say("o1", "keyed");
    await it.say("o1", "both");
    expect(await it.log("o1")).toEqual(["keyed", "keyed", "both"]);
    expect(await it.test.questions()).toEqual(["approval"]);
    const intents = await listIntents(it.parts);
    expect(intents.map(({ state }) => state)).toEqual(Array(4).fill("awaiting_approval"));
    expect(new Set(intents.map(({ mutationId }) => mutationId)).size).toBe(1);
    const [first, second] = await runsOf(it);
    expect(await whyOf(it.test.store, "orders", second?.runId ?? "", it.test.now)).toMatchObject({
      why: {
        state: "waiting",
        because: [{ cause: { kind: "same_call", runId: first?.runId } }, {}],
      },
    });
    await approve(it);
    expect(await it.log("o1")).toEqual(["keyed", "keyed", "both", ok, ok, ok, ok]);
    expect(it.sent).toEqual(["o1"]);
    await it.expectSound();
  });

  test("[M.R-10, M.P-8] a failure is the result of both, and is asked for anew", async () => {
    let fails = true;
    const it = await MachineInTest.begin(sandbox, open, {
      answer: () => {
        if (fails) throw new Fails("logic", "no such thing");
        return { number: 1 };
      },
    });
    await it.say("o1", "both");
    const error = "shop/book@1 error logic";
    expect(await it.log("o1")).toEqual(["both", error, error]);
    expect(it.sent).toEqual(["o1"]);
    fails = false;
    await it.say("o1", "keyed");
    expect(await it.log("o1")).toEqual(["both", error, error, "keyed", ok]);
    await it.expectSound();
  });

  test("[M.R-10, M.P-5] what is unknown of the first is unknown of both", async () => {
    const it = await MachineInTest.begin(sandbox, open, {
      answer: () => {
        throw new HostDies();
      },
    });
    await it.say("o1", "both");
    it.test.now += 600_000;
    await it.test.live();
    await it.say("o1", "keyed");
    expect(await it.log("o1")).toEqual(["both", "keyed"]);
    expect(await it.test.questions()).toEqual(["outcome_unknown"]);
    const [row] = await it.test.rows("mutations");
    const answer = { says: "happened", result: encodeCanonical({ number: 8 }), seen: "" };
    await it.test.ask("resolve_mutation", { mutationId: row?.mutationId, answer });
    expect(await it.log("o1")).toEqual(["both", "keyed", ok, ok, ok]);
    expect(it.sent).toEqual(["o1"]);
    await it.expectSound();
  });

  test("[M.R-10] what is given up of the first is given up of the others", async () => {
    const it = await MachineInTest.begin(sandbox, open, {
      answer: () => {
        throw new Fails("indeterminate", "no answer");
      },
    });
    await it.say("o1", "both");
    const [row] = await it.test.rows("mutations");
    await it.test.ask("resolve_mutation", {
      mutationId: row?.mutationId,
      answer: { says: "skip" },
    });
    await it.say("o1", "keyed");
    const skipped = "shop/book@1 skipped";
    expect(await it.log("o1")).toEqual(["both", skipped, skipped, "keyed", skipped]);
    expect(it.sent).toEqual(["o1"]);
    await it.expectSound();
  });

  test("[M.R-10, M.E-13] one that waits can be canceled, ends with its cell", async () => {
    const it = await MachineInTest.begin(sandbox, open);
    await asksForBookings(it);
    await it.say("o1", "keyed");
    await it.say("o1", "keyed");
    await it.say("o1", "keyed soon");
    const [, second] = await runsOf(it);
    await it.test.ask("cancel_intent", { intentId: second?.itemId });
    const canceled = "shop/book@1 error cancelled";
    expect(await it.log("o1")).toEqual(["keyed", "keyed", "keyed soon", canceled]);
    it.test.now += 5_000;
    await it.test.live();
    expect(await it.log("o1")).toContain("shop/book@1 error deadline");
    expect(await it.test.questions()).toEqual(["approval"]);
    await it.say("o1", "keyed");
    await it.say("o1", "end");
    expect(await it.test.questions()).toEqual([]);
    expect((await runsOf(it)).every(({ endedAt }) => endedAt !== null)).toBe(true);
    expect(it.sent).toEqual([]);
    await it.expectSound();
  });

  test("[M.R-10, R79] other bytes that its connector takes for the same are the same", async () => {
    const it = await MachineInTest.begin(sandbox, open, {
      identity: () => "one",
      compare: () => "minor",
    });
    await it.say("o1", "keyed");
    await it.say("o1", "other");
    expect(await it.log("o1")).toEqual(["keyed", ok, "other", ok]);
    await it.say("o2", "unlike both");
    expect(await it.log("o2")).toEqual(["unlike both", ok, ok]);
    expect(it.sent).toEqual(["o1", "o2"]);
    await it.expectSound();
  });

  test("[M.R-10, R79] other bytes under a key that is open are refused", async () => {
    const it = await MachineInTest.begin(sandbox, open, { identity: () => "one" });
    await asksForBookings(it);
    await it.say("o1", "keyed");
    await it.say("o1", "other");
    expect(await it.log("o1")).toEqual(["keyed", "other", "shop/book@1 error mutation_key_taken"]);
    await it.expectSound();
  });
});

async function asksForBookings(it: MachineInTest): Promise<void> {
  const grants = encodeGrants(plainGrants("ask", ["shop.book"]));
  await it.test.ask("set_envelope", { grants });
}

async function approve(it: MachineInTest): Promise<void> {
  const [call] = await it.test.rows("mutations");
  const { payloadHash = "", previewHash = "" } = call?.approval ?? {};
  const agreed = { mutationId: call?.mutationId, payloadHash, previewHash };
  expect(await it.test.ask("approve_mutation", agreed)).toBe("done");
}

/** Of intents, oldest first. */
async function runsOf(it: MachineInTest) {
  const runs = await it.test.rows("runs");
  return runs.filter(({ trigger }) => trigger === "intent").toSorted((a, b) => a.asOf - b.asOf);
}
