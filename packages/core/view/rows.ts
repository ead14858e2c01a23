import type { AttentionKind } from "../attention/attention-kind.ts";
import type { Schema } from "../canonical/index.ts";
import type {
  EventUseRow,
  MachineFrameRow,
  MachineInputRow,
  OlderCellRow,
} from "../frame/frame-rows.ts";
import type { Verdict } from "../grant/grant.ts";
import type { ItemRow } from "../item/item-row.ts";
import type { LedgerState } from "../mutation/ledger-state.ts";
import type { ProposalRow } from "../proposal/proposal-row.ts";
import type { RunFailure } from "../run/run-failure.ts";
import type { RunPhase } from "../run/run-phase.ts";
import type { PauseReason, RunStatus } from "../run/run-status.ts";
import type { DeliveryStatus } from "../topic/delivery-status.ts";
import type { EventStatus } from "../topic/event-status.ts";
import type { WorkflowRow } from "../workflow/workflow-row.ts";
import type { Payload } from "./payload.ts";

export { type FailureClass, failureClasses, type RunFailure } from "../run/run-failure.ts";
export type { WorkflowRow };

/** Milliseconds since 1970, an integer. */
export type Instant = number;
/** Position in one workflow's journal; the first record is 1. */
export type Seq = number;

/** What a workflow may do outside, for as long as it is in force; never changed. */
export type EnvelopeRow = {
  number: number;
  /** Canonical bytes of the list of grants. */
  grants: Payload;
  setBy: string;
  setAt: Instant;
};

export type TopicRow = {
  name: string;
  /** The one consumer or job of the topic; null = none. */
  subscriber: string | null;
  /** True when events are born consumed: nobody in this workflow works them off. */
  observed: boolean;
  /** Seq of the last fact that made an event pending; what a wake-up is judged by. */
  lastPendingSeq: Seq;
  /** False when the active version no longer declares it. */
  declared: boolean;
  /** What every payload must be; null = anything. */
  schema: Schema | null;
  machines: boolean; // whether they get a copy of its events
};

export type HandlerKind = "producer" | "consumer" | "job";
export type OnMutationFailed = "prepare" | "replay";

export type HandlerRow = {
  name: string;
  kind: HandlerKind;
  subscribe: readonly string[];
  /** null = may publish to every declared topic. */
  publishes: readonly string[] | null;
  onMutationFailed: OnMutationFailed;
  catchUp: "once" | "skip";
  declared: boolean;
  state: Payload | null;
  /** Head seen by the last run that found nothing to do. */
  checkedThrough: Seq;
  wakeAt: Instant | null;
  /** null = not scheduled. */
  nextRunAt: Instant | null;
  /** Crashes in a row; any committed run sets it back to 0. */
  crashCount: number;
  /** True when deliveries start it. */
  webhook: boolean;
  /** Deliveries that no run has taken yet. */
  waitingCount: number;
  /** When a person asked for a run that has not begun; null = nobody did. */
  calledAt: Instant | null;
  /** What starts it, as declared: the schedule with its times, for instance. */
  start: string;
  /** Items of a job last touched before this begin a new attempt; null = none do. */
  freshFrom: Seq | null;
  /** How its code makes what things are known by, one text each; null = it is not known. */
  forms: readonly string[] | null;
};

export type KvRow = { handler: string; key: string; value: Payload };

export type InputRow = {
  inputId: string;
  source: string;
  type: string;
  externalId: string;
  title: string;
  createdAt: Instant;
  skippedAt: Instant | null;
};

/** One push to a webhook, as it came: waits until a run of its handler has committed with it. */
export type DeliveryRow = {
  /** Of the input it was registered as; made of handler and delivery id. */
  inputId: string;
  handler: string;
  deliveryId: string;
  /** Seq of the receiving fact: oldest first is lowest first. */
  position: Seq;
  status: DeliveryStatus;
  /** The run that took it; null = none did. */
  runId: string | null;
  /** Text in UTF-8. */
  body: Payload;
  receivedAt: Instant;
};

