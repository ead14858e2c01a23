import { beforeEach, describe, expect, test } from "vitest";
import { TestCluster } from "../testing/test-cluster.ts";

const pollMs = 1_000;

let cluster: TestCluster;
beforeEach(() => {
  cluster = new TestCluster();
});

describe("work is found", () => {
  test("at once when a command comes, by its wake-up", async () => {
    await cluster.store.createWorkflow("orders");
    const host = await cluster.join();
    await cluster.time.advance(400);
    await cluster.ask("orders");
    expect(host.owned).toEqual(["orders"]);
  });

  test("by the next poll when the wake-up was lost", async () => {
    await cluster.store.createWorkflow("orders");
    const host = await cluster.join();
    host.way.loseWakes();
    await cluster.ask("orders");
    expect(host.owned).toEqual([]);
    await cluster.time.advance(pollMs);
    expect(host.owned).toEqual(["orders"]);
  });

  test("by the next poll when the store could not be asked at first", async () => {
    await cluster.store.createWorkflow("orders");
    const host = await cluster.join();
    const cause = new Error("no route");
    host.way.fail("census", cause);
    await cluster.ask("orders");
    expect(host.troubles).toEqual([{ doing: "census", cause }]);
    host.way.mend();
    await cluster.time.advance(pollMs);
    expect(host.owned).toEqual(["orders"]);
  });

  test("when it falls due, by the poll while nothing is known of the store's clock", async () => {
    await cluster.addDue("orders", 4_321);
    const host = await cluster.join();
    await cluster.time.advance(4_320);
    expect(host.owned).toEqual([]);
    await cluster.time.advance(pollMs);
    expect(host.owned).toEqual(["orders"]);
  });

  test("[R143] on the millisecond it falls due, once a command has shown the clock", async () => {
    const host = cluster.prepare();
    host.process.clockStartMs = 77_777;
    await host.join();
    await cluster.addAsked("first");
    await cluster.addDue("orders", 3_000_123);
    await host.membership.rest(host.ownershipOf("first"));
    await cluster.time.advance(3_000_122);
    expect(host.owned).not.toContain("orders");
    await cluster.time.advance(1);
    expect(host.owned).toContain("orders");
  });

  test("again when the store's clock was set back, or forward", async () => {
    const host = await cluster.join();
    await cluster.addAsked("first");
    await cluster.addDue("orders", 60_000);
    await host.membership.rest(host.ownershipOf("first"));
    cluster.storeAheadMs = -30_000;
    await cluster.time.advance(89_999);
    expect(host.owned).not.toContain("orders");
    await cluster.time.advance(pollMs);
    expect(host.owned).toContain("orders");
    await cluster.addDue("bills", 9_000);
    cluster.storeAheadMs += 9_000 - 1;
    await cluster.time.advance(pollMs);
    expect(host.owned).toContain("bills");
  });

  test("on the millisecond again, once a command has shown a clock that was set back", async () => {
    const host = await cluster.join();
    await cluster.addAsked("first");
    cluster.storeAheadMs = -30_000;
    await cluster.addDue("orders", 2_500);
    await host.membership.rest(host.ownershipOf("first"));
    await cluster.time.advance(0);
    await cluster.addAsked("second");
    await cluster.time.advance(2_499);
    expect(host.owned).not.toContain("orders");
    await cluster.time.advance(1);
    expect(host.owned).toContain("orders");
  });

  test("of a workflow that was put to rest while a command came for it", async () => {
    await cluster.addDue("orders", 0);
    const host = await cluster.join();
    const first = host.ownershipOf("orders");
    await cluster.setDue("orders", null);
    const resting = host.membership.rest(first);
    await cluster.ask("orders");
    await resting;
    await cluster.time.advance(0);
    expect(first.mayAct()).toBe(false);
    expect(host.ownershipOf("orders").epoch).toBe(first.epoch + 1);
    expect(host.owned).toEqual(["orders"]);
  });
});

