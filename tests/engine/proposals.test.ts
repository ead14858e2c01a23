import { encodeCanonical } from "@holdfast/core";
import { shadowProposal, showCell, showProposal, summarizeMachines } from "@holdfast/host";
import { Sandbox } from "@holdfast/sandbox";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { MachineInTest, machine } from "./machine-in-test.ts";
import { machineSource } from "./machine-workflow.ts";
import { openStores } from "./open-stores.ts";
import { countingSource, loudSource, ProposalsInTest } from "./proposal-in-test.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await Sandbox.open({ threadsMax: 1, limits: { fuelMax: 200 } });
});
afterAll(() => sandbox.close());

const minuteMs = 60_000;

async function stateOf(it: MachineInTest, id: string): Promise<unknown> {
  return (await showCell(it.parts, { machine, key: encodeCanonical(id) }))?.state;
}

/** What verdicts say, in no order. */
async function notes(it: MachineInTest, pattern: RegExp): Promise<readonly string[]> {
  const verdicts = await it.test.rows("verdicts");
  return verdicts.flatMap(({ note }) => (note !== null && pattern.test(note) ? [note] : []));
}

describe.each(Object.entries(openStores))("proposals on %s", (_, open) => {
  async function begin() {
    const it = await MachineInTest.begin(sandbox, open);
    return { it, proposals: new ProposalsInTest(it) };
  }

  test("[M.G-1] [M.G-2] a version is tried, agreed to and applied, each by its actor", async () => {
    const { it, proposals } = await begin();
    await it.say("o1", "hello");
    expect(await proposals.propose(loudSource, { base: "another" })).toBe("proposal_base_stale");
    it.test.actor = "ann";
    expect(await proposals.propose(loudSource)).toBe("done");
    expect(await proposals.row(1)).toMatchObject({
      status: "submitted",
      changes: [`${machine} is changed`],
      author: "ann",
    });
    expect(await proposals.decide(1, "approve")).toBe("proposal_not_shadowed");
    expect(await proposals.apply(1)).toBe("proposal_not_approved");
    it.test.actor = "bea";
    expect(await proposals.shadow(1)).toBe("done");
    it.test.actor = "cid";
    expect(await proposals.decide(1, "approve")).toBe("done");
    await it.say("o1", "still quiet");
    it.test.actor = "dot";
    expect(await proposals.apply(1)).toBe("done");
    await it.say("o1", "now");
    expect(await it.log("o1")).toEqual(["hello", "still quiet", "NOW"]);
    const people = { author: "ann", shadowedBy: "bea", decidedBy: "cid", askedBy: "dot" };
    expect(await proposals.row(1)).toMatchObject({ status: "applied", ...people });
    expect(await proposals.apply(1)).toBe("proposal_is_final");
    expect(await proposals.decide(1, "reject")).toBe("proposal_is_final");
    expect(await proposals.history()).toEqual([
      "version_activated",
      "version_proposed",
      "version_shadowed",
      "version_decided",
      "apply_asked",
      "version_activated",
      "version_applied",
    ]);
    await it.expectSound();
  });

  test("[M.A-3] [M.A-5] cells and settled memory outlive it, in its form", async () => {
    const { it, proposals } = await begin();
    await it.say("o1", "book");
    await it.say("o2", "hello");
    await it.say("o3", "throw");
    await it.tell("o3", "kept");
    const number = await proposals.agreed(loudSource);
    expect(await it.status("o1")).toBe("completed");
    expect(await proposals.apply(number)).toBe("done");
    expect((await proposals.row(number)).status).toBe("applied");
    expect(await stateOf(it, "o1")).toEqual({
      log: ["book", "shop/book@1 ok"],
      loud: null,
      number: 1,
    });
    expect(await it.status("o3")).toBe("failed");
    await it.test.ask("restart_cell", { machine, key: encodeCanonical("o3"), poison: "drop" });
    expect(await it.log("o3")).toEqual(["KEPT"]);
    await it.say("o2", "again");
    expect(await stateOf(it, "o2")).toMatchObject({ log: ["hello", "AGAIN"], loud: true });
    await it.expectSound();
  });

  test("[M.A-1] [M.A-2] [M.A-4] what is under way is named, and nothing is abandoned", async () => {
    const { it, proposals } = await begin();
    await it.say("o1", "wait");
    await it.say("o2", "hello");
    const number = await proposals.agreed(loudSource);
    expect(await proposals.apply(number)).toBe("done");
    expect(await proposals.row(number)).toMatchObject({ status: "approved", waits: false });
    expect(await proposals.obstacles(number)).toMatchObject({
      counts: { instancesWaiting: 1, intentsOpen: 1, timersSet: 1, cellsUnfit: 0 },
      items: [
        { why: "timer_set", effect: "sys/timer.set@1", next: expect.stringMatching(/fires/) },
      ],
      left: 0,
    });
    await it.say("o2", "quiet");
    it.test.now += minuteMs;
    await it.test.live();
    expect(await it.log("o1")).toEqual(["wait", "sys/timer.set@1 ok"]);
    expect((await proposals.row(number)).status).toBe("approved");
    expect(await proposals.apply(number)).toBe("done");
    expect((await proposals.row(number)).status).toBe("applied");
    await it.say("o2", "loud");
    expect(await it.log("o2")).toEqual(["hello", "quiet", "LOUD"]);
    await it.expectSound();
  });

  test("[M.A-4] one that waits is applied by itself when the last thing is done", async () => {
    const { it, proposals } = await begin();
    await it.say("o1", "wait");
    const number = await proposals.agreed(loudSource);
    expect(await proposals.apply(number, true)).toBe("done");
    expect(await proposals.row(number)).toMatchObject({ status: "approved", waits: true });
    await it.say("o2", "quiet");
    expect((await proposals.history()).filter((kind) => kind === "apply_blocked")).toHaveLength(1);
    it.test.now += minuteMs;
    await it.test.live();
    expect((await proposals.row(number)).status).toBe("applied");
    expect(await it.log("o1")).toEqual(["wait", "sys/timer.set@1 ok"]);
    await it.say("o2", "loud");
    expect(await it.log("o2")).toEqual(["quiet", "LOUD"]);
    await it.expectSound();
  });

  test("[M.A-1] what came before it is served by the version it came under", async () => {
    const { it, proposals } = await begin();
    await it.say("o1", "hello");
    const number = await proposals.agreed(loudSource);
    for (let at = 0; at < 120; at++) await it.tell("o1", `before ${at}`);
    await it.test.command("apply_version", { number, waits: false });
    await it.tell("o2", "before or after");
    await it.test.live();
    expect((await proposals.row(number)).status).toBe("applied");
    const log = (await it.log("o1")) as readonly string[];
    expect(log.filter((word) => word.startsWith("before"))).toHaveLength(120);
    await it.expectSound();
  });

  test("[M.A-5] a host that dies before the swap is durable leaves nothing of it", async () => {
    const { it, proposals } = await begin();
    await it.say("o1", "hello");
    const number = await proposals.agreed(loudSource);
    let refusals = 1;
    it.test.way = (store) =>
      new Proxy(store, {
        get: (target, key) => {
          const value: unknown = Reflect.get(target, key, target);
          if (key !== "commit") return typeof value === "function" ? value.bind(target) : value;
          return async (changes: Parameters<typeof store.commit>[0]) => {
            const isSwap = changes.some(({ records }) =>
              records.some(({ bytes }) => Buffer.from(bytes).includes("version_applied")),
            );
            if (!isSwap || refusals-- <= 0) return target.commit(changes);
            return changes.map(() => ({ kind: "unknown", cause: "as the test wants" }) as const);
          };
        },
      });
    await proposals.apply(number);
    await it.test.live();
    expect(refusals).toBe(-1);
    expect((await proposals.row(number)).status).toBe("applied");
    expect((await proposals.history()).filter((kind) => kind === "version_applied")).toHaveLength(
      1,
    );
    await it.say("o1", "now");
    expect(await it.log("o1")).toEqual(["hello", "NOW"]);
    await it.expectSound();
  });

  test("states that do not fit stand in its way, cell by cell", async () => {
    const { it, proposals } = await begin();
    await it.say("o1", "hello");
    const number = await proposals.agreed(countingSource);
    expect(await proposals.apply(number, true)).toBe("done");
    expect(await proposals.row(number)).toMatchObject({ status: "approved", waits: false });
    const cell = expect.stringContaining(`${machine}::`);
    const next = expect.stringMatching(/number of its own/);
    expect(await proposals.obstacles(number)).toMatchObject({
      counts: { cellsUnfit: 1, intentsOpen: 0 },
      items: [{ why: "state_unfit", cell, next }],
    });
    await it.say("o1", "as before");
    expect(await it.log("o1")).toEqual(["hello", "as before"]);
    await it.expectSound();
  });

  test("[M.G-2] of two against one version the second is stale after the first", async () => {
    const { it, proposals } = await begin();
    await it.say("o1", "wait");
    const [first, second] = [
      await proposals.agreed(loudSource),
      await proposals.agreed(loudSource),
    ];
    expect([first, second]).toEqual([1, 2]);
    expect((await proposals.row(1)).body).toEqual((await proposals.row(2)).body);
    expect(await proposals.apply(first, true)).toBe("done");
    expect(await proposals.apply(second)).toBe("proposal_waits_already");
    it.test.now += minuteMs;
    await it.test.live();
    expect((await proposals.row(first)).status).toBe("applied");
    expect(await proposals.apply(second)).toBe("proposal_base_stale");
    expect(await notes(it, /^base_stale: .* \(2\.0\): propose it anew/)).toHaveLength(1);
    await it.expectSound();
  });

  test("[M.G-2] what is stale says so while it is tried, shown and agreed to", async () => {
    const { it, proposals } = await begin();
    await it.say("o1", "hello");
    const first = await proposals.agreed(loudSource);
    expect(await proposals.propose(loudSource)).toBe("done");
    expect((await showProposal(it.parts, 2))?.obstacles?.items).toEqual([]);
    expect(await proposals.apply(first)).toBe("done");
    const stale = { why: "base_stale", cell: null, next: expect.stringContaining("anew") };
    const row = await proposals.row(2);
    const given = { row, recent: 1, seeds: [], receipts: new Map() };
    expect((await shadowProposal(it.parts, given)).obstacles).toMatchObject({ items: [stale] });
    expect((await showProposal(it.parts, 2))?.obstacles).toMatchObject({ items: [stale] });
    await proposals.shadow(2);
    expect(await proposals.decide(2, "approve")).toBe("done");
    expect(await notes(it, /^approved, but it cannot be applied: base_stale/)).toHaveLength(1);
    expect(await proposals.decide(2, "reject")).toBe("done");
    expect(await notes(it, /stale/)).toHaveLength(1);
    await it.expectSound();
  });

  test("[M.G-2] one that waits hears that another version became active", async () => {
    const { it, proposals } = await begin();
    await it.say("o1", "wait");
    const number = await proposals.agreed(loudSource);
    expect(await proposals.apply(number, true)).toBe("done");
    await it.test.deploy(machineSource.replace("default: return { state: next }", mended));
    await it.test.live();
    expect(await proposals.row(number)).toMatchObject({ status: "approved", waits: false });
    expect(await proposals.obstacles(number)).toMatchObject({ items: [{ why: "base_stale" }] });
    await it.say("o2", "hello");
    expect(await it.log("o2")).toEqual(["hello!"]);
    await it.expectSound();
  });

  test("[M.G-8] proposals outlive snapshots and hosts, and no number is used again", async () => {
    const { it, proposals } = await begin();
    await it.say("o1", "hello");
    const number = await proposals.agreed(loudSource);
    await proposals.propose(loudSource);
    const before = await it.test.rows("proposals");
    expect(before.map((each) => [each.number, each.status])).toEqual([
      [1, "approved"],
      [2, "submitted"],
    ]);
    expect(await it.test.ask("snapshot_machines", {})).toBe("done");
    await it.say("o1", "after the snapshot");
    expect(await it.test.rows("proposals")).toEqual(before);
    expect(await proposals.decide(number, "reject")).toBe("done");
    await proposals.propose(loudSource);
    const numbers = (await it.test.rows("proposals")).map((each) => each.number);
    expect(numbers).toEqual([1, 2, 3]);
    expect(await proposals.row(2)).toEqual(before[1]);
    await it.expectSound();
  });

  test("[M.G-1] a rejected proposal is not applied, though somebody waits for it", async () => {
    const { it, proposals } = await begin();
    await it.say("o1", "wait");
    const number = await proposals.agreed(loudSource);
    await proposals.apply(number, true);
    expect(await proposals.decide(number, "reject")).toBe("done");
    it.test.now += minuteMs;
    await it.test.live();
    expect((await proposals.row(number)).status).toBe("rejected");
    await it.say("o2", "hello");
    expect(await it.log("o2")).toEqual(["hello"]);
    await it.expectSound();
  });
});

