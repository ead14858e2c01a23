import {
  type AttentionRow,
  encodeGrants,
  type Grant,
  type MutationRow,
  policyDefaults,
  readGrants,
} from "@holdfast/core";
import { whyOf } from "@holdfast/host";
import { Sandbox } from "@holdfast/sandbox";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { MachineInTest } from "./machine-in-test.ts";
import { openStores } from "./open-stores.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await Sandbox.open({ threadsMax: 1, limits: { fuelMax: 200 } });
});
afterAll(() => sandbox.close());

const hourMs = 3_600_000;
const asked = { operation: "shop.book", say: "ask" };
const allowed = { operation: "shop.book", say: "allow" };
const oneAnHour = [{ per: "hour", count: 1 }];
const ungranted = "permission: shop.book was not allowed: no grant names it";
const usedUp = "budget: shop.book: 1 of 1 per hour are used up";

/** All that the machine may do. */
function grants(...given: readonly object[]): { readonly grants: Uint8Array } {
  const read = readGrants(given as unknown as Parameters<typeof readGrants>[0]);
  if (!read.ok) throw new Error(read.message);
  return { grants: encodeGrants(read.grants as readonly Grant[]) };
}

async function openQuestions(it: MachineInTest): Promise<readonly AttentionRow[]> {
  return (await it.test.rows("attentions")).filter(({ closedAt }) => closedAt === null);
}

async function notes(it: MachineInTest): Promise<readonly string[]> {
  return (await openQuestions(it)).map(({ note }) => note);
}

/** Calls that the ledger is not done with, oldest first. */
async function openCalls(it: MachineInTest): Promise<readonly MutationRow[]> {
  const isOpen = ({ state }: MutationRow) => state !== "failed" && state !== "applied";
  const open = (await it.test.rows("mutations")).filter(isOpen);
  const seqOf = ({ mutationId }: MutationRow) => Number(mutationId.slice(1));
  return [...open].sort((a, b) => seqOf(a) - seqOf(b));
}

async function states(it: MachineInTest): Promise<readonly string[]> {
  return (await openCalls(it)).map(({ state }) => state);
}

async function approveOldest(it: MachineInTest): Promise<void> {
  const [call] = (await openCalls(it)).filter(({ state }) => state === "awaiting_approval");
  const { mutationId, payloadHash, approval } = call ?? {};
  const approve = { mutationId, payloadHash, previewHash: approval?.previewHash };
  expect(await it.test.ask("approve_mutation", approve)).toBe("done");
}

/** What `why` says of the run of each. */
async function whyOfCalls(it: MachineInTest): Promise<readonly string[]> {
  const { store, now } = it.test;
  const calls = await openCalls(it);
  const told = calls.map(({ runId }) => whyOf(store, "orders", runId, now));
  return (await Promise.all(told)).map((each) => ("why" in each ? each.why.text : each.kind));
}

/** Approved and held by a brake, which is taken off when nothing is granted any more. */
async function ungrantedCalls(it: MachineInTest, says: readonly string[]): Promise<void> {
  await it.test.ask("set_envelope", grants(asked));
  await it.test.ask("set_brake", { operation: "shop.book", reason: "look first" });
  for (const [index, say] of says.entries()) await it.say(`o${index + 1}`, say);
  for (const _ of says) await approveOldest(it);
  await it.test.ask("set_envelope", grants());
  await it.test.ask("release_brake", { operation: "shop.book" });
}

