import {
  type AttentionRow,
  encodeGrants,
  type Grant,
  heldIntent,
  readGrants,
} from "@holdfast/core";
import { neededGrants, whyOf } from "@holdfast/host";
import { Sandbox } from "@holdfast/sandbox";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { MachineInTest } from "./machine-in-test.ts";
import { openStores } from "./open-stores.ts";
import { Fails } from "./scripted-world.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await Sandbox.open({ threadsMax: 1, limits: { fuelMax: 200 } });
});
afterAll(() => sandbox.close());

const hourMs = 3_600_000;

/** All that the machine may do. */
function grants(...given: readonly object[]): { readonly grants: Uint8Array } {
  const read = readGrants(given as unknown as Parameters<typeof readGrants>[0]);
  if (!read.ok) throw new Error(read.message);
  return { grants: encodeGrants(read.grants as readonly Grant[]) };
}

const allow = { operation: "shop.book", say: "allow" };

async function openQuestions(it: MachineInTest): Promise<readonly AttentionRow[]> {
  return (await it.test.rows("attentions")).filter(({ closedAt }) => closedAt === null);
}

const notes = async (it: MachineInTest) => (await openQuestions(it)).map(({ note }) => note);

async function cancelHeld(it: MachineInTest): Promise<void> {
  const [asked] = await openQuestions(it);
  const intentId = asked && heldIntent(asked)?.intentId;
  await it.test.ask("cancel_intent", { intentId });
}

/** The one question there is, about the oldest call. */
async function askedToSignIn(it: MachineInTest) {
  const [asked, ...others] = await openQuestions(it);
  expect(asked).toMatchObject({ note: "auth: signed out", answers: ["resume", "cancel"] });
  expect(others).toEqual([]);
  const run = (await it.test.rows("runs")).find(({ runId }) => runId === asked?.subject);
  return { runId: run?.runId, intentId: run?.itemId };
}

