import { instantOf } from "./duration.ts";
import type { GivenScript } from "./given-script.ts";
import type { OnPass } from "./host-life.ts";
import type { ScriptedConnections } from "./operations.ts";
import { TestWorld } from "./test-world.ts";
import { WorkflowTest } from "./workflow-test.ts";

export type TestOptions = {
  /** A path or URL, `{ text }`, or `{ entry, files }`. */
  readonly script: GivenScript;
  /** Every operation that the script uses, as `connection → operation`. */
  readonly connections?: ScriptedConnections;
  /** What the clock shows at the beginning. */
  readonly now?: string | number | Date;
  /** Of everything that is left to chance; the same seed gives the same test. */
  readonly seed?: number;
  /** Runs every phase twice, and throws when it does something else the second time. */
  readonly alwaysReplay?: boolean;
  /** So many in one `settle` and no more, so that a workflow that never rests is found. */
  readonly phasesMax?: number;
};

const defaults = {
  connections: {},
  now: "2026-01-05T09:00:00Z",
  seed: 1,
  alwaysReplay: false,
  phasesMax: 10_000,
} as const;

/** Deploys a script to a world of its own, in memory. Nothing has run yet. */
export function testWorkflow(options: TestOptions): Promise<WorkflowTest> {
  return openTest(options, { isOmniscient: false, onPass: () => false });
}

/** `onPass` is asked from the first command after the deployment on. */
export async function openTest(
  options: TestOptions,
  { isOmniscient, onPass }: { readonly isOmniscient: boolean; readonly onPass: OnPass },
): Promise<WorkflowTest> {
  const { script, connections, now, seed, alwaysReplay, phasesMax } = { ...defaults, ...options };
  const world = new TestWorld({ connections, now: instantOf(now), seed, phasesMax });
  let isDeployed = false;
  world.onPass = (boundary) => isDeployed && onPass(boundary);
  const test = await WorkflowTest.open({ world, alwaysReplay, isOmniscient }, script);
  isDeployed = true;
  return test;
}
