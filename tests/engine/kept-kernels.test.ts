import { type HostedScript, policyDefaults } from "@holdfast/core";
import { KeptKernels, listCells, listIntents, pageCells, showMachines } from "@holdfast/host";
import { Sandbox } from "@holdfast/sandbox";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { MachineInTest } from "./machine-in-test.ts";
import { openStores } from "./open-stores.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await Sandbox.open({ threadsMax: 1, limits: { fuelMax: 200 } });
});
afterAll(() => sandbox.close());

const all = { machine: null, after: null, limit: 500, status: null, text: null } as const;

/** The parts of a reader, and how many steps it had run. */
function readerOf(it: MachineInTest) {
  const reader = { steps: 0 };
  const loadScript = async (hash: string): Promise<HostedScript> => {
    const script = await it.parts.loadScript(hash);
    const { machines } = script;
    if (machines === undefined) return script;
    const run: typeof machines.run = (chains) => {
      reader.steps += chains.flat().length;
      return machines.run(chains);
    };
    return { ...script, machines: { ...machines, run } };
  };
  return { reader, parts: { ...it.parts, loadScript, kernels: new KeptKernels() } };
}

const byName = (cells: readonly { readonly cell: string }[]) =>
  cells.toSorted((left, right) => (left.cell < right.cell ? -1 : 1));

describe.each(Object.entries(openStores))("a kernel that is kept to be read, on %s", (_, open) => {
  test("[M.K7.8-3] says at every turn what one that is opened anew says", async () => {
    const it = await MachineInTest.begin(sandbox, open);
    it.test.policy = { ...policyDefaults, machineSnapshotRecords: 30 };
    const { parts } = readerOf(it);
    const words = ["hello", "book", "throw", "end", "done"];
    for (let at = 0; at < 25; at++) {
      await it.tell(`o${at % 6}`, words[at % words.length] ?? "");
      if (at % 3 === 0) await it.test.live();
      const { items } = await pageCells(parts, all);
      expect(byName(items)).toEqual(byName(await listCells(it.parts)));
      expect(await listIntents(parts)).toEqual(await listIntents(it.parts));
      expect(await showMachines(parts)).toEqual(await showMachines(it.parts));
    }
  });
});

test("a kernel that is kept runs what came since, and nothing twice", async () => {
  const it = await MachineInTest.begin(sandbox, openStores.memory);
  const { reader, parts } = readerOf(it);
  for (let at = 0; at < 20; at++) await it.tell(`o${at}`, "hello");
  await it.test.live();
  await Promise.all([pageCells(parts, all), showMachines(parts), listIntents(parts)]);
  expect(reader.steps).toBe(20);
  await it.say("o1", "more");
  await Promise.all([pageCells(parts, all), showMachines(parts)]);
  expect(reader.steps).toBe(21);
});

test("what broke off is opened anew, and holds nobody up", async () => {
  const it = await MachineInTest.begin(sandbox, openStores.memory);
  await it.say("o1", "hello");
  const { reader, parts } = readerOf(it);
  await showMachines(parts);
  expect(reader.steps).toBe(1);
  const broken = parts.kernels.read(parts, async () => {
    throw new Error("broken off");
  });
  await expect(broken).rejects.toThrow("broken off");
  expect((await pageCells(parts, all)).items).toHaveLength(1);
  expect(reader.steps).toBe(2);
});