describe.each(Object.entries(openStores))(
  "calls of machines that lie in the ledger and are no longer granted, on %s",
  (_, open) => {
    test("[R84] approved calls wait with one question when their grant is gone", async () => {
      const it = await MachineInTest.begin(sandbox, open);
      await ungrantedCalls(it, ["book", "book"]);
      expect(await notes(it)).toEqual([ungranted]);
      expect(await states(it)).toEqual(["ready", "ready"]);
      expect(await it.log("o1")).toEqual(["book"]);
      const told = await whyOfCalls(it);
      for (const text of told) expect(text).toContain("no grant names it");
      const ofAll = await whyOf(it.test.store, "orders", "orders", it.test.now);
      const said = "why" in ofAll ? ofAll.why.text.split("no grant names it") : [];
      expect(said).toHaveLength(2);
      // A host that comes anew, and other grants that do not name it either.
      await it.test.live();
      await it.test.ask("set_envelope", grants({ operation: "shop.look", say: "allow" }));
      expect(await notes(it)).toEqual([ungranted]);
      expect(it.sent).toEqual([]);
      await it.test.ask("set_envelope", grants(asked));
      expect(await notes(it)).toEqual([]);
      expect(it.sent).toEqual(["o1", "o2"]);
      for (const id of ["o1", "o2"]) expect(await it.log(id)).toEqual(["book", "shop/book@1 ok"]);
      await it.expectSound();
    });

    test("[R84] a held call in the ledger ends by cancel, and by its deadline", async () => {
      const it = await MachineInTest.begin(sandbox, open);
      await ungrantedCalls(it, ["book", "soon"]);
      const [question] = await openQuestions(it);
      expect(question?.answers).toEqual(["resume", "cancel"]);
      const run = (await it.test.rows("runs")).find(({ runId }) => runId === question?.subject);
      await it.test.ask("cancel_intent", { intentId: run?.itemId });
      expect(await it.log("o1")).toEqual(["book", "shop/book@1 error cancelled"]);
      expect(await notes(it)).toEqual([ungranted]);
      it.test.now += 5_000;
      await it.test.live();
      expect(await it.log("o2")).toEqual(["soon", "shop/book@1 error deadline"]);
      expect(await notes(it)).toEqual([]);
      expect(it.sent).toEqual([]);
      await it.expectSound();
    });

    test("[R84] [R89] an approved call over a limit waits until there is room", async () => {
      const it = await MachineInTest.begin(sandbox, open);
      await it.test.ask("set_envelope", grants(asked));
      for (const id of ["o1", "o2"]) await it.say(id, "book");
      await approveOldest(it);
      await it.test.ask("set_envelope", grants({ ...asked, limits: oneAnHour }));
      await approveOldest(it);
      expect(await notes(it)).toEqual([usedUp]);
      expect(await states(it)).toEqual(["ready"]);
      const [told] = await whyOfCalls(it);
      expect(told).toContain("1 of 1 per hour are used up");
      it.test.now += hourMs - 1;
      await it.test.live();
      expect(it.sent).toEqual(["o1"]);
      it.test.now += 1;
      await it.test.live();
      expect(it.sent).toEqual(["o1", "o2"]);
      expect(await notes(it)).toEqual([]);
      expect(await it.log("o2")).toEqual(["book", "shop/book@1 ok"]);
      await it.expectSound();
    });

    test("[R84] [R89] approved calls that a new limit has no room for go out later", async () => {
      const it = await MachineInTest.begin(sandbox, open);
      await it.test.ask("set_envelope", grants(asked));
      for (const id of ["o1", "o2"]) await it.say(id, "book");
      await it.test.ask("set_envelope", grants({ ...asked, limits: oneAnHour }));
      for (const _ of ["o1", "o2"]) await approveOldest(it);
      expect(await notes(it)).toEqual([usedUp]);
      expect(await states(it)).toEqual(["ready", "ready"]);
      expect(it.sent).toEqual([]);
      for (const _ of ["o1", "o2"]) {
        it.test.now += hourMs;
        await it.test.live();
      }
      expect(it.sent).toEqual(["o1", "o2"]);
      expect(await notes(it)).toEqual([]);
      await it.expectSound();
    });

    test("[R84] [R89] more room lets a held call go at once; a person may try before", async () => {
      const it = await MachineInTest.begin(sandbox, open);
      await it.say("o1", "book");
      await it.test.ask("set_brake", { operation: "shop.book", reason: "look first" });
      await it.say("o2", "book");
      await it.test.ask("set_envelope", grants({ ...allowed, limits: oneAnHour }));
      await it.test.ask("release_brake", { operation: "shop.book" });
      const [question] = await openQuestions(it);
      expect(question?.note).toBe(usedUp);
      // There is none yet: asked again.
      expect(await it.test.ask("resume_run", { runId: question?.subject })).toBe("done");
      expect(await notes(it)).toEqual([usedUp]);
      const two = [{ per: "hour", count: 2 }];
      await it.test.ask("set_envelope", grants({ ...allowed, limits: two }));
      expect(it.sent).toEqual(["o1", "o2"]);
      expect(await notes(it)).toEqual([]);
      await it.expectSound();
    });

    test("[R84] an approval that runs out while its call is held is asked for again", async () => {
      const it = await MachineInTest.begin(sandbox, open);
      await ungrantedCalls(it, ["book"]);
      it.test.now += policyDefaults.approvalMsMax;
      await it.test.live();
      expect(await it.test.questions()).toEqual(["approval"]);
      await approveOldest(it);
      expect(await notes(it)).toEqual([ungranted]);
      await it.test.ask("set_envelope", grants(asked));
      expect(it.sent).toEqual(["o1"]);
      expect(await notes(it)).toEqual([]);
      await it.expectSound();
    });
  },
);
