import { beforeEach, describe, expect, test } from "vitest";
import { leaseMs, TestCluster, type TestHost } from "../testing/test-cluster.ts";

const pollMs = 1_000;
const graceMs = 1_250;
const beatMs = leaseMs / 3;

let cluster: TestCluster;
beforeEach(() => {
  cluster = new TestCluster();
});

function counts(...hosts: readonly TestHost[]): readonly number[] {
  return hosts.map((host) => host.owned.length);
}

describe("a host that joins", () => {
  test("gets its share within a heartbeat, from hosts that own more than theirs", async () => {
    await cluster.addManyDue(20);
    const first = await cluster.join();
    expect(counts(first)).toEqual([20]);
    const second = await cluster.join();
    await cluster.time.advance(beatMs);
    expect(counts(first, second)).toEqual([11, 9]);
    const third = await cluster.join();
    await cluster.time.advance(beatMs);
    expect(counts(first, second, third)).toEqual([8, 8, 4]);
    expect(second.ownerships.every(({ unclean }) => !unclean)).toBe(true);
  });

  test("gets nothing that is in mid-run until it is at rest", async () => {
    const names = await cluster.addManyDue(4);
    const first = await cluster.join();
    for (const name of names) first.busy.add(name);
    const second = await cluster.join();
    await cluster.time.advance(2 * beatMs);
    expect(counts(first, second)).toEqual([4, 0]);
    first.busy.delete("w-2");
    await cluster.time.advance(2 * pollMs);
    expect(counts(first, second)).toEqual([3, 1]);
    expect(first.handedOver).toEqual(["w-2"]);
    expect(second.owned).toEqual(["w-2"]);
  });

  test("takes no more than its share of what waits, and leaves the others theirs", async () => {
    const [first, second] = [await cluster.join(), await cluster.join()];
    await cluster.addManyDue(10);
    await cluster.time.advance(pollMs);
    expect(counts(first, second)).toEqual([5, 5]);
  });
});

describe("what is handed over", () => {
  test("has no owner that may act for it from the moment it is given away", async () => {
    await cluster.addManyDue(4);
    const first = await cluster.join();
    const arrive = first.way.delay("release");
    await cluster.join();
    await cluster.time.advance(pollMs);
    const [gone] = first.handedOver;
    expect(gone).toBeDefined();
    expect(first.ownershipOf(gone ?? "").mayAct()).toBe(false);
    arrive();
  });

  test("goes to another host, not back to the one that gave it", async () => {
    await cluster.addManyDue(10);
    const first = await cluster.join();
    const second = await cluster.join();
    await cluster.time.advance(10 * leaseMs);
    expect(counts(first, second)).toEqual([6, 4]);
    expect(first.ownerships).toHaveLength(10);
    expect(first.handedOver).toHaveLength(4);
    expect(second.handedOver).toEqual([]);
  });

  test("stays where it is while the difference is not worth the moving", async () => {
    await cluster.addManyDue(4);
    const [first, second] = [await cluster.join(), await cluster.join()];
    await cluster.time.advance(beatMs);
    const before = [first.owned, second.owned];
    expect(counts(first, second)).toEqual([3, 1]);
    await cluster.time.advance(10 * leaseMs);
    expect([first.owned, second.owned]).toEqual(before);
  });
});

describe("a host above its share", () => {
  /** The first owns six and the second one: what comes next is the second's. */
  async function setUp(): Promise<readonly [TestHost, TestHost]> {
    const names = await cluster.addManyDue(6);
    const first = await cluster.join();
    for (const name of names) first.busy.add(name);
    const second = await cluster.join();
    await cluster.addDue("one", 0);
    await cluster.time.advance(2 * pollMs);
    expect(counts(first, second)).toEqual([6, 1]);
    return [first, second];
  }

  test("leaves new work to the others", async () => {
    const [first, second] = await setUp();
    for (const name of ["a", "b", "c"]) await cluster.addAsked(name);
    await cluster.time.advance(beatMs);
    expect(counts(first, second)).toEqual([6, 4]);
  });

  test("takes what the others leave lying, when they had their time", async () => {
    const [first, second] = await setUp();
    second.stop();
    await cluster.addAsked("a");
    await cluster.time.advance(graceMs - 1);
    expect(first.owned).not.toContain("a");
    await cluster.time.advance(1);
    expect(first.owned).toContain("a");
  });

  test("does not wait for others that left work lying, nor gives them any, for long", async () => {
    const [first, second] = await setUp();
    second.stop();
    await cluster.addAsked("a");
    await cluster.time.advance(graceMs);
    expect(first.owned).toContain("a");
    await cluster.addAsked("b");
    expect(first.owned).toContain("b");
    await cluster.time.advance(leaseMs / 2);
    expect(first.handedOver).toEqual([]);
    second.continue();
    await cluster.time.advance(2 * leaseMs);
    expect(counts(first, second)).toEqual([6, 3]);
  });

  test("gives to a host that comes, whatever it has seen of the others", async () => {
    const [first, second] = await setUp();
    second.stop();
    await cluster.addAsked("a");
    await cluster.time.advance(graceMs);
    expect(first.owned).toContain("a");
    first.busy.clear();
    const third = await cluster.join();
    await cluster.time.advance(2 * pollMs);
    expect(third.owned.length).toBeGreaterThan(0);
  });

  test("takes it as soon as it has room, when it was full at the end of that time", async () => {
    const first = await cluster.join({ capacity: 3 });
    const stopped = await cluster.join();
    stopped.stop();
    await cluster.addManyDue(3);
    await cluster.time.advance(pollMs + graceMs);
    expect(first.owned).toHaveLength(3);
    await cluster.addAsked("late");
    await cluster.time.advance(graceMs);
    expect(first.owned).not.toContain("late");
    await cluster.setDue("w-0", null);
    await first.membership.rest(first.ownershipOf("w-0"));
    await cluster.time.advance(0);
    expect(first.owned).toContain("late");
  });

  test("does not take others for idle while they take one after the other", async () => {
    const [first, second] = await setUp();
    second.way.loseWakes();
    for (const [older, newer] of [
      ["a", "b"],
      ["c", "d"],
    ] as const) {
      await cluster.addAsked(older);
      await cluster.time.advance(graceMs - 1);
      expect(second.owned).toContain(older);
      await cluster.addAsked(newer);
      await cluster.time.advance(1);
      expect(first.owned).not.toContain(newer);
      await cluster.time.advance(2 * pollMs - graceMs);
      expect(second.owned).toContain(newer);
    }
  });
});

describe("when hosts go", () => {
  test("what one that leaves had is shared by the others within a poll", async () => {
    await cluster.addManyDue(12);
    const hosts = [await cluster.join(), await cluster.join(), await cluster.join()];
    const [first, second, third] = hosts as [TestHost, TestHost, TestHost];
    await cluster.time.advance(2 * beatMs);
    await first.membership.leave();
    await cluster.time.advance(pollMs);
    expect([...counts(first, second, third)].sort()).toEqual([0, 6, 6]);
  });

  test("what one that died had is shared by the others after its lease", async () => {
    await cluster.addManyDue(12);
    const hosts = [await cluster.join(), await cluster.join(), await cluster.join()];
    const [first, second, third] = hosts as [TestHost, TestHost, TestHost];
    await cluster.time.advance(3 * beatMs);
    const owned = first.owned.length;
    first.stop();
    await cluster.time.advance(leaseMs - 1);
    expect(second.owned.length + third.owned.length).toBe(12 - owned);
    await cluster.time.advance(1 + pollMs);
    expect([...counts(second, third)].sort()).toEqual([6, 6]);
  });
});
