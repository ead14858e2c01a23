/** What a proposal does to definitions, said as operations on those it was made against. */
import { showProposal } from "@holdfast/host";
import { Sandbox } from "@holdfast/sandbox";
import { afterAll, beforeAll, expect, test } from "vitest";
import { MachineInTest, machine } from "./machine-in-test.ts";
import { machineSource } from "./machine-workflow.ts";
import { openStores } from "./open-stores.ts";
import { loudSource, ProposalsInTest } from "./proposal-in-test.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await Sandbox.open({ threadsMax: 1, limits: { fuelMax: 200 } });
});
afterAll(() => sandbox.close());

/** The machine under another number, with a topic more and one effect fewer. */
const renumberedSource = machineSource
  .replace('"order.booked": {', '"order.noted": { schema: order }, $&')
  .replace("key: schema.text(),\n        context: true,", "version: 2, $&")
  .replace('{ topic: "order.received", key: "id" }', '$&, { topic: "order.noted", key: "id" }')
  .replace("Frame: continuation.frame,", '$& Noted: schema.ref("order.noted", order),')
  .replace('"sys/blob.put@1", "sys/blob.get@1",', '"sys/blob.put@1",');

const hash = expect.stringMatching(/^sha256:/);

test("[M.G-3] a proposal is shown as operations, each with what it finds and leaves", async () => {
  const it = await MachineInTest.begin(sandbox, openStores.memory);
  const proposals = new ProposalsInTest(it);
  await it.say("o1", "hello");
  const [active] = await it.test.rows("workflows");
  expect(await proposals.propose(loudSource)).toBe("done");
  const shown = await showProposal(it.parts, 1);
  expect(shown).toMatchObject({
    base: active?.scriptHash,
    patchHash: (await proposals.row(1)).body.hash,
    patch: {
      ops: [{ op: "replace_def", kind: "machine", name: machine, preHash: hash, hash }],
      definitions: { added: [], removed: [], changed: [machine] },
      sections: ["code", "machines"],
    },
  });
  expect(shown?.patch.ops[0]?.preHash).not.toBe(shown?.patch.ops[0]?.hash);
  expect(await proposals.propose(renumberedSource)).toBe("done");
  const second = (await showProposal(it.parts, 2))?.patch;
  expect(second?.definitions).toEqual({
    added: ["orders/order@2", "order.noted"],
    removed: [machine],
    changed: [],
  });
  expect(second?.sections).toEqual(["code", "machines", "routing", "topics"]);
  expect(second?.ops).toContainEqual({
    op: "set_subscriptions",
    kind: "topic",
    name: "order.received",
    preHash: hash,
    hash,
  });
  expect(second?.ops).toContainEqual(
    expect.objectContaining({ op: "remove_def", name: machine, preHash: hash, hash: null }),
  );
});

test("[M.G-3] on another base, or of another hash, nothing is taken", async () => {
  const it = await MachineInTest.begin(sandbox, openStores.memory);
  const proposals = new ProposalsInTest(it);
  await it.say("o1", "hello");
  expect(await proposals.propose(loudSource, { base: "another" })).toBe("proposal_base_stale");
  expect(await proposals.propose(loudSource)).toBe("done");
  await proposals.shadow(1);
  const body = { number: 1, patchHash: "sha256:of another", says: "approve", reason: null };
  expect(await it.test.ask("decide_version", body)).toBe("proposal_differs");
  const mended = "default: return { state: { ...next, log: log(say) } }";
  await it.test.deploy(machineSource.replace("default: return { state: next }", mended));
  await proposals.decide(1, "approve");
  expect(await proposals.apply(1)).toBe("proposal_base_stale");
  expect(await it.log("o1")).toEqual(["hello"]);
  // What it was made against is what it is compared with, whatever is active now.
  expect((await showProposal(it.parts, 1))?.patch.definitions.changed).toEqual([machine]);
});
