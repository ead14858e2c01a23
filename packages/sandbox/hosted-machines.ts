import type { Hash, HostedMachines, PhaseCall, PhaseResult } from "@holdfast/core";
import {
  closeStepReturn,
  compileSet,
  type MachineSet,
  openStepCall,
  readTagged,
  type StepAnswer,
  type StepCall,
  seedOf,
  taggedText,
} from "@holdfast/core/machine";
import type { Manifest } from "./manifest/manifest.ts";
import type { LoadedScript, Sandbox } from "./sandbox.ts";

type Version = {
  readonly manifest: Manifest;
  /** Of the whole version: what the machines' journal names it by. */
  readonly hash: Hash;
};

/** The machines of a loaded script; null = it has none. Throws for a set that cannot be run. */
export function hostedMachines(
  sandbox: Sandbox,
  script: LoadedScript,
  { manifest, hash }: Version,
): HostedMachines | null {
  if (manifest.machines.length === 0) return null;
  const compiled = compileSet({
    workflow: manifest.name,
    manifestHash: hash,
    moduleVersion: script.codeHash,
    topics: manifest.topics,
    machines: manifest.machines,
    effects: manifest.effects ?? [],
  });
  if (!compiled.ok) {
    const [problem] = compiled.problems;
    throw new Error(`Its machines cannot be run: ${problem?.at}: ${problem?.note}`);
  }
  const { set } = compiled;
  const handlers = new Map(
    manifest.machines.map(({ name, version }) => [`${manifest.name}/${name}@${version}`, name]),
  );
  const run = async (calls: readonly StepCall[]) => {
    const asked = calls.map((call) => phaseCall(set, handlers.get(call.machine) ?? "", call));
    return (await sandbox.runSteps(script, asked)).map(answerOf);
  };
  return { set, run };
}

const nsPerMs = 1_000_000n;

/** A step has no powers: what it may know of time and chance is its event's. */
function phaseCall(set: MachineSet, handler: string, call: StepCall): PhaseCall {
  const { state, event, ctx } = openStepCall(set, call);
  return {
    phase: "step",
    handler,
    given: { state: taggedText(state), event: taggedText(event), context: taggedText(ctx) },
    connections: {},
    subscribe: [],
    publishes: [],
    mutateReads: "none",
    now: Number(call.nowNs / nsPerMs),
    seed: Buffer.from(seedOf(call)).toString("hex"),
  };
}

/** What the engine says in words does not get into a record; what a clock did is from outside. */
function answerOf(result: PhaseResult): StepAnswer {
  if (result.kind === "returned") {
    return closeStepReturn(result.value === null ? null : readTagged(result.value));
  }
  if (result.kind === "mutation") throw new Error("A step made a call.");
  const { code, message: note } = result.failure;
  switch (code) {
    case "SCRIPT_FUEL":
      return { kind: "fault", code: "step.fuel", note };
    case "SCRIPT_HEAP":
    case "SCRIPT_STACK":
      return { kind: "fault", code: "step.memory", note };
    case "SCRIPT_VALUE":
    case "SCRIPT_VALUE_SIZE":
      return { kind: "fault", code: "step.output_unreadable", note };
    case "SCRIPT_RUNNING_TIME":
    case "SCRIPT_ENGINE":
      return { kind: "killed", reason: code };
    default:
      return { kind: "fault", code: "step.threw", note };
  }
}
