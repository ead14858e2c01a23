import { encodeCanonical, hashText } from "@holdfast/core";
import { listCells, type ShadowReport, type ShadowRequest, shadowProposal } from "@holdfast/host";
import { Sandbox } from "@holdfast/sandbox";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { MachineInTest, machine } from "./machine-in-test.ts";
import { openStores } from "./open-stores.ts";
import { countingSource, loudSource, ProposalsInTest } from "./proposal-in-test.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await Sandbox.open({ threadsMax: 1, limits: { fuelMax: 200 } });
});
afterAll(() => sandbox.close());

const cellOf = (id: string) => `${machine}::${Buffer.from(encodeCanonical(id)).toString("hex")}`;
const placed = (id: string, say: string) => {
  const value = encodeCanonical({ id, say });
  return { kind: "event", topic: "order.received", value, key: null, messageId: null } as const;
};

async function shadow(
  it: MachineInTest,
  given: Partial<ShadowRequest>,
  number = 1,
): Promise<ShadowReport> {
  const row = await new ProposalsInTest(it).row(number);
  return shadowProposal(it.parts, { row, recent: 0, seeds: [], receipts: new Map(), ...given });
}

const booked = encodeCanonical({ id: "n2", number: 1 });

/** All that is there, to see that nothing is changed. */
async function everything(it: MachineInTest) {
  const { head } = await it.test.store.load(it.test.workflow, []);
  const cells = await listCells(it.parts);
  return { head, cells, sent: it.sent.length, read: it.world.reads.length };
}

