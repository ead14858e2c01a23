import type { Store } from "@holdfast/core";
import { AccountRests, ConnectedWorld, operationKindsOf, realTimers, verify } from "@holdfast/host";
import { expect, test } from "vitest";
import { DyingWay } from "./dying-way.ts";
import { openStores } from "./open-stores.ts";
import { sandboxOfFile } from "./order-shop.ts";
import { gmail, PostOffice } from "./post-office.ts";
import { WorkflowInTest, type WorldInTest } from "./workflow-in-test.ts";

const sandbox = sandboxOfFile();

const source = `
  import { workflow } from "@holdfast/sdk";
  export default workflow({
    name: "welcome",
    connections: { gmail: { connector: "gmail", account: "office" } },
    topics: {},
    jobs: { welcome: { manual: true, handler: async () => {
      await withItem("person:alice", "Welcome Alice", async (ctx) => {
        if (ctx.item.isDone) return;
        const to = "alice@example.com";
        await gmail.send({ to, body: "First message", subkey: "welcome" });
        await gmail.send({ to, body: "Second message", subkey: "confirmation" });
      });
    } } },
  });`;

function worldOf(office: PostOffice, now: () => number): WorldInTest {
  const account = gmail.connect("office", { url: office.url, timeoutMs: 5_000 });
  const connections = new Map([["gmail", account]]);
  const parts = { connections, rests: new AccountRests(), now, timers: realTimers };
  const world = new ConnectedWorld({ ...parts, random: () => 0.5 });
  const kinds = operationKindsOf(connections);
  return Object.assign(world, { connections: kinds, onDeath: () => {} });
}

/** A workflow whose first host dies at a point, and none later. Null = there is no such point. */
async function trial(store: Store, clock: { now: number }, at: number): Promise<string | null> {
  const office = await PostOffice.start();
  const world = worldOf(office, () => clock.now);
  const way = new DyingWay(at, () => world.onDeath());
  const workflow = `welcome-${at}`;
  const parts = { store, sandbox: sandbox(), world, clock, workflow };
  const it = await WorkflowInTest.create(parts, source);
  it.way = (each) => way.toStore(each);
  it.wayOut = (each) => way.toOutside(each);
  await it.command("run_now", {});
  await it.live();
  it.way = (each) => each;
  it.wayOut = (each) => each;
  const { diedAt } = way;
  const isDone = async () => (await it.rows("items")).every(({ status }) => status === "done");
  for (let life = 0; life < 8 && (life < 2 || !(await isDone())); life++) {
    clock.now += 3_600_000;
    await it.live();
  }
  const bodies = office.mails.map(({ body }) => body);
  expect([at, diedAt, bodies]).toEqual([at, diedAt, ["First message", "Second message"]]);
  expect(await it.questions()).toEqual([]);
  expect((await it.rows("items")).map(({ status }) => status)).toEqual(["done"]);
  return diedAt;
}

test.each(["SQLite", "PostgreSQL"] as const)(
  "[S44, R151, L7] two mails to one person on %s are sent once each, wherever the host dies",
  { timeout: 120_000 },
  async (name) => {
    const clock = { now: 1_700_000_000_000 };
    const store = await openStores[name](() => clock.now);
    const seen = new Set<string>();
    for (let at = 1; ; at++) {
      const diedAt = await trial(store, clock, at);
      if (diedAt === null) break;
      seen.add(diedAt);
    }
    const reports = await verify(store, { full: true });
    expect(reports.flatMap(({ problems }) => problems)).toEqual([]);
    expect([...seen].sort()).toEqual(
      ["commit", "load", "readInbox", "send"]
        .flatMap((call) => [`after ${call}`, `before ${call}`])
        .sort(),
    );
  },
);
