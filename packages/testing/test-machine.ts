import { makeDeployable } from "./deployable-script.ts";
import { instantOf } from "./duration.ts";
import { type GivenScript, sourceOf } from "./given-script.ts";
import { MachineTest } from "./machine-test.ts";
import { machineNamed } from "./machines.ts";
import type { ScriptedConnections } from "./operations.ts";
import { ScriptedOutside } from "./scripted-outside.ts";

export type MachineTestOptions = {
  /** A path or URL, `{ text }`, or `{ entry, files }`. */
  readonly script: GivenScript;
  /** Its short name. */
  readonly machine: string;
  /** Services whose operations its steps ask for; only their exact forms count here. */
  readonly connections?: ScriptedConnections;
  /** What a clock in a step shows. */
  readonly now?: string | number | Date;
  /** Of the orders that `everyOrder` draws. */
  readonly seed?: number;
};

const defaults = { connections: {}, now: "2026-01-05T09:00:00Z", seed: 1 } as const;

/** One machine of a script, packed as a deployment does it. There is no host: nothing is sent. */
export async function testMachine<State = unknown, Event = unknown>(
  options: MachineTestOptions,
): Promise<MachineTest<State, Event>> {
  const { script, machine, connections, now, seed } = { ...defaults, ...options };
  const at = instantOf(now);
  const outside = new ScriptedOutside(connections, () => at);
  const { hosted } = await makeDeployable(sourceOf(script), outside);
  const { machines, name } = machineNamed(hosted, machine);
  return new MachineTest<State, Event>({ machines, machine: name, now: at, seed });
}
