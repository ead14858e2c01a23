/** A version with a function for the states that were left: tried first, then meant. */
import { encodeCanonical, policyDefaults } from "@holdfast/core";
import { listCells, replayMachines, shadowProposal, showCell } from "@holdfast/host";
import { Sandbox } from "@holdfast/sandbox";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { MachineInTest, machine } from "./machine-in-test.ts";
import { openStores } from "./open-stores.ts";
import { migratingSource, ProposalsInTest, thirdSource } from "./proposal-in-test.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await Sandbox.open({ threadsMax: 1, limits: { fuelMax: 200 } });
});
afterAll(() => sandbox.close());

const minuteMs = 60_000;
const cellOf = (id: string) => `${machine}::${Buffer.from(encodeCanonical(id)).toString("hex")}`;

async function stateOf(it: MachineInTest, id: string): Promise<unknown> {
  return (await showCell(it.parts, { machine, key: encodeCanonical(id) }))?.state;
}

describe.each(Object.entries(openStores))("a migration on %s", (_, open) => {
  async function begin() {
    const it = await MachineInTest.begin(sandbox, open);
    return { it, proposals: new ProposalsInTest(it) };
  }

  test("[M.A-5] [M.G-6] is tried cell by cell, and comes with its version", async () => {
    const { it, proposals } = await begin();
    await it.say("o1", "hello");
    await it.say("o2", "book");
    const number = await proposals.agreed(migratingSource);
    const before = await listCells(it.parts);
    const row = await proposals.row(number);
    const given = { row, recent: 0, seeds: [], receipts: new Map() };
    const report = await shadowProposal(it.parts, given);
    expect(report.obstacles.items).toEqual([]);
    expect(report.deltas.map(({ cell }) => cell).sort()).toEqual([cellOf("o1"), cellOf("o2")]);
    expect(report.deltas.find(({ cell }) => cell === cellOf("o1"))).toMatchObject({
      before: { state: { log: ["hello"], number: null } },
      after: { state: { log: ["hello", "was o1"], number: null, loud: false } },
    });
    expect(await listCells(it.parts)).toEqual(before);
    expect(await proposals.apply(number)).toBe("done");
    expect((await proposals.row(number)).status).toBe("applied");
    const log = ["book", "shop/book@1 ok", "was o2"];
    expect(await stateOf(it, "o2")).toEqual({ log, number: 1, loud: false });
    expect(await it.status("o2")).toBe("completed");
    await it.say("o1", "again");
    expect(await it.log("o1")).toEqual(["hello", "was o1", "AGAIN"]);
    await it.expectSound();
  });

  test.each([
    ["unheard of", /step\.threw: .*nothing comes of it/],
    ["endless", /step\.fuel/],
    ["misfit", /does not fit/],
    ["ended", /no state/],
  ])(
    "[M.A-5] a cell of which nothing comes (%s) is named, and all stay as they are",
    async (word, why) => {
      const { it, proposals } = await begin();
      await it.say("o1", "hello");
      await it.say("o2", word);
      const number = await proposals.agreed(migratingSource);
      const row = await proposals.row(number);
      const given = { row, recent: 1, seeds: [], receipts: new Map() };
      const named = {
        why: "migration_failed",
        cell: cellOf("o2"),
        note: expect.stringMatching(why),
      };
      const { obstacles } = await shadowProposal(it.parts, given);
      expect(obstacles).toMatchObject({ counts: { cellsUnfit: 1 }, items: [named] });
      const before = await listCells(it.parts);
      expect(await proposals.apply(number, true)).toBe("done");
      expect(await proposals.row(number)).toMatchObject({ status: "approved", waits: false });
      expect(await proposals.obstacles(number)).toMatchObject({ items: [named], left: 0 });
      expect(await listCells(it.parts)).toEqual(before);
      await it.say("o1", "as before");
      expect(await it.log("o1")).toEqual(["hello", "as before"]);
      await it.expectSound();
    },
  );

  test("[M.A-1] [M.K7.7-4] waits for what is open, and replays from every snapshot", async () => {
    const { it, proposals } = await begin();
    it.test.policy = { ...policyDefaults, machineSnapshotRecords: 4, machineResidentBytesMax: 1 };
    await it.say("o1", "wait");
    for (let at = 0; at < 40; at++) await it.tell(`many ${at}`, "a word that takes some room");
    await it.test.live();
    const number = await proposals.agreed(migratingSource);
    expect(await proposals.apply(number, true)).toBe("done");
    await it.say("late", "still before");
    expect((await proposals.row(number)).status).toBe("approved");
    it.test.now += minuteMs;
    await it.test.live();
    expect((await proposals.row(number)).status).toBe("applied");
    expect(await it.log("late")).toEqual(["still before", "was late"]);
    expect(await it.log("o1")).toEqual(["wait", "sys/timer.set@1 ok", "was o1"]);
    await it.say("many 3", "after");
    const before = await replayMachines(it.parts);
    await it.say("many 39", "after");
    expect(await it.log("many 39")).toEqual([
      "a word that takes some room",
      "was many 39",
      "AFTER",
    ]);
    expect(before).toMatchObject({ ok: true });
    await it.expectSound();
  });

  test("[M.G-6] a shadow from before the active version goes through that one", async () => {
    const { it, proposals } = await begin();
    await it.say("o1", "hello");
    await it.say("o2", "hello");
    await proposals.apply(await proposals.agreed(migratingSource));
    await it.say("o1", "again");
    await proposals.propose(thirdSource);
    const row = await proposals.row(2);
    const given = { row, recent: 2, seeds: [], receipts: new Map() };
    const report = await shadowProposal(it.parts, given);
    expect(report.obstacles.items).toEqual([]);
    expect(report.deltas).toContainEqual(
      expect.objectContaining({
        cell: cellOf("o1"),
        after: expect.objectContaining({
          state: { log: ["hello", "was o1", "AGAIN"], number: null, loud: "very" },
        }),
      }),
    );
    await proposals.apply(await proposals.agreed(thirdSource));
    expect(await stateOf(it, "o1")).toMatchObject({ loud: "true" });
    await it.expectSound();
  });

  test("[M.E-6] no migration leaves a state that no step could have left", async () => {
    const { it, proposals } = await begin();
    await it.say("large", "hello");
    await proposals.apply(await proposals.agreed(migratingSource));
    const number = await proposals.agreed(thirdSource);
    await proposals.apply(number);
    expect(await proposals.obstacles(number)).toMatchObject({
      items: [{ why: "migration_failed", note: expect.stringMatching(/bytes/) }],
    });
    expect(await it.log("large")).toEqual(["hello", "was large"]);
  });
});
