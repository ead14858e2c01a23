import type { Schema } from "../canonical/index.ts";
import type { HandlerKind, Instant, OnMutationFailed } from "../view/rows.ts";

export type TopicDeclaration = {
  readonly name: string;
  readonly subscriber: string | null;
  readonly observed: boolean;
  /** Every payload is checked against it before anything is stored; null = anything goes. */
  readonly schema: Schema | null;
  /** Machines get a copy of its events; absent = none do. */
  readonly machines?: boolean | null;
};

export type HandlerDeclaration = {
  readonly name: string;
  readonly kind: HandlerKind;
  readonly subscribe: readonly string[];
  readonly publishes: readonly string[] | null;
  readonly onMutationFailed: OnMutationFailed;
  readonly catchUp: "once" | "skip";
  /** Started by deliveries. */
  readonly webhook: boolean;
  /** What starts it, in one canonical text: two that differ are two schedules. */
  readonly start: string;
  readonly nextRunAt: Instant | null;
  /** How its code makes item ids, subkeys, message ids and inputs; absent = it is not known. */
  readonly forms?: readonly string[] | null;
};

export type WorkflowCreated = { readonly kind: "workflow_created"; readonly name: string };

/** Lists what changes, so that folding it needs no look at the rows before. */
export type VersionActivated = {
  readonly kind: "version_activated";
  readonly major: number;
  readonly minor: number;
  readonly scriptHash: string;
  readonly connections: readonly string[];
  /** What its machines are; absent = it was not written down, null = it has none. */
  readonly definitions?: readonly string[] | null;
  readonly newTopics: readonly TopicDeclaration[];
  readonly keptTopics: readonly TopicDeclaration[];
  readonly goneTopics: readonly string[];
  readonly newHandlers: readonly HandlerDeclaration[];
  readonly keptHandlers: readonly HandlerDeclaration[];
  readonly goneHandlers: readonly string[];
  readonly actor: string;
  /** Author of the proposal that it was; absent = it was none, or it was not written down. */
  readonly proposedBy?: string;
};

export type WorkflowPaused = { readonly kind: "workflow_paused"; readonly actor: string };
export type WorkflowResumed = { readonly kind: "workflow_resumed"; readonly actor: string };
export type WorkflowArchived = { readonly kind: "workflow_archived"; readonly actor: string };
export type WorkflowRestored = { readonly kind: "workflow_restored"; readonly actor: string };
export type WorkflowErrored = { readonly kind: "workflow_errored"; readonly error: string };
export type WorkflowErrorCleared = {
  readonly kind: "workflow_error_cleared";
  readonly actor: string;
};

export type WorkflowFact =
  | WorkflowCreated
  | VersionActivated
  | WorkflowPaused
  | WorkflowResumed
  | WorkflowArchived
  | WorkflowRestored
  | WorkflowErrored
  | WorkflowErrorCleared;
