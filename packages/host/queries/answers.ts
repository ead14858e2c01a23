import type {
  AttentionKind,
  Cause,
  EventStatus,
  HandlerKind,
  InputStatus,
  Instant,
  LedgerState,
  MutationOutcome,
  PauseReason,
  Resolution,
  RetryFrom,
  RunFailure,
  RunPhase,
  RunStatus,
  Subject,
  SubjectState,
  Wedge,
} from "@holdfast/core";
import type { CallItem } from "./call-answers.ts";
import type { ValueChange } from "./diff-values.ts";
import type { HeldBy } from "./held-by.ts";
import type { JobItem, ProposedCall } from "./job-item-answers.ts";
import type { SkippedFirings } from "./skipped-firings.ts";
import type { Waiting } from "./waiting-behind.ts";

export type { CallItem } from "./call-answers.ts";

/**
 * What people and programs are told about a workflow. Plain values that JSON can carry; never a
 * handler's state, its kv, a provider key or a payload that nobody asked about.
 */

export type JsonValue =
  | null
  | boolean
  | number
  | string
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue };

/** Newest first. */
export type Page<T> = {
  readonly items: readonly T[];
  /** To be given back as `after`; null = there is no more. */
  readonly next: string | null;
};

export type PageQuery = {
  /** null = from the newest. */
  readonly after: string | null;
  /** 1 to `pageItemsMax`. */
  readonly limit: number;
};

/** Narrows a list; what is left out lets everything through. */
export type Filter = PageQuery & {
  /** From this time on, and up to that one; both belong to it. */
  readonly from?: Instant | undefined;
  readonly to?: Instant | undefined;
  /** Stands in an id or a title, however it is written. */
  readonly text?: string | undefined;
};

export type InputName = {
  readonly inputId: string;
  readonly source: string;
  readonly type: string;
  readonly externalId: string;
  readonly title: string;
};

export type InputItem = InputName & {
  readonly status: InputStatus;
  /** Pending for longer than is normal. */
  readonly isStale: boolean;
  readonly createdAt: Instant;
  readonly skippedAt: Instant | null;
  readonly events: {
    readonly pending: number;
    readonly reserved: number;
    readonly consumed: number;
    readonly skipped: number;
  };
  /** Applied mutations and events of observed topics: what a skip can no longer prevent. */
  readonly outputsDone: number;
};

export type EventName = { readonly topic: string; readonly messageId: string };

export type OutputItem = {
  /** Mutation id, or `topic/messageId`: what `whyOf` takes. */
  readonly outputId: string;
  readonly title: string | null;
  readonly runId: string | null;
  readonly inputs: readonly InputName[];
} & (
  | {
      readonly kind: "mutation";
      readonly preview: string | null;
      readonly operation: string;
      readonly target: string;
      /** When it was settled. */
      readonly at: Instant;
      /** Set when a person said that it happened. */
      readonly resolution: Resolution | null;
      /** Of a job; null = it is a consumer's. */
      readonly itemId: string | null;
    }
  | ({ readonly kind: "event"; readonly at: Instant } & EventName)
);

export type RunItem = {
  readonly runId: string;
  readonly handler: string;
  readonly kind: HandlerKind;
  readonly title: string | null;
  readonly phase: RunPhase;
  readonly status: RunStatus;
  readonly isOpen: boolean;
  readonly reason: PauseReason | null;
  readonly dueAt: Instant | null;
  readonly failure: RunFailure | null;
  readonly trigger: string | null;
  readonly outcome: MutationOutcome | null;
  readonly mutationId: string | null;
  readonly retryOf: string | null;
  readonly retryFrom: RetryFrom | null;
  readonly supersededBy: string | null;
  readonly transientCount: number;
  readonly version: string;
  readonly startedAt: Instant;
  /** What it goes by is from then; null = it has not got so far. */
  readonly preparedAt: Instant | null;
  readonly endedAt: Instant | null;
  readonly activeMs: number;
};

/** An earlier call for the same inputs that a person agreed to, and that was another one. */
export type ApprovedBefore = {
  readonly mutationId: string;
  readonly params: JsonValue;
  readonly payloadHash: string;
  readonly preview: string;
  readonly actor: string | null;
  readonly approvedAt: Instant | null;
};

/** The call as it was before a person changed it into the one that is asked about. */
export type EditedBefore = {
  readonly mutationId: string;
  readonly params: JsonValue;
  /** Everybody who changed it so far. */
  readonly by: readonly string[];
  readonly changes: readonly ValueChange[];
};

export type AttentionDetail = AttentionItem & {
  /** Null = it is as the script made it. */
  readonly edited: EditedBefore | null;
  /** Null = nothing else was asked for in place of the call. */
  readonly proposed: ProposedCall | null;
  /** Null = nobody has agreed to anything else. */
  readonly approvedBefore: ApprovedBefore | null;
};

export type AttentionItem = {
  readonly workflow: string;
  readonly attentionId: string;
  readonly kind: AttentionKind;
  /** Run or mutation; null = the workflow itself. */
  readonly subject: string | null;
  readonly note: string;
  readonly answers: readonly string[];
  readonly openedAt: Instant;
  readonly closedAt: Instant | null;
  readonly closedBy: string | null;
  readonly answer: string | null;
  readonly run: RunItem | null;
  readonly call: CallItem | null;
  /** Of a job; null = it is about no item. */
  readonly item: JobItem | null;
  readonly inputs: readonly InputName[];
  readonly why: string;
  /** What comes of each answer it allows. */
  readonly does: Readonly<Record<string, string>>;
  /** Whether the service itself can say what became of the call; null = it is about no call. */
  readonly verifiable: string | null;
  /** What a person can look at outside before answering; null = nothing outside is in doubt. */
  readonly check: string | null;
  /** How much stands still until it is answered; null = it is closed. */
  readonly waiting: Waiting | null;
  /** The brake that holds its call; null = it is about something else, or closed. */
  readonly heldBy: HeldBy | null;
};