describe.each(Object.entries(openStores))("a shadow on %s", (_, open) => {
  test("[M.G-6] [M.G-7] runs recent events under both, and names what ends otherwise", async () => {
    const it = await MachineInTest.begin(sandbox, open);
    for (const id of ["o1", "o2", "o3"]) await it.say(id, "first");
    // What is forked is this and what came after it.
    expect(await it.test.ask("snapshot_machines", {})).toBe("done");
    await it.say("o1", "second");
    await it.say("o2", "book");
    await it.say("o3", "look");
    await new ProposalsInTest(it).propose(loudSource);
    const before = await everything(it);
    const report = await shadow(it, { recent: 3 });
    expect(await everything(it)).toEqual(before);
    expect(report.deltas.map(({ cell }) => cell).sort()).toEqual(
      [cellOf("o1"), cellOf("o2"), cellOf("o3")].sort(),
    );
    const ofFirst = report.deltas.find(({ cell }) => cell === cellOf("o1"));
    expect(ofFirst?.before?.state).toEqual({ log: ["first", "second"], number: null });
    expect(ofFirst?.after?.state).toEqual({ log: ["first", "SECOND"], number: null, loud: true });
    for (const end of [ofFirst?.before, ofFirst?.after]) {
      expect(end?.stateHash).toBe(hashText(encodeCanonical(end?.state ?? null)));
    }
    expect(ofFirst?.changes).toContainEqual({ at: "/log/1", from: "second", to: "SECOND" });
    expect(report.horizon).toMatchObject({
      head: expect.any(Number),
      inputs: 3,
      unanswered: ["shop/book@1", "shop/look@1"],
      isEndless: false,
    });
    expect(report.horizon.forkedAt).toBeLessThan(report.horizon.head);
    expect(report.horizon.claim).toMatch(/it says nothing/);
    await it.expectSound();
  });

  test("[M.G-4] [M.G-5] [M.G-6] answers effects as it is told, and sends nothing", async () => {
    const it = await MachineInTest.begin(sandbox, open);
    await it.say("o1", "wait");
    await new ProposalsInTest(it).propose(loudSource);
    const before = await everything(it);
    const payload = encodeCanonical({ number: 99 });
    const receipts = new Map([
      ["shop/book@1", { status: "ok", payload }],
      ["sys/timer.set@1", { status: "ok", payload: null }],
    ] as const);
    const seeds = [placed("n1", "book"), placed("n2", "look"), placed("n3", "blob")];
    const report = await shadow(it, { seeds, receipts });
    expect(await everything(it)).toEqual(before);
    expect(report.effects.map(({ effect, answered }) => [effect, answered])).toEqual([
      ["shop/book@1", "ok"],
      ["shop/look@1", null],
      ["sys/blob.put@1", "ok"],
      ["sys/blob.get@1", "ok"],
    ]);
    expect(report.effects[0]).toMatchObject({
      cell: cellOf("n1"),
      params: { connection: "shop", id: "n1" },
    });
    expect(report.pending).toMatchObject([{ cell: cellOf("n2"), effect: "shop/look@1" }]);
    expect(report.instances).toContainEqual(
      expect.objectContaining({ cell: cellOf("n1"), status: "completed", openIntents: 0 }),
    );
    expect(report.allowlists).toEqual([
      {
        machine,
        effects: [
          "shop/book@1",
          "shop/look@1",
          "shop/weigh@1",
          "sys/blob.get@1",
          "sys/blob.put@1",
          "sys/timer.set@1",
        ],
      },
    ]);
    expect(report.obstacles).toMatchObject({ items: [{ why: "timer_set", cell: cellOf("o1") }] });
    expect(report.horizon.canned).toEqual(["shop/book@1 ok", "sys/timer.set@1 ok"]);
    await it.expectSound();
  });

  test("[M.G-7] what no machine takes is listed with why, and is no input that ran", async () => {
    const it = await MachineInTest.begin(sandbox, open);
    await it.say("o1", "hello");
    await new ProposalsInTest(it).propose(loudSource);
    const value = encodeCanonical({ id: "n2" });
    const seeds = [
      placed("n1", "hello"),
      { ...placed("n2", "hello"), topic: "nope" },
      { ...placed("n2", "hello"), value },
      { ...placed("n2", "hello"), topic: "order.booked", value: booked },
      { kind: "direct", machine: "nobody", key: null, value } as const,
    ];
    const { horizon, faults } = await shadow(it, { seeds });
    expect(horizon.inputs).toBe(1);
    expect(horizon.claim).toContain("what 1 inputs came to");
    expect(horizon.inputsRefused).toEqual([
      "seeds.1: event.topic_unknown (nope)",
      expect.stringMatching(/^seeds\.2: event\.invalid \(.*say/),
      "seeds.3: no machine takes order.booked",
      "seeds.4: event.machine_unknown (nobody)",
    ]);
    expect(faults).toEqual([]);
  });

  test("[M.G-5] says which steps fail, and which cells the version cannot take", async () => {
    const it = await MachineInTest.begin(sandbox, open);
    await it.say("o1", "hello");
    await new ProposalsInTest(it).propose(countingSource);
    const report = await shadow(it, { seeds: [placed("n1", "throw"), placed("o1", "again")] });
    expect(report.faults).toMatchObject([{ cell: cellOf("n1"), code: "step.threw" }]);
    expect(report.obstacles).toMatchObject({
      counts: { cellsUnfit: 1 },
      items: [{ why: "state_unfit", cell: cellOf("o1") }],
    });
    expect(report.deltas.map(({ cell }) => cell)).toContain(cellOf("o1"));
  });

  test("[M.G-4] [M.G-8] a report is kept with what was tried, and with nothing else", async () => {
    const it = await MachineInTest.begin(sandbox, open);
    const proposals = new ProposalsInTest(it);
    await it.say("o1", "hello");
    await proposals.propose(loudSource);
    const tried = await shadow(it, { recent: 1 });
    const report = encodeCanonical(tried as never);
    const kept = { number: 1, report };
    const ask = (patchHash: string) => it.test.ask("shadow_version", { ...kept, patchHash });
    expect(await ask("sha256:another")).toBe("proposal_differs");
    expect(await ask(tried.patchHash)).toBe("done");
    expect(await proposals.row(1)).toMatchObject({ status: "shadowed", shadowedBy: "ada" });
    expect(await proposals.decide(1, "approve")).toBe("done");
    expect(await ask(tried.patchHash)).toBe("done");
    expect((await proposals.row(1)).status).toBe("approved");
    await it.expectSound();
  });
});
