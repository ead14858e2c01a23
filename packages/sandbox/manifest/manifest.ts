import type { Schema } from "@holdfast/core/canonical";
import type { EffectDeclaration } from "@holdfast/core/machine";

/**
 * What a script declares, as data. Lists keep the order of the source: it decides in which order
 * machines get their copies of an event.
 */
export type Manifest = {
  readonly name: string;
  readonly connections: readonly ConnectionDeclaration[];
  /** Absent = it was deployed when there were none, or has none. */
  readonly secrets?: readonly SecretDeclaration[];
  readonly topics: readonly TopicDeclaration[];
  readonly producers: readonly ProducerDeclaration[];
  readonly consumers: readonly ConsumerDeclaration[];
  readonly jobs: readonly JobDeclaration[];
  readonly machines: readonly MachineDeclaration[];
  /** Operations of connectors that its machines may ask for, as they were when it was deployed. */
  readonly effects?: readonly EffectDeclaration[];
  readonly operations: readonly OperationUse[];
  readonly forms: readonly HandlerForms[];
};

export type ConnectionDeclaration = {
  readonly name: string;
  readonly connector: string;
  readonly account: string | null; // null = the only account of that connector
};

/** A name in calls for what the host keeps under another. */
export type SecretDeclaration = {
  readonly name: string;
  readonly binding: string;
  readonly digest: string | null; // null = whatever stands there
};

export type TopicDeclaration = {
  readonly name: string;
  readonly schema: Schema | null;
  readonly observed: boolean; // its events are consumed when published, for people to see
};

export type CatchUp = "once" | "skip";

/** What starts a producer or a job. */
export type Start =
  | { readonly kind: "interval"; readonly everyMs: number; readonly catchUp: CatchUp }
  | {
      readonly kind: "cron";
      readonly cron: string;
      readonly timeZone: string | null; // null = UTC
      readonly catchUp: CatchUp;
    }
  | { readonly kind: "webhook"; readonly options: Readonly<Record<string, string>> }
  | { readonly kind: "topics"; readonly subscribe: readonly string[] }
  | { readonly kind: "manual" };

export type ProducerDeclaration = {
  readonly name: string;
  readonly start: Start;
  readonly publishes: readonly string[] | null; // null = any topic of the script
};

export type ConsumerDeclaration = {
  readonly name: string;
  readonly subscribe: readonly string[];
  readonly publishes: readonly string[] | null;
  readonly mutate: boolean; // whether the phase has code
  readonly next: boolean;
  readonly mutateReads: "none" | "byId";
  readonly onMutationFailed: "prepare" | "replay";
};

export type JobDeclaration = {
  readonly name: string;
  readonly start: Start;
  readonly publishes: readonly string[] | null;
};

export type MachineDeclaration = {
  readonly name: string;
  readonly state: Schema;
  readonly event: Schema;
  readonly key: Schema | null; // null = one cell
  readonly context: boolean;
  readonly annotations: Schema | null;
  readonly version: number;
  readonly effects: readonly string[];
  readonly subscribe: readonly { readonly topic: string; readonly key: string | null }[];
  /** Whether it has a function for states of another schema; absent = it has none. */
  readonly migrates?: boolean;
};

export type HandlerPhase = "producer" | "prepare" | "mutate" | "next" | "job" | "step";

/** One place in the source that uses an operation of a connection. */
export type OperationUse = {
  readonly connection: string;
  readonly operation: string;
  readonly handler: string;
  readonly phase: HandlerPhase;
  readonly file: string;
  readonly line: number;
  readonly column: number;
};

/** How a handler's code makes what things are known by, one text each. */
export type HandlerForms = { readonly handler: string; readonly forms: readonly string[] };

export const emptyManifest: Manifest = {
  name: "",
  connections: [],
  topics: [],
  producers: [],
  consumers: [],
  jobs: [],
  machines: [],
  operations: [],
  forms: [],
};
