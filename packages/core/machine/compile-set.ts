import {
  compileSchema,
  innerSchemas,
  type NamedSchemas,
  type Schema,
  SchemaError,
} from "../canonical/index.ts";
import { compileMachine } from "./compile-machine.ts";
import { compileRoutes } from "./compile-routes.ts";
import type {
  SetDeclaration,
  SetProblem,
  SetProblemCode,
  TopicDeclaration,
} from "./declaration.ts";
import { type CompiledEffect, compileEffect, type EffectDeclaration } from "./effect.ts";
import { hostEffects } from "./host-effects.ts";
import { hostSchemas } from "./host-schemas.ts";
import type { CompiledMachine, CompiledTopic, MachineSet } from "./machine-set.ts";
import { isDefinitionName, isHostName, isIntegerLike } from "./names.ts";

export type CompiledSet =
  | { readonly ok: true; readonly set: MachineSet }
  | { readonly ok: false; readonly problems: readonly SetProblem[] };

/** Collects problems, so that an author sees all of them at once. */
export class Problems {
  readonly list: SetProblem[] = [];

  add(code: SetProblemCode, at: string, note: string): void {
    this.list.push({ code, at, note });
  }

  /** Null after noting that a schema inside did not compile. */
  trying<T>(at: string, make: () => T): T | null {
    try {
      return make();
    } catch (error) {
      if (!(error instanceof SchemaError)) throw error;
      this.add("schema_invalid", at, error.message);
      return null;
    }
  }
}

/** Checks everything that can be known before an event comes. */
export function compileSet(declaration: SetDeclaration): CompiledSet {
  const problems = new Problems();
  const names = namesOf(declaration.topics, problems);
  const topics = compileTopics(declaration.topics, names, problems);
  const effects = compileEffects(declaration.effects, problems);
  const machines = new Map<string, CompiledMachine>();
  for (const each of declaration.machines) {
    const machine = compileMachine(declaration.workflow, each, { names, effects, problems });
    if (machine === null) continue;
    if (machines.has(machine.name)) problems.add("name_twice", machine.name, "a machine");
    machines.set(machine.name, machine);
  }
  const routes = compileRoutes(declaration, { machines, topics, names, problems });
  if (problems.list.length > 0) return { ok: false, problems: problems.list };
  const { workflow, manifestHash, moduleVersion } = declaration;
  return {
    ok: true,
    set: { workflow, manifestHash, moduleVersion, names, topics, machines, effects, routes },
  };
}

/** The schema of a topic has the topic's name; the host's have theirs. */
function namesOf(topics: readonly TopicDeclaration[], problems: Problems): NamedSchemas {
  const names = new Map(hostSchemas);
  const seen = new Set<string>();
  for (const { name, schema } of topics) {
    if (isHostName(name)) problems.add("name_reserved", name, "sys/ is the host's");
    if (isIntegerLike(name)) problems.add("name_malformed", name, "a number is no name");
    if (seen.has(name)) problems.add("name_twice", name, "a topic");
    seen.add(name);
    if (schema !== null && !isHostName(name)) names.set(name, schema);
  }
  return names;
}

/** Topics that no machine can use, having no schema or json in it, are left out. */
function compileTopics(
  topics: readonly TopicDeclaration[],
  names: NamedSchemas,
  problems: Problems,
): ReadonlyMap<string, CompiledTopic> {
  const compiled = new Map<string, CompiledTopic>();
  for (const { name, schema } of topics) {
    if (schema === null) continue;
    const made = problems.trying(name, () => compileSchema(schema, { names, rootName: "event" }));
    if (made === null || hasJson(made.schema, names)) continue;
    compiled.set(name, { schema: made.schema, compiled: made });
  }
  return compiled;
}

function compileEffects(
  declarations: readonly EffectDeclaration[],
  problems: Problems,
): ReadonlyMap<string, CompiledEffect> {
  const effects = new Map(hostEffects.map((effect) => [effect.name, effect]));
  for (const declaration of declarations) {
    const { name } = declaration;
    if (!isDefinitionName(name)) problems.add("name_malformed", name, "an effect");
    if (isHostName(name)) problems.add("name_reserved", name, "sys/ is the host's");
    if (effects.has(name)) problems.add("name_twice", name, "an effect");
    const effect = problems.trying(name, () => compileEffect(declaration, null));
    if (effect === null) continue;
    const schemas = [effect.params, effect.receipt, effect.error].map(({ schema }) => schema);
    if (schemas.some((schema) => hasJson(schema, new Map()))) {
      problems.add("schema_has_json", name, "a machine's values are exact");
    }
    effects.set(name, effect);
  }
  return effects;
}

/** Json may hold fractions, which are not the same everywhere. Refs must have been checked. */
export function hasJson(schema: Schema, names: NamedSchemas): boolean {
  if (schema.type === "json") return true;
  if (schema.type === "ref") {
    const target = names.get(schema.name);
    return target !== undefined && hasJson(target, names);
  }
  return innerSchemas(schema).some(([, inner]) => hasJson(inner, names));
}
