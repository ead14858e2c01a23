import { isDeepStrictEqual } from "node:util";
import {
  type CanonicalValue,
  encodeCanonical,
  type HostedScript,
  type Store,
} from "@holdfast/core";
import { addressEvent } from "@holdfast/core/machine";
import { listStates, replayMachines, type ShownState } from "@holdfast/host";
import { TestError } from "./test-error.ts";

/** An instance of a machine as people see it. */
export type SeenCell = Pick<ShownState, "machine" | "key" | "status" | "state" | "waiting"> & {
  /** How many of its effects are not settled. */
  readonly openEffects: number;
};

type Parts = {
  readonly store: Store;
  readonly workflow: string;
  readonly scripts: ReadonlyMap<string, HostedScript>;
};

function kernelParts({ store, workflow, scripts }: Parts) {
  const loadScript = async (hash: string) => {
    const script = scripts.get(hash);
    if (script === undefined) throw new Error(`no script ${hash} was deployed`);
    return script;
  };
  return { store, workflow, loadScript };
}

function hasMachines({ scripts }: Parts): boolean {
  return [...scripts.values()].some(({ machines }) => machines !== undefined);
}

export async function lookAtCells(parts: Parts): Promise<readonly SeenCell[]> {
  if (!hasMachines(parts)) return [];
  const all = await listStates(kernelParts(parts));
  return all.map(({ machine, key, status, state, waiting, openIntents }) => {
    return { machine, key, status, state, waiting, openEffects: openIntents.length };
  });
}

/** Runs the whole journal of its machines again; what is wrong, in words. */
export async function findDivergence(parts: Parts): Promise<readonly string[]> {
  if (!hasMachines(parts)) return [];
  const replayed = await replayMachines(kernelParts(parts));
  if (replayed.ok) return [];
  return [`the machines' journal run again differs (${replayed.code}) at record ${replayed.seq}`];
}

/** By its short name, or by its whole one. */
export function machineNamed({ machines }: HostedScript, wanted: string) {
  const names = [...(machines?.set.machines.keys() ?? [])];
  const isMeant = (name: string) => name === wanted || name.includes(`/${wanted}@`);
  const name = names.findLast(isMeant);
  if (machines !== undefined && name !== undefined) return { machines, name };
  const known = names.length === 0 ? "there is none" : `there are ${names.join(", ")}`;
  throw new TestError("test_invalid", `there is no machine ${wanted}; ${known}`);
}

/** An event for one cell, as a command takes it. Throws what the machine would refuse. */
export function eventFor(
  script: HostedScript,
  given: { readonly machine: string; readonly event: unknown; readonly cell: unknown },
) {
  const { machines, name: machine } = machineNamed(script, given.machine);
  const { set } = machines;
  const value = encodeCanonical(given.event as CanonicalValue);
  const key = given.cell === undefined ? null : encodeCanonical(given.cell as CanonicalValue);
  const addressed = addressEvent(set, { machine, key, value });
  if (addressed.ok) return { machine, key, value };
  const why = `${machine} does not take the event: ${addressed.code} ${addressed.note}`;
  throw new TestError("test_invalid", why);
}

type Watching = {
  readonly onSteps: (count: number) => void;
  /** A host takes what a step throws for a fault of its script; the test is to end with it. */
  readonly onDiffers: (error: TestError) => void;
  readonly twice: boolean;
};

/** Counted, so that a machine that never rests is found; with `twice` each step is run again. */
export function watchedMachines(
  script: HostedScript,
  { onSteps, onDiffers, twice }: Watching,
): HostedScript {
  const { machines } = script;
  if (machines === undefined) return script;
  const run: typeof machines.run = async (chains) => {
    onSteps(chains.length);
    const first = await machines.run(chains);
    if (!twice) return first;
    const second = await machines.run(chains);
    if (isDeepStrictEqual(first, second)) return first;
    const text = "a step of a machine, run again on the same inputs, did something else";
    const error = new TestError("replay_differs", text);
    onDiffers(error);
    throw error;
  };
  return { ...script, machines: { ...machines, run } };
}
