import type { Hash, Schema } from "../canonical/index.ts";
import type { EffectDeclaration } from "./effect.ts";

/** A machine as a script declares it; lists are in the order of the source. */
export type MachineDeclaration = {
  readonly name: string;
  readonly state: Schema;
  readonly event: Schema;
  readonly key: Schema | null; // null = one cell
  readonly context: boolean;
  readonly annotations: Schema | null;
  readonly version: number;
  readonly effects: readonly string[];
  readonly subscribe: readonly SubscriptionDeclaration[];
  /** Whether it has a function for states of another schema; absent = it has none. */
  readonly migrates?: boolean;
};

export type SubscriptionDeclaration = { readonly topic: string; readonly key: string | null };

export type TopicDeclaration = { readonly name: string; readonly schema: Schema | null };

/** All machines of one version of a workflow, with what they can refer to. */
export type SetDeclaration = {
  readonly workflow: string;
  readonly manifestHash: Hash;
  /** Of the script and of the engine that runs it. */
  readonly moduleVersion: string;
  readonly topics: readonly TopicDeclaration[];
  readonly machines: readonly MachineDeclaration[];
  readonly effects: readonly EffectDeclaration[];
};

/** Why a set cannot be run; `at` says where: a machine, a topic or an effect by name. */
export type SetProblem = {
  readonly code: SetProblemCode;
  readonly at: string;
  readonly note: string;
};

export type SetProblemCode =
  | "name_malformed"
  | "name_twice"
  | "name_reserved"
  | "schema_invalid"
  | "schema_has_json"
  | "event_schema_form"
  | "effect_unknown"
  | "effect_twice"
  | "topic_unknown"
  | "topic_without_schema"
  | "subscription_unfit"
  | "subscription_twice"
  | "key_missing"
  | "key_unexpected"
  | "key_type";
