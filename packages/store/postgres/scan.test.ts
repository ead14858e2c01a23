import { insertRow, type TopicRow, updateRow } from "@holdfast/core";
import type pg from "pg";
import { expect, onTestFinished, test, vi } from "vitest";
import { Owner } from "../testing/change-builder.ts";
import { topicRow } from "../testing/row-builder.ts";
import { startOfTime } from "../testing/store-case.ts";
import { AsideConnections, asideMax } from "./lent-connection.ts";
import type { PostgresStore } from "./postgres-store.ts";
import { openTestStore } from "./testing/open-test-store.ts";
import { databaseInTest, openInTest, soon } from "./testing/store-in-test.ts";

const options = { clock: () => startOfTime, newIncarnation: () => "store-1" };
const names = Array.from({ length: 2_500 }, (_, no) => `t-${String(no).padStart(4, "0")}`);

test("a scan of thousands of rows shows one moment, whatever is committed meanwhile", async () => {
  const { store, remove } = await openTestStore(options);
  try {
    const owner = await Owner.create(store);
    await owner.persist(...names.map((name) => insertRow("topics", topicRow(name))));
    const seen: string[] = [];
    for await (const { name, subscriber } of store.scan("orders", "topics")) {
      if (seen.length === 0) {
        const set = { subscriber: "late" };
        await owner.persist(...names.slice(-2).map((topic) => updateRow("topics", [topic], set)));
        await owner.persist(insertRow("topics", topicRow("t-0001-b")));
      }
      expect(subscriber).not.toBe("late");
      seen.push(name);
    }
    expect(seen).toEqual(names);
  } finally {
    await store.close();
    await remove?.();
  }
});

test("scans that are left half-way do not use up the connections", async () => {
  const { store, remove } = await openTestStore(options);
  try {
    const owner = await Owner.create(store);
    await owner.persist(...names.map((name) => insertRow("topics", topicRow(name))));
    for (let count = 0; count < 25; count++) {
      for await (const { name } of store.scan("orders", "topics")) {
        expect(name).toBe(names[0]);
        break;
      }
    }
    expect((await store.load("orders", [])).head.seq).toBe(owner.head.seq);
  } finally {
    await store.close();
    await remove?.();
  }
});

/** More than a store has connections of any kind. */
const heldCount = 14;

/** Scans that stand at their first row until they are ended. */
class HeldScans {
  servedCount = 0;
  readonly firstRows: readonly Promise<IteratorResult<TopicRow>>[];
  readonly #held: AsyncIterator<TopicRow>[] = [];

  private constructor(store: PostgresStore) {
    this.firstRows = Array.from({ length: heldCount }, async () => {
      const scan = store.scan("orders", "topics")[Symbol.asyncIterator]();
      const first = await scan.next();
      this.#held.push(scan);
      this.servedCount += 1;
      return first;
    });
    for (const first of this.firstRows) first.catch(() => {});
  }

  /** When as many are served as can be, and all others wait. */
  static async start() {
    const { url } = await databaseInTest();
    let askedCount = 0;
    const atBoundary = (boundary: string) => {
      if (boundary === "scan answered") askedCount += 1;
    };
    const store = await openInTest({ url, atBoundary });
    const owner = await Owner.create(store);
    await owner.persist(...names.map((name) => insertRow("topics", topicRow(name))));
    const scans = new HeldScans(store);
    await soon(() => [askedCount, scans.servedCount]).toEqual([heldCount, asideMax]);
    return { store, owner, scans };
  }

  /** The next one is served then. */
  async endOne(): Promise<void> {
    const before = this.servedCount;
    await this.#held.shift()?.return?.();
    await soon(() => this.servedCount).toBe(before + 1);
  }
}

test("heartbeats and commits are answered while more scans wait than can be served", async () => {
  const { store, owner, scans } = await HeldScans.start();
  await store.openHost({ incarnation: "host-1", leaseMs: 600_000 });
  for (let count = 0; count < 20; count++) {
    expect(await store.heartbeat("host-1")).toBe(true);
    await owner.persist();
  }
  expect(scans.servedCount).toBe(asideMax);
  for (let count = asideMax; count < heldCount; count++) await scans.endOne();
});

test("a scan waits its turn however long the others read", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const { scans } = await HeldScans.start();
  vi.advanceTimersByTime(3_600_000);
  for (let count = asideMax; count < heldCount; count++) await scans.endOne();
  for (const first of scans.firstRows) expect((await first).value.name).toBe(names[0]);
});

test("a connection that cannot be made costs nobody a turn", async () => {
  const refusal = new Error("no server");
  const pool: Pick<pg.Pool, "connect"> = { connect: () => Promise.reject(refusal) };
  const aside = new AsideConnections(pool as pg.Pool, 1_000);
  for (let count = 0; count <= asideMax; count++) await expect(aside.lend()).rejects.toBe(refusal);
});

test("scans that still wait their turn when the store closes are told so with it", async () => {
  const { store, scans } = await HeldScans.start();
  await store.close();
  const outcomes = await Promise.allSettled(scans.firstRows);
  const refused = outcomes.filter(({ status }) => status === "rejected");
  expect(refused).toHaveLength(heldCount - asideMax);
  for (const each of refused) expect(each).toMatchObject({ reason: { code: "STORE_CLOSED" } });
});
