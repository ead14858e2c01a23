import { whyOf } from "@holdfast/host";
import { Sandbox } from "@holdfast/sandbox";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openStores } from "./open-stores.ts";
import { HostDies, ScriptedWorld } from "./scripted-world.ts";
import { WorkflowInTest } from "./workflow-in-test.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await Sandbox.open({ threadsMax: 2 });
});
afterAll(() => sandbox?.close());

const minute = 60_000;
const start = Date.UTC(2030, 0, 1, 8, 0);

const source = (schedule: string) => `
  import { workflow } from "@holdfast/sdk";
  export default workflow({
    name: "orders",
    connections: { shop: { connector: "http", account: "shop" } },
    topics: {},
    producers: {
      poll: {
        schedule: ${schedule},
        handler: async (ctx) => { await ctx.shop.look({ reason: ctx.trigger.reason }); },
      },
    },
  });`;

describe.each(Object.entries(openStores))("a schedule, on %s", (_store, open) => {
  let reasons: string[] = [];
  let look: () => unknown = () => null;

  async function create(schedule: string): Promise<WorkflowInTest> {
    reasons = [];
    look = () => null;
    const clock = { now: start };
    const store = await open(() => clock.now);
    const answer = ({ reason }: Readonly<Record<string, unknown>>) => {
      reasons.push(String(reason));
      return look();
    };
    const world = new ScriptedWorld({ shop: { look: { kind: "read:list", answer } } });
    const it = await WorkflowInTest.create({ store, sandbox, world, clock }, source(schedule));
    await it.live();
    return it;
  }

  async function nextRunAt(it: WorkflowInTest): Promise<number> {
    return ((await it.rows("handlers"))[0]?.nextRunAt ?? Number.NaN) - start;
  }

  test("[R96] of an interval does not drift: a late run leaves the grid where it was", async () => {
    const it = await create(`{ interval: "5m" }`);
    expect(await nextRunAt(it)).toBe(5 * minute);
    it.now = start + 7 * minute;
    await it.live();
    expect(await nextRunAt(it)).toBe(10 * minute);
    it.now = start + 10 * minute;
    await it.live();
    expect(await nextRunAt(it)).toBe(15 * minute);
    expect(reasons).toHaveLength(3);
    await it.expectSound();
  });

  test("[R95] catches up with one run, however much was missed, and nothing piles up", async () => {
    const it = await create(`{ interval: "1m" }`);
    it.now = start + 600 * minute + 30_000;
    await it.live();
    expect(reasons).toEqual(["schedule", "schedule"]);
    expect(await nextRunAt(it)).toBe(601 * minute);
    expect(await it.rows("skipped_firings")).toEqual([]);
    expect(await it.live()).toBeNull();
    await it.expectSound();
  });

  test("[R95] that skips lets what was missed pass, on record, and runs next time", async () => {
    const it = await create(`{ interval: "5m", catchUp: "skip" }`);
    it.now = start + 22 * minute;
    await it.live();
    expect(reasons).toHaveLength(1);
    const skipped = await it.rows("skipped_firings");
    expect(
      skipped.map(({ dueAt, firingCount }) => [(dueAt - start) / minute, firingCount]),
    ).toEqual([
      [5, 1],
      [10, 1],
      [15, 1],
      [20, 1],
    ]);
    const told = await whyOf(it.store, it.workflow, it.workflow, it.now);
    const text = "poll let 4 of its times pass, the last from 2030-01-01 08:20:00 UTC on.";
    const skippedFirings = [{ handler: "poll", count: 4, isMore: false, text }];
    expect(told).toMatchObject({ why: { workflow: { wedges: [], skippedFirings } } });
    const ofPoll = await whyOf(it.store, it.workflow, "poll", it.now);
    expect(ofPoll).toMatchObject({ why: { workflow: { skippedFirings } } });
    expect(await nextRunAt(it)).toBe(25 * minute);
    it.now = start + 25 * minute + 59_000;
    await it.live();
    expect(reasons).toHaveLength(2);
    expect(await nextRunAt(it)).toBe(30 * minute);
    await it.expectSound();
  });

  test("[R95] that skips puts on record what a long pause made it miss", async () => {
    const it = await create(`{ interval: "5m", catchUp: "skip" }`);
    await it.command("pause_workflow", {});
    await it.live();
    it.now = start + 60 * minute;
    await it.command("resume_workflow", {});
    await it.live();
    // The one of this very moment is in time.
    expect(reasons).toHaveLength(2);
    expect(await it.rows("skipped_firings")).toHaveLength(11);
    expect(await nextRunAt(it)).toBe(65 * minute);
    await it.expectSound();
  });

  test("[R95] that missed very much says so in one fact, with a count", async () => {
    const it = await create(`{ interval: "1s", catchUp: "skip" }`);
    it.now = start + 10 * minute;
    await it.live();
    const skipped = await it.rows("skipped_firings");
    expect(skipped.map(({ firingCount }) => firingCount)).toEqual([599]);
    expect(await nextRunAt(it)).toBe(10 * minute + 1_000);
    it.now = start + 7 * 1_440 * minute;
    await it.live();
    expect((await it.rows("skipped_firings")).map(({ firingCount }) => firingCount)).toEqual([
      599, 1_000,
    ]);
    const told = await whyOf(it.store, it.workflow, it.workflow, it.now);
    const text = expect.stringContaining("poll let 1599 or more of its times pass");
    expect(told).toMatchObject({ why: { workflow: { skippedFirings: [{ isMore: true, text }] } } });
    expect(await nextRunAt(it)).toBe(7 * 1_440 * minute + 1_000);
    await it.expectSound();
  });

  test("[R95] of a cron pattern in a time zone is caught up and skipped alike", async () => {
    const it = await create(`{ cron: "0 9 * * *", timeZone: "Europe/Vienna", catchUp: "skip" }`);
    // Nine in Vienna is eight in UTC, which is now: the next one is tomorrow.
    expect(await nextRunAt(it)).toBe(1_440 * minute);
    it.now = start + 3 * 1_440 * minute + 10 * minute;
    await it.live();
    expect(await it.rows("skipped_firings")).toHaveLength(3);
    expect(await nextRunAt(it)).toBe(4 * 1_440 * minute);
    expect(reasons).toHaveLength(1);
    await it.expectSound();
  });

  test("[R96] [R103] goes on from a run that a person asked for", async () => {
    const it = await create(`{ interval: "5m" }`);
    it.now = start + 2 * minute;
    await it.command("run_now", {});
    await it.live();
    expect(reasons).toEqual(["schedule", "manual"]);
    expect(await nextRunAt(it)).toBe(7 * minute);
    const runs = await it.rows("runs");
    expect(runs.map(({ trigger }) => trigger).sort()).toEqual(["manual", "schedule"]);
    await it.expectSound();
  });

  test("[R134] is not lost with a host that died over its run", async () => {
    const it = await create(`{ interval: "5m" }`);
    look = () => {
      throw new HostDies();
    };
    it.now = start + 5 * minute;
    await it.live();
    look = () => null;
    it.now += 60 * minute;
    await it.live();
    // The dead host left a run that was never written down: the next is the same firing's.
    expect(reasons).toEqual(["schedule", "schedule", "schedule"]);
    expect(await nextRunAt(it)).toBe(70 * minute);
    await it.expectSound();
  });

  describe("on a clock that is set", () => {
    test("[R102] back: no firing is run twice, and it goes on when the time has come", async () => {
      const it = await create(`{ interval: "5m" }`);
      it.now = start + 5 * minute;
      await it.live();
      it.now = start - 60 * minute;
      await it.command("pause_workflow", {});
      await it.command("resume_workflow", {});
      await it.live();
      expect(reasons).toHaveLength(2);
      expect(await nextRunAt(it)).toBe(10 * minute);
      const runs = await it.rows("runs");
      for (const { startedAt, endedAt } of runs) expect(endedAt).toBeGreaterThanOrEqual(startedAt);
      it.now = start + 10 * minute;
      await it.live();
      expect(reasons).toHaveLength(3);
      await it.expectSound();
    });

    test("[R102] forward and back again: one run, and no time goes backwards", async () => {
      const it = await create(`{ interval: "5m" }`);
      it.now = start + 1_440 * minute;
      await it.live();
      it.now = start + 6 * minute;
      await it.command("run_now", {});
      await it.live();
      expect(reasons).toEqual(["schedule", "schedule", "manual"]);
      const times = (await it.rows("verdicts")).map(({ answeredAt }) => answeredAt - start);
      expect(Math.max(...times)).toBe(1_440 * minute);
      expect(await nextRunAt(it)).toBe(1_445 * minute);
      await it.expectSound();
    });
  });
});
