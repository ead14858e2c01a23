import { beforeEach, describe, expect, test } from "vitest";
import { leaseMs, TestCluster, type TestHost } from "../testing/test-cluster.ts";
import { settle } from "../testing/virtual-time.ts";

let cluster: TestCluster;
beforeEach(() => {
  cluster = new TestCluster();
});

describe("a host that leaves", () => {
  test("hands everything over at once when it leaves, and performs nothing any more", async () => {
    await cluster.addManyDue(3);
    const host = await cluster.join();
    expect(host.owned).toHaveLength(3);
    await host.membership.leave();
    expect(host.owned).toEqual([]);
    expect(host.membership.mayActUntil).toBe(Number.NEGATIVE_INFINITY);
    const other = await cluster.join();
    expect(other.owned).toHaveLength(3);
    expect(other.ownerships.map(({ unclean }) => unclean)).toEqual([false, false, false]);
    expect(host.process.timerCount).toBe(0);
    expect(host.way.watchCount).toBe(0);
    await cluster.time.advance(10 * leaseMs);
    expect(host.way.calls.at(-1)).toBe("closeHost");
    expect(host.lost).toEqual([]);
  });

  test("leaves once, however often it is told", async () => {
    const host = await cluster.join();
    await Promise.all([host.membership.leave(), host.membership.leave()]);
    await host.membership.leave();
    expect(host.way.countOf("closeHost")).toBe(1);
  });

  test("does not close before a claim that is on its way has been answered", async () => {
    const host = await cluster.join();
    const arrive = host.way.delay("claim");
    await cluster.addAsked("orders");
    expect(await cluster.ownerOf("orders")).toBe("host-1");
    const left = host.membership.leave();
    await settle();
    expect(host.way.countOf("closeHost")).toBe(0);
    arrive();
    await left;
    expect(host.ownerships).toEqual([]);
    expect(await cluster.ownerOf("orders")).toBeNull();
  });

  test("says what went wrong when its leaving did not reach the store", async () => {
    const host = await cluster.join();
    host.way.fail("closeHost", new Error("cut off"));
    await expect(host.membership.leave()).rejects.toThrow("cut off");
    expect(host.membership.mayAct()).toBe(false);
  });
});

describe("when a host has left", () => {
  /** Waits for two things: for work to fall due, or for the others to take theirs. */
  async function setUp(wait: "due" | "grace"): Promise<TestHost> {
    const host = await cluster.join();
    await cluster.addAsked("first");
    const stopped = await cluster.join();
    stopped.stop();
    if (wait === "due") await cluster.addDue("orders", 60_000);
    await host.membership.rest(host.ownershipOf("first"));
    await cluster.time.advance(0);
    if (wait === "grace") for (const name of ["a", "b", "c"]) await cluster.addAsked(name);
    return host;
  }

  test.each(["due", "grace"] as const)("no timer is left: %s", async (wait) => {
    const host = await setUp(wait);
    // Heartbeat, end of the lease and poll, and the one that this is about.
    expect(host.process.timerCount).toBe(4);
    await host.membership.leave();
    expect(host.process.timerCount).toBe(0);
  });

  test.each(["due", "grace"] as const)(
    "none is set by an answer that comes late: %s",
    async (wait) => {
      const joined = await cluster.join();
      await cluster.addAsked("zero");
      const arrive = joined.way.delay("nextDueAt");
      const other = await cluster.join();
      if (wait === "due") await cluster.addDue("orders", 60_000);
      if (wait === "due") await joined.membership.rest(joined.ownershipOf("zero"));
      other.stop();
      await cluster.time.advance(0);
      if (wait === "grace") for (const name of ["a", "b", "c"]) await cluster.addAsked(name);
      expect(joined.way.calls.at(-1)).toBe("nextDueAt");
      const left = joined.membership.leave();
      arrive();
      await left;
      expect(joined.process.timerCount).toBe(0);
    },
  );
});
