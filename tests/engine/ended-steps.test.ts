/** Steps that are run again and do not come to their end in time: nothing is known then. */
import { encodeCanonical, type HostedScript } from "@holdfast/core";
import { replayMachines } from "@holdfast/host";
import { Sandbox } from "@holdfast/sandbox";
import { afterAll, beforeAll, expect, test } from "vitest";
import { MachineInTest, machine } from "./machine-in-test.ts";
import { openStores } from "./open-stores.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await Sandbox.open({ threadsMax: 1, limits: { fuelMax: 200 } });
});
afterAll(() => sandbox.close());

/** So many times what is run again is ended by its clock; counted down. */
type Ends = { left: number };

/** The sandbox is so busy that nothing comes to an end which did before. */
function busy(script: HostedScript, ends: Ends): HostedScript {
  if (script.machines === undefined) return script;
  const { runJournal: _, run, ...machines } = script.machines;
  const ended = [
    { answer: { kind: "killed", reason: "SCRIPT_RUNNING_TIME" }, left: null },
  ] as const;
  return {
    ...script,
    machines: {
      ...machines,
      run: async (chains, how) => {
        if (how?.isAgain !== true || ends.left === 0) return run(chains, how);
        ends.left -= 1;
        return chains.map(() => ended);
      },
    },
  };
}

async function looping(): Promise<MachineInTest> {
  const it = await MachineInTest.begin(sandbox, openStores.memory);
  await it.say("o1", "loop");
  expect(await it.status("o1")).toBe("failed");
  return it;
}

test("[M.F-7] a workflow is not stopped because its steps are slow when run again", async () => {
  const it = await looping();
  const ends = { left: 2 };
  it.test.wayToCode = (script) => busy(script, ends);
  await it.say("o2", "a");
  expect(it.test.troubles).toEqual(["STEP_TOO_SLOW", "STEP_TOO_SLOW"]);
  expect(await it.log("o2")).toEqual(["a"]);
  const restart = { machine, key: encodeCanonical("o1"), poison: "drop" };
  expect(await it.test.ask("restart_cell", restart)).toBe("done");
  await it.expectSound();
});

test("[M.F-7] a replay whose steps are too slow finds nothing, neither good nor bad", async () => {
  const it = await looping();
  const loadScript = async (hash: string) => busy(await it.parts.loadScript(hash), { left: 1 });
  const replayed = replayMachines({ ...it.parts, loadScript });
  await expect(replayed).rejects.toMatchObject({ code: "STEP_TOO_SLOW", retry: "safe" });
});
