import { encodeCanonical } from "@holdfast/core";
import { openSqliteStore } from "@holdfast/store/sqlite";
import { expect, test } from "vitest";
import { Membership, type MembershipListener, realClock, realTimers } from "../index.ts";
import type { Ownership } from "./ownership.ts";

/** Fails the test when something goes wrong that it did not ask for. */
function listenerFor(onClaim: MembershipListener["onClaim"]): MembershipListener {
  const surprise = (what: unknown) => {
    throw new Error("not expected", { cause: what });
  };
  return {
    onClaim,
    onWake: surprise,
    mayHandOver: () => false,
    onHandOver: surprise,
    onTooNew: surprise,
    onTrouble: surprise,
    onLost: surprise,
  };
}

test("a host with real clocks on SQLite is woken by a command, may act, and leaves", async () => {
  const store = await openSqliteStore({
    memory: true,
    clock: Date.now,
    newIncarnation: () => "store-1",
  });
  await store.createWorkflow("orders");
  let tell: (ownership: Ownership) => void = () => {};
  const claimed = new Promise<Ownership>((resolve) => {
    tell = resolve;
  });
  const membership = await Membership.join({
    store,
    incarnation: "host-1",
    leaseMs: 60_000,
    capacity: 10,
    clock: realClock,
    timers: realTimers,
    // Far away, so that nothing but the wake-up can have found the work.
    policy: { pollMs: 3_600_000, graceMs: 0, claimsPerCallMax: 1 },
    listener: listenerFor((ownership) => tell(ownership)),
  });
  const command = { commandId: "c-1", workflow: "orders", actor: "ann", kind: "run_now", at: 0 };
  await store.appendCommand({ ...command, body: encodeCanonical({}) });
  const ownership = await claimed;
  expect(ownership).toMatchObject({ workflow: "orders", epoch: 1, unclean: false });
  expect(ownership.mayAct()).toBe(true);
  expect(ownership.mayActUntil).toBeLessThanOrEqual(realClock.monotonicMs() + 60_000);
  await membership.leave();
  expect(ownership.mayAct()).toBe(false);
  expect(await store.census()).toEqual({ hosts: 0, owned: 0, waiting: 1 });
  await store.close();
});
