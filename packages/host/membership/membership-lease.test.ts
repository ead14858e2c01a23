import { beforeEach, describe, expect, test } from "vitest";
import { leaseMs, TestCluster } from "../testing/test-cluster.ts";
import { settle } from "../testing/virtual-time.ts";

/** Until when a host may act after it asked: a tenth of the lease is given up. */
const actMs = leaseMs * 0.9;
const beatMs = leaseMs / 3;

let cluster: TestCluster;
beforeEach(() => {
  cluster = new TestCluster();
});

describe("a host that is well", () => {
  test("keeps its lease for as long as it lives, with three heartbeats in each", async () => {
    await cluster.addDue("orders", 0);
    const host = await cluster.join();
    const other = await cluster.join();
    await cluster.time.advance(100 * leaseMs);
    expect(host.owned).toEqual(["orders"]);
    expect(other.ownerships).toEqual([]);
    expect(host.lost).toEqual([]);
    expect(host.way.countOf("heartbeat")).toBe(300);
  });
});

describe("a host that dies", () => {
  test("is replaced when its lease has ended, and not before", async () => {
    await cluster.addDue("orders", 0);
    const dying = await cluster.join();
    const other = await cluster.join();
    await cluster.time.advance(beatMs);
    dying.stop();
    await cluster.time.advance(leaseMs - 1);
    expect(other.ownerships).toEqual([]);
    // The store's clock has to pass the end, and the other's poll to see it.
    await cluster.time.advance(1_001);
    expect(other.ownerships).toMatchObject([{ workflow: "orders", unclean: true }]);
  });
});

describe("a host that was stopped past its lease and goes on", () => {
  test("performs nothing, even before any of its timers has run", async () => {
    await cluster.addDue("orders", 0);
    const host = await cluster.join();
    const ownership = host.ownershipOf("orders");
    expect(ownership.mayAct()).toBe(true);
    host.stop();
    await cluster.time.advance(actMs);
    host.continue();
    expect(host.process.clock.monotonicMs() < ownership.mayActUntil).toBe(false);
    expect(ownership.mayAct()).toBe(false);
    expect(ownership.mayActUntil).toBe(Number.NEGATIVE_INFINITY);
    expect(host.lost).toEqual([{ kind: "lease_ran_out", causes: [] }]);
  });

  test("claims, releases and beats no more, and says once that it is lost", async () => {
    await cluster.addManyDue(2);
    const host = await cluster.join();
    host.stop();
    await cluster.time.advance(2 * leaseMs);
    const callCount = host.way.calls.length;
    host.continue();
    await cluster.time.advance(10 * leaseMs);
    await cluster.ask("w-0");
    await host.membership.rest(host.ownershipOf("w-1"));
    await host.membership.leave();
    expect(host.way.calls).toHaveLength(callCount);
    expect(host.lost).toHaveLength(1);
    expect(host.process.timerCount).toBe(0);
  });

  test("may act up to the last moment of what it was granted", async () => {
    await cluster.addDue("orders", 0);
    const host = await cluster.join();
    host.stop();
    await cluster.time.advance(actMs - 1);
    host.continue();
    expect(host.ownershipOf("orders").mayAct()).toBe(true);
    await cluster.time.advance(1);
    expect(host.lost).toEqual([]);
    expect(host.ownershipOf("orders").mayAct()).toBe(true);
  });
});

