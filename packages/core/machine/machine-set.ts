import type { CompiledSchema, Hash, NamedSchemas, Schema } from "../canonical/index.ts";
import type { CompiledEffect } from "./effect.ts";
import type { EventShape } from "./event-shape.ts";

export type CompiledMachine = {
  /** `<workflow>/<machine>@<n>`: state follows this name from version to version. */
  readonly name: string;
  readonly hash: Hash;
  readonly state: CompiledSchema;
  readonly event: EventShape;
  readonly key: CompiledSchema | null;
  readonly annotations: CompiledSchema | null;
  readonly context: boolean;
  readonly effects: ReadonlySet<string>;
  /** Whether it has a function for states of another schema. */
  readonly migrates: boolean;
};

/** One machine that gets its copy of an event, and how. */
export type Route = {
  readonly machine: CompiledMachine;
  /** The schema under which the event fits the machine's own. */
  readonly wrapAs: string | null; // null = as it is
  readonly keyPath: readonly string[] | null; // null = the machine has one cell
  /** Whether the path begins at the wrapped value: so for subscriptions to a whole family. */
  readonly keyInWrapped: boolean;
};

/** Everything the kernel knows of one version of a workflow. */
export type MachineSet = {
  readonly workflow: string;
  readonly manifestHash: Hash;
  readonly moduleVersion: string;
  readonly names: NamedSchemas;
  readonly topics: ReadonlyMap<string, CompiledTopic>;
  readonly machines: ReadonlyMap<string, CompiledMachine>;
  readonly effects: ReadonlyMap<string, CompiledEffect>;
  readonly routes: ReadonlyMap<string, readonly Route[]>;
};

export type CompiledTopic = { readonly schema: Schema; readonly compiled: CompiledSchema };
