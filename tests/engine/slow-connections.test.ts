import { policyDefaults } from "@holdfast/core";
import { describe, expect, test } from "vitest";
import { MachineInTest } from "./machine-in-test.ts";
import { openStores } from "./open-stores.ts";
import { OrderShop, sandboxOfFile } from "./order-shop.ts";
import type { WorkflowInTest } from "./workflow-in-test.ts";

const { transientTriesMax, transientDelayMsMax } = policyDefaults;
/** Longer than may pass between the commit that allows a send and its first byte. */
const slowMs = 6_000;
/** So that a host that never stops trying is seen to. */
const slowCountMax = 50;

const sandbox = sandboxOfFile();

/** Its service is reached so slowly, until it is not. */
function slowDown(it: WorkflowInTest): { isSlow: boolean; count: number } {
  const link = { isSlow: true, count: 0 };
  it.wayOut = (world) => {
    const send: typeof world.send = (...given) => {
      link.count += 1;
      if (link.isSlow && link.count < slowCountMax) it.now += slowMs;
      return world.send(...given);
    };
    return new Proxy(world, {
      get: (target, name) => {
        if (name === "send") return send;
        const member: unknown = Reflect.get(target, name, target);
        return typeof member === "function" ? member.bind(target) : member;
      },
    });
  };
  return link;
}

function expectGrowing(waits: readonly number[]): void {
  expect(waits).toEqual([...new Set(waits)].sort((a, b) => a - b));
}

describe.each([
  ["SQLite", openStores.SQLite],
  ["PostgreSQL", openStores.PostgreSQL],
])("a service that is reached too slowly, on %s", (_, open) => {
  test("[R150] [R155] is tried later each time, and then a person is asked", async () => {
    const shop = new OrderShop();
    const it = await shop.open(sandbox(), { store: open });
    const link = slowDown(it);
    const waits: number[] = [];
    for (let tryNo = 1; tryNo <= transientTriesMax; tryNo += 1) {
      await it.live();
      const { status, reason, dueAt, transientCount } = await it.openRun();
      expect([status, reason, transientCount]).toEqual(["paused:transient", "backoff", tryNo]);
      waits.push((dueAt ?? 0) - it.now);
      it.now = dueAt ?? 0;
    }
    expectGrowing(waits);
    await it.live();
    expect(link.count).toBe(transientTriesMax + 1);
    expect(await it.questions()).toEqual(["retries_exhausted"]);
    const [asked] = await it.rows("attentions");
    expect(asked?.note).toContain("took 1000 ms longer than it may");
    const said = await it.rows("mutation_evidence");
    expect(new Set(said.map(({ kind, says }) => `${kind} ${says}`))).toEqual(
      new Set(["unsent not_sent"]),
    );
    expect([shop.booked, (await it.rows("mutations"))[0]?.state]).toEqual([[], "ready"]);
    link.isSlow = false;
    await it.ask("resume_run", { runId: (await it.openRun()).runId });
    expect(shop.booked).toEqual(["a", "b", "c"]);
    await it.expectSound();
  });

  test("[R155] a machine's call waits longer each time, and the machine is told", async () => {
    const it = await MachineInTest.begin(sandbox(), open);
    const link = slowDown(it.test);
    await it.say("o1", "book");
    const waits: number[] = [];
    for (let tryNo = 1; tryNo <= transientTriesMax; tryNo += 1) {
      const [row] = await it.test.rows("mutations");
      expect([row?.state, row?.sendCount, link.count]).toEqual(["ready", tryNo, tryNo]);
      waits.push((row?.nextAttemptAt ?? 0) - it.test.now);
      it.test.now = row?.nextAttemptAt ?? 0;
      await it.test.live();
    }
    expectGrowing(waits);
    expect(waits.at(-1)).toBeLessThan(transientDelayMsMax);
    expect(await it.test.rows("mutations")).toMatchObject([
      { state: "failed", failure: { class: "transient" } },
    ]);
    expect(await it.log("o1")).toEqual(["book", "shop/book@1 error transient"]);
    expect(it.sent).toEqual([]);
    await it.expectSound();
  });

  test("[R155] a machine's call that is reached in the end is sent once", async () => {
    const it = await MachineInTest.begin(sandbox(), open);
    const link = slowDown(it.test);
    await it.say("o1", "book");
    link.isSlow = false;
    it.test.now += transientDelayMsMax;
    await it.test.live();
    expect(it.sent).toEqual(["o1"]);
    expect(await it.log("o1")).toEqual(["book", "shop/book@1 ok"]);
    await it.expectSound();
  });
});
