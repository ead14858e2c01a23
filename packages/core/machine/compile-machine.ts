import {
  type CompiledSchema,
  compileSchema,
  contentHash,
  type NamedSchemas,
  type Schema,
} from "../canonical/index.ts";
import { hasJson, type Problems } from "./compile-set.ts";
import type { MachineDeclaration } from "./declaration.ts";
import type { CompiledEffect } from "./effect.ts";
import { shapeOf } from "./event-shape.ts";
import type { CompiledMachine } from "./machine-set.ts";
import { isDefinitionName, machineName } from "./names.ts";

export type Known = {
  readonly names: NamedSchemas;
  readonly effects: ReadonlyMap<string, CompiledEffect>;
  readonly problems: Problems;
};

/** Null = wrong, and noted. */
export function compileMachine(
  workflow: string,
  declaration: MachineDeclaration,
  known: Known,
): CompiledMachine | null {
  const { names, problems } = known;
  const name = machineName({ workflow, machine: declaration.name, version: declaration.version });
  if (!isDefinitionName(name)) problems.add("name_malformed", name, "a machine");
  checkEffects(name, declaration.effects, known);
  const compile = (schema: Schema, rootName: string) =>
    compileExact(`${name} ${rootName}`, schema, { rootName, names, problems });
  const optional = (schema: Schema | null, rootName: string) =>
    schema === null ? null : compile(schema, rootName);
  const state = compile(declaration.state, "state");
  const key = optional(declaration.key, "key");
  const annotations = optional(declaration.annotations, "annotations");
  const event = problems.trying(`${name} event`, () =>
    shapeOf(declaration.event, { machine: name, names }),
  );
  if (event === null) {
    const note = "a ref, a record, or a variant of refs, each schema once";
    problems.add("event_schema_form", name, note);
  }
  if (state === null || event === null) return null;
  if (hasJson(declaration.event, names)) problems.add("schema_has_json", `${name} event`, "json");
  const hash = definitionHash(name, declaration);
  const effects = new Set(declaration.effects);
  const { context, migrates = false } = declaration;
  return { name, hash, state, event, key, annotations, context, effects, migrates };
}

function compileExact(
  at: string,
  schema: Schema,
  options: {
    readonly rootName: string;
    readonly names: NamedSchemas;
    readonly problems: Problems;
  },
): CompiledSchema | null {
  const { rootName, names, problems } = options;
  const compiled = problems.trying(at, () => compileSchema(schema, { names, rootName }));
  if (compiled !== null && hasJson(compiled.schema, names)) {
    problems.add("schema_has_json", at, "a machine's values are exact");
  }
  return compiled;
}

function checkEffects(name: string, effects: readonly string[], known: Known): void {
  const seen = new Set<string>();
  for (const effect of effects) {
    if (seen.has(effect)) known.problems.add("effect_twice", name, effect);
    seen.add(effect);
    if (!known.effects.has(effect)) known.problems.add("effect_unknown", name, effect);
  }
}

/** The machine's identity in intents: what it declares, not where it is subscribed. */
export function definitionHash(name: string, declaration: MachineDeclaration) {
  const { state, event, key, context, annotations, effects } = declaration;
  return contentHash({ name, state, event, key, context, annotations, effects });
}