const mended = 'default: return { state: { ...next, log: log(say + "!") } }';

test("a deployment that leaves machines what they are is active at once", async () => {
  const it = await MachineInTest.begin(sandbox, openStores.memory);
  const proposals = new ProposalsInTest(it);
  await it.say("o1", "hello");
  await it.test.deploy(machineSource.replace("default: return { state: next }", mended));
  await it.say("o1", "mended");
  expect(await it.log("o1")).toEqual(["hello", "mended!"]);
  expect(await it.test.rows("proposals")).toEqual([]);
  await it.test.deploy(loudSource, { isMajor: true });
  await it.say("o1", "proposed");
  expect(await it.log("o1")).toEqual(["hello", "mended!", "proposed!"]);
  expect(await proposals.row(1)).toMatchObject({ status: "submitted", author: "ada" });
  const verdicts = await it.test.rows("verdicts");
  expect(verdicts.map(({ note }) => note)).toContain(
    `proposal 1 (${machine} is changed): shadow it, approve it, apply it`,
  );
  await it.expectSound();
});

test("[M.K7.8-6] proposals are counted by their status, however many there were", async () => {
  const it = await MachineInTest.begin(sandbox, openStores.memory);
  const proposals = new ProposalsInTest(it);
  await it.say("o1", "hello");
  const all = 203;
  for (let at = 0; at < all; at++) expect(await proposals.propose(loudSource)).toBe("done");
  await proposals.shadow(1);
  await proposals.shadow(2);
  await proposals.decide(2, "reject");
  const counted = { submitted: all - 2, shadowed: 1, rejected: 1 };
  expect((await summarizeMachines(it.parts)).proposals).toEqual(counted);
});