describe("a host that owns workflows", () => {
  test("is told when a command comes for one of them, and asks the store nothing", async () => {
    await cluster.addDue("orders", 0);
    const host = await cluster.join();
    host.way.takeCalls();
    await cluster.ask("orders");
    expect(host.woken).toEqual(["orders"]);
    expect(host.way.takeCalls()).toEqual({});
  });

  test("gives one back that has nothing to do, and gets it again when it has", async () => {
    await cluster.addDue("orders", 0);
    const host = await cluster.join();
    await cluster.setDue("orders", null);
    const ownership = host.ownershipOf("orders");
    await host.membership.rest(ownership);
    expect(ownership.mayActUntil).toBe(Number.NEGATIVE_INFINITY);
    expect(await cluster.ownerOf("orders")).toBeNull();
    await cluster.time.advance(10 * pollMs);
    expect(host.owned).toEqual([]);
    await cluster.ask("orders");
    expect(host.owned).toEqual(["orders"]);
  });

  test("does not give one back in the name of an ownership that has ended", async () => {
    await cluster.addDue("orders", 0);
    const host = await cluster.join();
    const first = host.ownershipOf("orders");
    await host.membership.rest(first);
    await cluster.time.advance(0);
    expect(host.owned).toEqual(["orders"]);
    await host.membership.rest(first);
    expect(host.owned).toEqual(["orders"]);
    expect(await cluster.ownerOf("orders")).toBe("host-1");
  });

  test("owns no more than it has room for, and takes the next when one is done", async () => {
    const host = await cluster.join({ capacity: 2 });
    await cluster.addManyDue(3);
    await cluster.time.advance(pollMs);
    expect(host.owned).toEqual(["w-0", "w-1"]);
    await cluster.setDue("w-0", null);
    await host.membership.rest(host.ownershipOf("w-0"));
    await cluster.time.advance(0);
    expect(host.owned).toEqual(["w-1", "w-2"]);
  });

  test("takes many in several calls, all of them", async () => {
    await cluster.addManyDue(1_234);
    const host = await cluster.join();
    await cluster.time.advance(0);
    expect(host.owned).toHaveLength(1_234);
    expect(host.way.countOf("claim")).toBe(13);
  });

  test("names what has work but is too new for it", async () => {
    await cluster.addDue("orders", 0);
    const host = cluster.prepare();
    const { claim } = cluster.store;
    Object.assign(cluster.store, {
      claim: async (...wanted: Parameters<typeof claim>) => {
        return { ...(await claim(...wanted)), tooNew: ["newer"] };
      },
    });
    await host.join();
    expect(host.tooNew).toEqual(["newer"]);
  });
});

describe("a workflow that only this host can go on with", () => {
  test("is its own by its name, due or not, if it has room and nobody else has it", async () => {
    for (const workflow of ["a", "b", "c"]) await cluster.store.createWorkflow(workflow);
    const host = await cluster.join({ capacity: 1 });
    const other = await cluster.join();
    expect(await host.membership.claimOne("a")).toBe(true);
    expect(host.owned).toEqual(["a"]);
    expect(await other.membership.claimOne("a")).toBe(false);
    expect(await host.membership.claimOne("b")).toBe(false);
    expect(await other.membership.claimOne("b")).toBe(true);
    await host.membership.rest(host.ownershipOf("a"));
    expect(await other.membership.claimOne("a")).toBe(true);
    expect([host.owned, other.owned]).toEqual([[], ["b", "a"]]);
  });

  test("is let go a lease later when the answer to its claim was lost", async () => {
    await cluster.store.createWorkflow("orders");
    const host = await cluster.join();
    host.way.fail("claimOne", new Error("cut off"), { lands: true });
    expect(await host.membership.claimOne("orders")).toBe(false);
    expect(await cluster.ownerOf("orders")).toBe("host-1");
    host.way.mend();
    await cluster.time.advance(60_000);
    expect([host.owned, await cluster.ownerOf("orders")]).toEqual([[], null]);
    expect(await host.membership.claimOne("orders")).toBe(true);
  });

  test("is nobody's any more when the host has left", async () => {
    await cluster.store.createWorkflow("orders");
    const host = await cluster.join();
    await host.membership.leave();
    expect(await host.membership.claimOne("orders")).toBe(false);
    expect(await cluster.ownerOf("orders")).toBeNull();
  });
});