/** A cause with its words. */
export type SaidCause = { readonly cause: Cause; readonly text: string };

/** Counted no further than makes a difference. */
export type Counted = { readonly count: number; readonly isMore: boolean };

export type EventItem = EventName & {
  readonly title: string | null;
  readonly status: EventStatus;
  /** The run that holds it; null = none does. */
  readonly reservedBy: string | null;
  /** The run that published it; null = a person did. */
  readonly createdBy: string | null;
  readonly attempt: number;
  readonly deliveryCount: number;
  readonly lateCount: number;
  /** To be given as `if-match` by who decides on what is shown here. */
  readonly revision: number;
  readonly publishedAt: Instant;
  readonly inputs: readonly InputName[];
};

export type TopicItem = {
  readonly topic: string;
  readonly subscriber: string | null;
  readonly observed: boolean;
  /** False when the active version no longer declares it. */
  readonly declared: boolean;
  readonly schema: unknown;
  /** Not worked off yet. */
  readonly pending: Counted;
};

export type HandlerItem = {
  readonly handler: string;
  readonly kind: HandlerKind;
  readonly subscribe: readonly string[];
  /** null = every declared topic. */
  readonly publishes: readonly string[] | null;
  readonly declared: boolean;
  readonly webhook: boolean;
  readonly start: string;
  readonly crashCount: number;
  readonly deliveriesWaiting: number;
  readonly nextRunAt: Instant | null;
  readonly wakeAt: Instant | null;
};

export type WorkflowItem = {
  readonly workflow: string;
  readonly status: string;
  readonly error: string | null;
  /** null = nothing was deployed yet. */
  readonly version: string | null;
  readonly records: number;
  readonly owner: string | null;
  readonly dueAt: Instant | null;
  /** When something last happened; null = nothing has. */
  readonly lastAt: Instant | null;
  /** Events that are not worked off yet. */
  readonly pending: Counted;
  readonly deliveriesWaiting: number;
  /** Runs that began within a day. */
  readonly runsOfDay: Counted;
  readonly openRun: string | null;
  readonly openQuestions: number;
  readonly brakes: readonly string[];
  /** Whole names of those that the active version has. */
  readonly machines: readonly string[];
};

export type WorkflowShown = WorkflowItem & {
  readonly topics: readonly TopicItem[];
  readonly handlers: readonly HandlerItem[];
};

export type VersionItem = {
  readonly version: string;
  readonly isActive: boolean;
  readonly scriptHash: string;
  readonly connections: readonly string[];
  readonly activatedBy: string;
  readonly activatedAt: Instant;
};

/** One fact of the journal, as people may see it. */
export type RecordItem = {
  readonly seq: number;
  readonly at: Instant;
  readonly kind: string;
  readonly hash: string;
  readonly fact: { readonly [key: string]: JsonValue };
};

/** An event in a run's hands, or that once was. */
export type PinnedEvent = EventName & {
  readonly title: string | null;
  readonly attempt: number;
  readonly isHeld: boolean;
};

export type RunDetail = RunItem & {
  readonly events: readonly PinnedEvent[];
  readonly inputs: readonly InputName[];
  /** Every call it made, the last one last. */
  readonly calls: readonly CallItem[];
};

export type EventDetail = EventName & {
  readonly title: string | null;
  readonly status: "pending" | "reserved" | "consumed" | "skipped";
  readonly payload: JsonValue;
  readonly createdBy: string | null;
  readonly attempt: number;
  readonly deliveryCount: number;
  readonly inputs: readonly InputName[];
  /** Every run that reserved it, oldest first, with the attempt it worked on. */
  readonly runs: readonly {
    readonly runId: string;
    readonly attempt: number;
    readonly status: RunStatus;
    readonly mutationId: string | null;
    readonly mutationState: LedgerState | null;
  }[];
};

export type WorkflowDetail = {
  readonly name: string;
  readonly status: string;
  readonly error: string | null;
  readonly version: string;
  /** The host that works for it; null = none does now. */
  readonly owner: string | null;
  readonly dueAt: Instant | null;
  /** Commands that were taken in and have no answer yet. */
  readonly commandsWaiting: number;
  readonly openRun: string | null;
  readonly openAttentions: readonly string[];
  /** What no rule explains; empty = nothing is wrong. */
  readonly wedges: readonly Wedge[];
  /** What handlers that skip have let pass. */
  readonly skippedFirings: readonly SkippedFirings[];
};

export type InputDetail = InputItem & {
  /** What was done for it so far, as `whyOf` takes it. */
  readonly outputIds: readonly string[];
  /** Its events in order; of too many, those that are not done come first. */
  readonly story: readonly Why[];
};

export type Why = {
  readonly subject: Subject;
  readonly state: SubjectState;
  /** The whole chain in one sentence. */
  readonly text: string;
  readonly because: readonly SaidCause[];
  /** The one that belongs to the subject's kind is set. */
  readonly workflow: WorkflowDetail | null;
  readonly run: RunDetail | null;
  readonly event: EventDetail | null;
  readonly input: InputDetail | null;
};

export type WhyAnswer =
  | { readonly kind: "explained"; readonly why: Why }
  | { readonly kind: "unknown_id"; readonly id: string }
  /** The same message id stands in several topics: ask for one of these. */
  | { readonly kind: "ambiguous"; readonly ids: readonly string[] };
