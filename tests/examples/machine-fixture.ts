/** Runs the machines of an example in memory: its steps as they are, effects as in the box. */
import { http } from "@holdfast/connectors";
import { contentHash, type Schema } from "@holdfast/core/canonical";
import type {
  EffectDeclaration,
  EffectKind,
  MachineDeclaration,
  MachineSet,
} from "@holdfast/core/machine";
import { MachineWorld, type StepFunction, setOf } from "@holdfast/core/machine/testing";
import { effectsOf } from "@holdfast/server/connectors";

/** What `workflow()` and `machine()` leave of a script. */
type Script = {
  readonly name: string;
  readonly topics: { readonly [name: string]: { readonly schema?: Schema } };
  readonly machines: { readonly [name: string]: ScriptMachine };
};

type ScriptMachine = {
  readonly state: Schema;
  readonly event: Schema;
  readonly key?: Schema;
  readonly context?: boolean;
  readonly effects: readonly string[];
  readonly subscribe: readonly { readonly topic: string; readonly key?: string }[];
  readonly step: StepFunction;
};

const text: Schema = { type: "text" };
const record = (fields: { [name: string]: Schema }): Schema => ({ type: "record", fields });

function effect(
  name: string,
  kind: EffectKind,
  params: { [name: string]: Schema },
  receipt: { [name: string]: Schema },
): EffectDeclaration {
  const [module = "", entrypoint = ""] = name.replace(/@\d+$/, "").split("/");
  const executor = { module, moduleHash: contentHash(module), entrypoint };
  const all = record({ connection: text, ...params });
  return { name, kind, params: all, receipt: record(receipt), error: null, executor };
}

/** Those of the box, and one that only a connector of one's own can have. */
const exampleEffects: readonly EffectDeclaration[] = [
  ...effectsOf(http),
  effect("host/exec@1", "mutation", { command: text }, { exit_code: { type: "int" } }),
];

export function worldOf(exported: unknown): MachineWorld {
  return new MachineWorld({ declaration: declarationOf(exported), steps: stepsOf(exported) });
}

/** Another version of what a world runs; it is known there, and not active yet. */
export function versionIn(world: MachineWorld, exported: unknown): MachineSet {
  const set = setOf({ ...declarationOf(exported), moduleVersion: "script-2" });
  world.addSet(set, stepsOf(exported));
  return set;
}

function declarationOf(exported: unknown) {
  const { name, topics, machines } = exported as Script;
  return {
    workflow: name,
    topics: Object.entries(topics).map(([topic, { schema = null }]) => ({ name: topic, schema })),
    machines: Object.entries(machines).map(([machine, each]) => declared(machine, each)),
    effects: exampleEffects,
  };
}

function stepsOf(exported: unknown): { [machine: string]: StepFunction } {
  const { machines } = exported as Script;
  return Object.fromEntries(Object.entries(machines).map(([each, { step }]) => [each, step]));
}

function declared(name: string, machine: ScriptMachine): MachineDeclaration {
  const { state, event, key = null, context = false, effects } = machine;
  const subscribe = machine.subscribe.map(({ topic, key: field = null }) => ({
    topic,
    key: field,
  }));
  return {
    name,
    state,
    event,
    key,
    context,
    annotations: null,
    version: 1,
    effects,
    subscribe,
  };
}