describe("a host that is cut off from the store", () => {
  test("is lost when the lease it was last granted ends, with every failure's cause", async () => {
    await cluster.addDue("orders", 0);
    const host = await cluster.join();
    await cluster.time.advance(beatMs);
    const cause = new Error("the database does not answer");
    host.way.fail("all", cause);
    await cluster.time.advance(actMs - 1);
    expect(host.owned).toEqual(["orders"]);
    await cluster.time.advance(1);
    expect(host.owned).toEqual([]);
    const beats = host.troubles.filter(({ doing }) => doing === "heartbeat");
    expect(beats.length).toBeGreaterThan(5);
    expect(host.lost).toEqual([{ kind: "lease_ran_out", causes: beats.map(() => cause) }]);
  });

  test("goes on when one of its tries gets through, and forgets the failures", async () => {
    const host = await cluster.join();
    host.way.fail("heartbeat", new Error("no route"));
    await cluster.time.advance(beatMs * 2);
    host.way.mend();
    await cluster.time.advance(leaseMs / 15);
    expect(host.troubles).not.toEqual([]);
    host.way.fail("heartbeat", new Error("again"));
    await cluster.time.advance(leaseMs);
    expect(host.lost).toMatchObject([{ kind: "lease_ran_out" }]);
    const [reason] = host.lost;
    const causes = reason?.kind === "lease_ran_out" ? reason.causes : [];
    expect(new Set(causes.map(String))).toEqual(new Set(["Error: again"]));
  });

  test("counts from before it asked: a slow answer grants no more time", async () => {
    const host = await cluster.join();
    await cluster.time.advance(beatMs - 1);
    const arrive = host.way.delay("heartbeat");
    await cluster.time.advance(1);
    const askedAt = host.process.clock.monotonicMs();
    await cluster.time.advance(2_000);
    arrive();
    await settle();
    expect(host.membership.mayActUntil).toBe(askedAt + actMs);
  });

  test("is lost even if an answer comes just after the end that says it lives", async () => {
    const host = await cluster.join();
    await cluster.time.advance(beatMs - 1);
    const arrive = host.way.delay("heartbeat");
    await cluster.time.advance(1);
    host.stop();
    await cluster.time.advance(actMs - beatMs);
    arrive();
    await settle();
    expect(host.lost).toEqual([{ kind: "lease_ran_out", causes: [] }]);
  });

  test("does not wait for a heartbeat that hangs before it sends the next", async () => {
    const host = await cluster.join();
    const arrive = host.way.delay("heartbeat");
    await cluster.time.advance(beatMs);
    expect(host.way.countOf("heartbeat")).toBe(1);
    host.way.mend();
    arrive();
    const arriveNever = host.way.delay("heartbeat");
    await cluster.time.advance(beatMs);
    expect(host.way.countOf("heartbeat")).toBe(2);
    arriveNever();
    await cluster.time.advance(beatMs);
    expect(host.way.countOf("heartbeat")).toBe(3);
  });
});

describe("a host that the store no longer knows", () => {
  test("is lost with the first heartbeat that says so", async () => {
    await cluster.addDue("orders", 0);
    const host = await cluster.join();
    await cluster.store.closeHost(host.incarnation);
    await cluster.time.advance(beatMs);
    expect(host.lost).toEqual([{ kind: "lease_refused" }]);
    expect(host.owned).toEqual([]);
    expect(host.process.timerCount).toBe(0);
    expect(host.way.watchCount).toBe(0);
  });

  test("is not closed in the store: its successor has to learn that it broke off", async () => {
    await cluster.addDue("orders", 0);
    const host = await cluster.join();
    host.way.fail("all", new Error("cut off"));
    await cluster.time.advance(actMs);
    expect(host.lost).toHaveLength(1);
    host.way.mend();
    await host.membership.leave();
    const other = await cluster.join();
    await cluster.time.advance(leaseMs);
    expect(other.ownerships).toMatchObject([{ workflow: "orders", unclean: true }]);
  });
});

describe("joining", () => {
  test("under a name that is taken is refused, and the one who has it goes on", async () => {
    await cluster.addDue("orders", 0);
    const first = await cluster.join({ incarnation: "twin" });
    const second = cluster.prepare({ incarnation: "twin" });
    await expect(second.join()).rejects.toMatchObject({ code: "HOST_TAKEN" });
    expect(second.process.timerCount).toBe(0);
    await cluster.time.advance(10 * leaseMs);
    expect(first.owned).toEqual(["orders"]);
  });

  test("so slowly that the lease is over when the answer comes is being lost", async () => {
    await cluster.addDue("orders", 0);
    const host = cluster.prepare();
    const arrive = host.way.delay("openHost");
    const joined = host.join();
    await cluster.time.advance(actMs);
    arrive();
    await joined;
    expect(host.lost).toEqual([{ kind: "lease_ran_out", causes: [] }]);
    expect(host.way.calls).toEqual(["openHost"]);
  });

  test("with clocks that show anything at all changes nothing", async () => {
    await cluster.addManyDue(4);
    const early = cluster.prepare();
    early.process.clockStartMs = 3_600_000_000;
    const late = cluster.prepare();
    late.process.clockStartMs = -7_200_000;
    await early.join();
    await late.join();
    await cluster.time.advance(4 * leaseMs);
    expect([early.lost, late.lost]).toEqual([[], []]);
    expect(early.owned.length + late.owned.length).toBe(4);
  });
});