export type EventRow = {
  topic: string;
  messageId: string;
  /** Seq of the publishing fact: oldest first is lowest first. */
  position: Seq;
  /** Seq of the last fact that changed payload or availability; reservations pin it. */
  revision: Seq;
  status: EventStatus;
  reservedBy: string | null;
  payload: Payload;
  title: string | null;
  createdBy: string | null;
  causedBy: readonly string[];
  /** Generation: 1, then one more for each reprocess by a person. */
  attempt: number;
  /** How often a run has reserved it. */
  deliveryCount: number;
  /** Republishes that came too late to change it. */
  lateCount: number;
  /** It came of something from before a restore, and may have been published then already. */
  older: boolean;
};

/** Which events an input caused, kept as rows so that nothing has to search inside lists. */
export type EventInputRow = { inputId: string; topic: string; messageId: string };

/** Where the next run of a retry chain starts. */
export type RetryFrom = "preparing" | "mutating" | "emitting" | "executing";
export type MutationOutcome = "applied" | "none" | "skipped";

export type RunRow = {
  runId: string;
  handler: string;
  kind: HandlerKind;
  phase: RunPhase;
  status: RunStatus;
  reason: PauseReason | null;
  /** When a paused run is due again; null = waits for a person or an outcome. */
  dueAt: Instant | null;
  retryOf: string | null;
  rootRunId: string;
  /** Set when a new run took over; such a run is closed. */
  supersededBy: string | null;
  /** Where an ordered retry will start; null = no retry is ordered. */
  retryFrom: RetryFrom | null;
  /** False once committed, aborted or superseded. */
  open: boolean;
  asOf: Seq;
  trigger: string | null;
  selectionId: string | null;
  uiTitle: string | null;
  prepareResult: Payload | null;
  /** Commit time of the PrepareResult: the clock of mutate and next. */
  preparedAt: Instant | null;
  outcome: MutationOutcome | null;
  /** The ledger row whose result `next` receives; survives into retry runs. */
  mutationId: string | null;
  /** Script version of every phase of this run, `major.minor`; another one needs a new run. */
  version: string;
  transientCount: number;
  failure: RunFailure | null;
  startedAt: Instant;
  endedAt: Instant | null;
  /** Of that version: what every phase of this run is run with. */
  scriptHash: string | null;
  /** Who deployed and who proposed that version; null = it was not written down. */
  deployers: readonly string[] | null;
  /** Of a job: the item it is in, or was in when it stopped; null = none. */
  itemId: string | null;
  /** How long its code has run, as far as its facts say; what it waited for is not in it. */
  activeMs: number;
};

/** History: every event a run ever pinned. Held while the event's `reservedBy` is the run. */
export type ReservationRow = {
  runId: string;
  topic: string;
  messageId: string;
  revision: Seq;
  attempt: number;
};

export type Resolution = {
  kind:
    | "try_again"
    | "did_not_happen"
    | "happened"
    | "skip"
    | "send"
    | "rejected"
    | "edited"
    | "withdrawn";
  actor: string;
  at: Instant;
  /** Of `send`: the store it was given in; absent in older ones, which let nothing go any more. */
  storeIncarnation?: string;
};