describe.each(Object.entries(openStores))(
  "calls of machines that grants hold, on %s",
  (_, open) => {
    test("[R84] a call that no grant names waits and is asked about until one comes", async () => {
      const it = await MachineInTest.begin(sandbox, open);
      await it.test.ask("set_envelope", grants());
      for (const id of ["o1", "o2"]) await it.say(id, "book");
      expect(await notes(it)).toEqual(["permission: shop.book was not allowed: no grant names it"]);
      expect(await it.test.rows("mutations")).toEqual([]);
      expect(await it.log("o1")).toEqual(["book"]);
      const needed = await neededGrants(it.test.store, "orders", { uses: [], now: it.test.now });
      expect(needed).toMatchObject([{ operation: "shop.book", isInScript: false }]);
      expect(needed[0]?.denied).toContain("no grant names it");
      await it.test.ask("set_envelope", grants({ operation: "shop.look", say: "allow" }));
      expect(await notes(it)).toHaveLength(1);
      await it.test.ask("set_envelope", grants(allow));
      expect(await notes(it)).toEqual([]);
      expect(it.sent).toEqual(["o1", "o2"]);
      expect(await it.log("o2")).toEqual(["book", "shop/book@1 ok"]);
      await it.expectSound();
    });

    test("[R84] a held call that is canceled fails, and the next is asked about", async () => {
      const it = await MachineInTest.begin(sandbox, open);
      await it.test.ask("set_envelope", grants({ ...allow, say: "deny" }));
      for (const id of ["o1", "o2"]) await it.say(id, "book");
      for (const id of ["o1", "o2"]) {
        expect(await notes(it)).toEqual(["permission: shop.book is denied by grant 1"]);
        await cancelHeld(it);
        expect(await it.log(id)).toEqual(["book", "shop/book@1 error cancelled"]);
      }
      expect(await notes(it)).toEqual([]);
      expect(it.sent).toEqual([]);
      await it.expectSound();
    });

    test("[R84] [R89] calls over a limit wait until there is room, one by one", async () => {
      const it = await MachineInTest.begin(sandbox, open);
      const limits = [{ per: "hour", count: 1 }];
      await it.test.ask("set_envelope", grants({ ...allow, limits }));
      for (const id of ["o1", "o2", "o3"]) await it.say(id, "book");
      expect(await notes(it)).toEqual(["budget: shop.book: 1 of 1 per hour are used up"]);
      for (const count of [2, 3]) {
        it.test.now += hourMs;
        await it.test.live();
        expect(it.sent).toHaveLength(count);
      }
      expect(await notes(it)).toEqual([]);
      await it.expectSound();
    });

    test("[R110] calls whose sign-in is refused wait until it is mended", async () => {
      let isSignedIn = false;
      const it = await MachineInTest.begin(sandbox, open, {
        answer: () => {
          if (!isSignedIn) throw new Fails("auth", "signed out");
          return { number: 1 };
        },
      });
      for (const id of ["o1", "o2", "o3"]) await it.say(id, "book");
      const { intentId } = await askedToSignIn(it);
      await it.test.ask("cancel_intent", { intentId });
      expect(await it.log("o1")).toEqual(["book", "shop/book@1 error cancelled"]);
      const { runId } = await askedToSignIn(it);
      await it.test.ask("resume_run", { runId });
      await askedToSignIn(it);
      isSignedIn = true;
      await it.test.ask("resume_run", { runId });
      expect(await openQuestions(it)).toEqual([]);
      for (const id of ["o2", "o3"]) {
        expect(await it.log(id)).toEqual(["book", "shop/book@1 ok"]);
      }
      const states = (await it.test.rows("mutations")).map(({ state }) => state);
      expect(states.sort()).toEqual(["applied", "applied", "failed"]);
      await it.expectSound();
    });

    test("[R84] a read that no grant names waits and is asked about until one comes", async () => {
      const it = await MachineInTest.begin(sandbox, open);
      await it.test.ask("set_envelope", grants(allow));
      for (const id of ["o1", "o2"]) await it.say(id, "look");
      const why = "permission: shop.look was not allowed: no grant names it";
      expect(await notes(it)).toEqual([why]);
      expect(it.looked).toEqual([]);
      const explained = await whyOf(it.test.store, "orders", "orders", it.test.now);
      expect(explained).toMatchObject({ why: { text: expect.stringContaining("no grant names") } });
      // Others are not held up by it, and a host that comes anew knows what is held.
      await it.say("o3", "book");
      expect(it.sent).toEqual(["o3"]);
      await it.test.live();
      expect(await notes(it)).toEqual([why]);
      const look = { operation: "shop.look", say: "allow" };
      await it.test.ask("set_envelope", grants(look, allow));
      expect(await notes(it)).toEqual([]);
      for (const id of ["o1", "o2"]) expect(await it.log(id)).toEqual(["look", "shop/look@1 ok"]);
      await it.expectSound();
    });

    test("[R84] a held read ends when it is canceled, and when its deadline passes", async () => {
      const it = await MachineInTest.begin(sandbox, open);
      await it.test.ask("set_envelope", grants(allow));
      await it.say("o1", "look");
      await it.say("o2", "look soon");
      await cancelHeld(it);
      expect(await it.log("o1")).toEqual(["look", "shop/look@1 error cancelled"]);
      expect(await it.log("o2")).toEqual(["look soon"]);
      expect(await notes(it)).toHaveLength(1);
      it.test.now += 5_000;
      await it.test.live();
      expect(await it.log("o2")).toEqual(["look soon", "shop/look@1 timeout"]);
      expect(await notes(it)).toEqual([]);
      expect(it.looked).toEqual([]);
      await it.expectSound();
    });

    test("[R84] [R89] reads over a limit wait until there is room", async () => {
      const it = await MachineInTest.begin(sandbox, open);
      const limits = [{ per: "hour", count: 1 }];
      await it.test.ask("set_envelope", grants({ operation: "shop.look", say: "allow", limits }));
      for (const id of ["o1", "o2"]) await it.say(id, "look");
      expect(await notes(it)).toEqual(["budget: shop.look: 1 of 1 per hour are used up"]);
      it.test.now += hourMs;
      await it.test.live();
      expect(it.looked).toHaveLength(2);
      expect(await notes(it)).toEqual([]);
      await it.expectSound();
    });

    test("[R110] reads whose sign-in is refused wait until it is mended", async () => {
      let isSignedIn = false;
      const answer = () => {
        if (!isSignedIn) throw new Fails("auth", "signed out");
        return { number: 1 };
      };
      const it = await MachineInTest.begin(sandbox, open, {}, { answer });
      for (const id of ["o1", "o2", "o3"]) await it.tell(id, "look");
      await it.test.live();
      // Each once, and nobody asks the service again before a person has said something.
      expect(it.looked).toHaveLength(3);
      const told = await whyOf(it.test.store, "orders", "orders", it.test.now);
      expect(told).toMatchObject({ why: { text: expect.stringContaining("signed out") } });
      const signIn = async () => {
        const [asked, ...others] = await openQuestions(it);
        expect(asked).toMatchObject({ note: "auth: signed out", answers: ["resume", "cancel"] });
        expect(others).toEqual([]);
        return asked?.attentionId;
      };
      await signIn();
      await cancelHeld(it);
      expect(await it.log("o1")).toEqual(["look", "shop/look@1 error cancelled"]);
      await it.test.ask("acknowledge", { attentionId: await signIn() });
      const attentionId = await signIn();
      isSignedIn = true;
      await it.test.ask("acknowledge", { attentionId });
      expect(await openQuestions(it)).toEqual([]);
      for (const id of ["o2", "o3"]) expect(await it.log(id)).toEqual(["look", "shop/look@1 ok"]);
      await it.expectSound();
    });
  },
);
