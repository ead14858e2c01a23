import { beforeEach, describe, expect, test } from "vitest";
import { leaseMs, TestCluster } from "../testing/test-cluster.ts";

const pollMs = 1_000;

let cluster: TestCluster;
beforeEach(() => {
  cluster = new TestCluster();
});

describe("no call is made in vain", () => {
  test("10,000 workflows that are not due cost a poll and the heartbeats alone", async () => {
    await cluster.addManyDue(10_000, 3_600_000);
    const host = await cluster.join();
    await cluster.time.advance(pollMs / 2);
    host.way.takeCalls();
    await cluster.time.advance(10 * leaseMs);
    expect(host.way.takeCalls()).toEqual({ census: (10 * leaseMs) / pollMs, heartbeat: 30 });
  });

  test("work that is due in an hour costs no more when the store's clock is known", async () => {
    const host = await cluster.join();
    await cluster.addAsked("first");
    await cluster.addDue("orders", 3_600_000);
    await host.membership.rest(host.ownershipOf("first"));
    await cluster.time.advance(pollMs / 2);
    host.way.takeCalls();
    await cluster.time.advance(100 * leaseMs);
    expect(host.way.takeCalls()).toEqual({ census: (100 * leaseMs) / pollMs, heartbeat: 300 });
  });

  test("work that nobody has room for is not asked for again and again", async () => {
    const host = await cluster.join({ capacity: 1 });
    await cluster.addManyDue(20);
    await cluster.time.advance(1.5 * pollMs);
    host.way.takeCalls();
    await cluster.time.advance(10 * pollMs);
    expect(host.way.takeCalls()).toEqual({ census: 10, heartbeat: 2 });
  });

  test("work that another host took first is let go", async () => {
    const host = await cluster.join();
    const answers = { claims: [], tooNew: [] };
    const { claim } = cluster.store;
    Object.assign(cluster.store, { claim: async () => answers });
    await cluster.addAsked("orders");
    host.way.takeCalls();
    await cluster.time.advance(10 * pollMs);
    expect(host.way.takeCalls()).toEqual({ census: 10, claim: 10, heartbeat: 2 });
    Object.assign(cluster.store, { claim });
  });

  test("a hundred commands at once make a few looks, not a hundred", async () => {
    const names = await cluster.addManyDue(100, 3_600_000);
    const host = await cluster.join();
    host.way.takeCalls();
    await Promise.all(names.map((name) => cluster.ask(name)));
    await cluster.time.advance(0);
    expect(host.owned).toHaveLength(100);
    const calls = host.way.takeCalls();
    expect(calls["census"]).toBeLessThanOrEqual(4);
    expect(calls["claim"]).toBeLessThanOrEqual(3);
  });
});

describe("what the store may count as a host's while the host does not know it", () => {
  test("is let go a lease after a claim whose answer was lost", async () => {
    await cluster.store.createWorkflow("orders");
    const host = await cluster.join();
    host.way.fail("claim", new Error("cut off"), { lands: true });
    await cluster.ask("orders");
    expect(await cluster.ownerOf("orders")).toBe("host-1");
    expect(host.owned).toEqual([]);
    host.way.mend();
    await cluster.time.advance(leaseMs - 1);
    expect(host.owned).toEqual([]);
    await cluster.time.advance(pollMs);
    expect(host.owned).toEqual(["orders"]);
    expect(host.lost).toEqual([]);
  });

  test("is let go a lease after a release that did not arrive", async () => {
    await cluster.addManyDue(2);
    const host = await cluster.join();
    await cluster.setDue("w-0", null);
    host.way.fail("release", new Error("cut off"));
    await host.membership.rest(host.ownershipOf("w-0"));
    expect(host.troubles).toMatchObject([{ doing: "release" }]);
    host.way.mend();
    await cluster.time.advance(leaseMs + pollMs);
    expect(await cluster.ownerOf("w-0")).toBeNull();
    expect(host.owned).toEqual(["w-1"]);
    expect(host.way.countOf("listWorkflows")).toBe(1);
  });

  test("is looked for until it could be let go", async () => {
    await cluster.store.createWorkflow("orders");
    const host = await cluster.join();
    host.way.fail("claim", new Error("cut off"), { lands: true });
    await cluster.ask("orders");
    host.way.mend();
    host.way.fail("listWorkflows", new Error("cut off"));
    await cluster.time.advance(leaseMs + 3 * pollMs);
    host.way.mend();
    host.way.fail("release", new Error("cut off"));
    await cluster.time.advance(3 * pollMs);
    host.way.mend();
    expect(await cluster.ownerOf("orders")).toBe("host-1");
    await cluster.time.advance(leaseMs + pollMs);
    expect(host.owned).toEqual(["orders"]);
  });

  test("is found among more workflows than one page holds", async () => {
    await cluster.addManyDue(1_001, 3_600_000);
    await cluster.store.createWorkflow("zebra");
    const host = await cluster.join();
    host.way.fail("claim", new Error("cut off"), { lands: true });
    await cluster.ask("zebra");
    host.way.mend();
    await cluster.time.advance(leaseMs + pollMs);
    expect(host.owned).toEqual(["zebra"]);
    expect(host.way.countOf("listWorkflows")).toBe(3);
  });
});
