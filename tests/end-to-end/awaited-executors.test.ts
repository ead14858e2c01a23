import { describe, expect, test, vi } from "vitest";
import { perform, receiptFor, type Work } from "./executor-kit.ts";
import type { HostProcess } from "./host-process.ts";
import { open, type Pair, type Remote } from "./remote-host.ts";
import { places } from "./stores.ts";

async function waits(remote: Remote): Promise<void> {
  const says = async () => (await remote.host.holdfast("why", "orders")).out;
  const isSo = async () => (await says()).includes("no executor of http has asked for it");
  await vi.waitUntil(isSo, { timeout: 60_000, interval: 200 });
}

function countOf(facts: readonly string[], kind: string): number {
  return facts.filter((each) => each === kind).length;
}

async function execute(
  remote: Remote,
  work: Work | null,
  { secret, host }: Pick<Pair, "secret"> & { readonly host?: HostProcess },
): Promise<void> {
  if (work === null) throw new Error("there was nothing to take");
  const said = { status: "ok", result: await perform(remote.connected, work) } as const;
  const receipt = receiptFor(remote.connected, work, { said, secret });
  expect(await remote.bring(receipt, { host })).toBe("settled");
}

describe.each(Object.entries(places))("a call that nobody asks for, on %s", (_, newStore) => {
  test("[M.V-12] waits quietly, through a death too, and goes to the first who asks", async () => {
    const { remote, pair } = await open(newStore);
    await remote.publish("o-1");
    await waits(remote);
    const before = await remote.facts();
    expect([countOf(before, "mutation_unasked"), countOf(before, "mutation_sent")]).toEqual([1, 0]);
    await remote.again("SIGKILL");
    // Another order is served meanwhile, and the one before is not spoken of again.
    await remote.publish("o-2");
    const two = async () => countOf(await remote.facts(), "mutation_unasked") === 2;
    await vi.waitUntil(two, { timeout: 60_000, interval: 100 });
    // However short somebody stays.
    await execute(remote, await remote.take(0), pair);
    await execute(remote, await remote.take(0), pair);
    expect(await remote.take(0)).toBeNull();
    await remote.reaches("o-1", "Booked");
    await remote.reaches("o-2", "Booked");
    const after = await remote.facts();
    expect(countOf(after, "mutation_sent")).toBe(2);
    expect(countOf(after, "mutation_requeued")).toBe(0);
    const counts = [...remote.shop.counts].sort();
    expect(counts).toEqual([
      ["o-1", 1],
      ["o-2", 1],
    ]);
    await remote.replays();
  });

  test("[M.V-12] is handed out once, and unknown when the host dies after that", async () => {
    const { remote } = await open(newStore);
    await remote.publish("o-1");
    await waits(remote);
    const [one, other] = await Promise.all([remote.take(2_000), remote.take(2_000)]);
    expect([one, other].filter((work) => work !== null)).toHaveLength(1);
    await remote.again("SIGKILL");
    await vi.waitUntil(async () => (await remote.questions()).length === 1, { timeout: 60_000 });
    expect(await remote.take(0)).toBeNull();
    expect(countOf(await remote.facts(), "mutation_sent")).toBe(1);
  });
});

test("[M.V-12] whoever asks one of several hosts is given the calls of all of them", async () => {
  const { remote, pair } = await open(places.PostgreSQL);
  await remote.publish("o-1");
  await waits(remote);
  const second = remote.second();
  await second.url;
  const there = { ...pair, host: second };
  await execute(remote, await remote.take(20_000, second), there);
  await remote.reaches("o-1", "Booked");
  // And while somebody waits there: the host that has the work leaves it to the other.
  const taking = remote.take(20_000, second);
  await remote.publish("o-2");
  await execute(remote, await taking, there);
  await remote.reaches("o-2", "Booked");
  expect([...remote.shop.counts].sort()).toEqual([
    ["o-1", 1],
    ["o-2", 1],
  ]);
  await remote.replays();
});

test("what waited for an executor goes on when the host makes such calls itself", async () => {
  const { remote } = await open(places.SQLite);
  await remote.publish("o-1");
  await waits(remote);
  remote.list({});
  await remote.again("SIGTERM");
  await remote.reaches("o-1", "Booked");
  expect([...remote.shop.counts]).toEqual([["o-1", 1]]);
});