export type MutationRow = {
  mutationId: string;
  runId: string;
  handler: string;
  scopeId: string;
  attempt: number;
  /** 1 for the first call of its run, one more for each call after a failed one. */
  callNo: number;
  connection: string;
  operation: string;
  connectorVersion: string;
  target: string;
  identity: Payload;
  payload: Payload;
  mutationKey: string;
  payloadHash: string;
  intentHash: string;
  providerKey: string;
  state: LedgerState;
  canReconcile: boolean;
  /** How long the provider remembers the key; null = it does not. */
  retentionMs: number | null;
  /** null = "not found" is never evidence. */
  visibilityDelayMs: number | null;
  senderIncarnation: string | null;
  senderEpoch: number | null;
  sendBy: Instant | null;
  /** How long the operation may take; known from the beginning. */
  timeoutMs: number | null;
  /** Before this, another incarnation may still be sending. */
  quietFrom: Instant | null;
  firstSentAt: Instant | null;
  sendCount: number;
  reconcileCount: number;
  reconcileSince: Instant | null;
  nextAttemptAt: Instant | null;
  result: Payload | null;
  failure: RunFailure | null;
  resolution: Resolution | null;
  approval: Approval | null;
  uiTitle: string | null;
  recordedAt: Instant;
  settledAt: Instant | null;
  /** By which grant it is there, or was last sent; null = it is from before there were any. */
  verdict: Verdict | null;
  /** What counts against limits, in ten-thousandths; null = nothing does. */
  amount: number | null;
  /** What it is charged to besides; null = nothing that other workflows share. */
  budget: string | null;
  /** Of the job's item it is for; null = it is a consumer's. */
  itemId: string | null;
  /** Tells it from a like call of the same item; null = there is no other. */
  subkey: string | null;
  /** Other bytes that a later run of the item's handler asked for in its place; never sent. */
  proposed: Payload | null;
  /** Of other bytes that count as these, by a person's word or the connector's. */
  acceptedHash: string | null;
  /** What it does in the host's words; null = a person is asked with them, or it is older. */
  preview: string | null;
  /** From when it counts against limits: its last send; null = it was not sent, or it is older. */
  countedAt: Instant | null;
  /** It waits, not sent, until this executor asks for work; null = for none. */
  awaitsExecutor: string | null;
};

export type Approval = {
  payloadHash: string;
  previewHash: string;
  /** What the person is shown, rendered by the host from the real parameters. */
  preview: string;
  fourEyes: boolean;
  expiresAt: Instant;
  actor: string | null;
  approvedAt: Instant | null;
  /** Not as the script made it: which call was changed into it, and by whom, first to last. */
  edited?: { from: string; by: readonly string[] };
};

export type EvidenceRow = {
  mutationId: string;
  seq: Seq;
  kind: "response" | "error" | "reconcile" | "unsent" | "recovery" | "late" | "answer";
  says: "applied" | "failed" | "unknown" | "not_sent";
  body: Payload | null;
  note: string;
  at: Instant;
};

/** The promise as a row: no event can be behind two mutations of one attempt. */
export type MutationInputRow = {
  consumer: string;
  topic: string;
  messageId: string;
  attempt: number;
  mutationId: string;
};

export type AttentionRow = {
  attentionId: string;
  kind: AttentionKind;
  /** Run or mutation id the question is about; the workflow itself when null. */
  subject: string | null;
  note: string;
  answers: readonly string[];
  openedAt: Instant;
  closedAt: Instant | null;
  closedBy: string | null;
  answer: string | null;
};

export type BrakeRow = {
  /** `connection.operation`; `*` = everything of this workflow, `**` = of every workflow. */
  operation: string;
  reason: string;
  setBy: string;
  setAt: Instant;
};

export type VerdictRow = {
  commandId: string;
  position: number;
  kind: string;
  actor: string;
  accepted: boolean;
  /** Refusal code, null when accepted. */
  refusal: string | null;
  note: string;
  answeredAt: Instant;
};

/** `firingCount` firings from `dueAt` on that were let pass. */
export type FiringRow = { handler: string; dueAt: Instant; seq: Seq; firingCount: number };

export type Rows = {
  workflows: WorkflowRow;
  envelopes: EnvelopeRow;
  topics: TopicRow;
  handlers: HandlerRow;
  handler_kv: KvRow;
  inputs: InputRow;
  events: EventRow;
  event_inputs: EventInputRow;
  runs: RunRow;
  reservations: ReservationRow;
  mutations: MutationRow;
  mutation_evidence: EvidenceRow;
  mutation_inputs: MutationInputRow;
  attentions: AttentionRow;
  brakes: BrakeRow;
  verdicts: VerdictRow;
  skipped_firings: FiringRow;
  deliveries: DeliveryRow;
  items: ItemRow;
  machine_inputs: MachineInputRow;
  machine_frames: MachineFrameRow;
  older_cells: OlderCellRow;
  event_uses: EventUseRow;
  proposals: ProposalRow;
};
