/** What the shell may use of the core. */

export {
  type AnswerOf,
  type AttentionKind,
  answersInSomeCases,
  attentionAnswers,
  attentionKinds,
} from "./attention/attention-kind.ts";
export { heldMetered, isAboutBrake, sayHeld } from "./attention/brake-question.ts";
export {
  type AskedCell,
  askedCell,
  type CellNews,
  faultOfCell,
  isAboutCell,
} from "./attention/cell-question.ts";
export {
  aboutOf,
  askedIntents,
  type HeldIntent,
  heldIntent,
  waitingSignIns,
} from "./attention/held-intents.ts";
export { isAboutStale } from "./attention/note-stale.ts";
export { everyBrake, workflowBrake } from "./attention/set-brake.ts";
export {
  CanonicalError,
  type CanonicalValue,
  contentHash,
  decodeCanonical,
  encodeCanonical,
  type Hash,
  hashText,
  splitRecord,
} from "./canonical/index.ts";
export type { CommandKind, CoreCommand, InboxCommand, OwnerCommand } from "./command.ts";
export { applyAdmitted, applyRule, decide, decideAll, decisionOf, rules } from "./decide.ts";
export type { CommitFrame, MachinePublication } from "./frame/commit-frame.ts";
export { callsOfUses, type OpenUse, openUses } from "./frame/event-uses.ts";
export type * from "./frame/frame-rows.ts";
export type { IntentOutcome, MachineInput, SignedWord } from "./frame/machine-input.ts";
export { type AllowLike, allowLike, type StandingRule } from "./grant/allow-like.ts";
export { diffGrants, type GrantDiff, isSameGrants } from "./grant/diff-grants.ts";
export { compileEnvelope, type Envelope } from "./grant/envelope.ts";
export {
  type BudgetVersion,
  type Constraint,
  type Grant,
  type Period,
  periodMs,
  plainGrants,
  type Verdict,
} from "./grant/grant.ts";
export {
  type ActiveTime,
  type JudgedCall,
  type Judgement,
  judge,
  type Spent,
  type Times,
  timesOf,
  type Usage,
  type Window,
  windowsOf,
} from "./grant/judge.ts";
export { encodeGrants, type ReadGrants, readGrants } from "./grant/read-grants.ts";
export { isWithinRisk, type RiskTier, riskTiers } from "./grant/risk.ts";
export { sayGrant, sayGrantDiff } from "./grant/say-grant.ts";
export { spentAt } from "./grant/spent-in.ts";
export { admitHeading } from "./inbox/admit-heading.ts";
export { foldCommand } from "./inbox/fold-command.ts";
export { actorOfHost, type InboxKind, inboxKinds, parseCommand } from "./inbox/parse-command.ts";
export { isHeldForAccount } from "./intent/hold-intent.ts";
export { callOfIntent, isOfIntent, openIntentRuns } from "./intent/intent-run.ts";
export type { OwnerKnows } from "./intent/machine-work.ts";
export {
  intentKeysOf,
  type OriginOfIntent,
  type RecordIntent,
  type RefuseIntent,
} from "./intent/record-intent.ts";
export { isDone as isItemDone, isStale as isItemStale } from "./item/find-items.ts";
export { fitsForms } from "./item/item-form.ts";
export type { ItemRow } from "./item/item-row.ts";
export { type ItemStatus, itemStatusEdges, itemStatuses } from "./item/item-status.ts";
export type { Action, RunnablePhase } from "./journal/action.ts";
export { apply, applyRow } from "./journal/apply.ts";
export {
  type CheckpointTaken,
  checkpointTable,
  openChunk,
  type TableCheckpoint,
} from "./journal/checkpoint.ts";
export { type Decision, Draft } from "./journal/decision.ts";
export { type Fact, type FactKind, factVersion } from "./journal/fact.ts";
export { factKinds, isKnownFact, project } from "./journal/project.ts";
export {
  type ChainPoint,
  genesisHash,
  type JournalRecord,
  type OpenedRecord,
  openRecord,
  previousHash,
  type SealedRecord,
  sealRecords,
} from "./journal/record.ts";
export { type Refusal, type RefusalCode, refusals } from "./journal/refusal.ts";
export type { ReconcileAnswer } from "./mutation/answer-reconcile.ts";
export { brakeOn, brakeOnOperation } from "./mutation/find-mutations.ts";
export { itemKeysOf } from "./mutation/item-keys.ts";
export {
  isSettled,
  isUncertain,
  type LedgerState,
  ledgerStateEdges,
  ledgerStates,
} from "./mutation/ledger-state.ts";
export type { Ask } from "./mutation/mutation-facts.ts";
export type { CallToRecord, RecordMutation } from "./mutation/record-mutation.ts";
export type { ReportUnsent } from "./mutation/report-unsent.ts";
export { isApprovedAs, type SendMutation } from "./mutation/send-mutation.ts";
export type { SendOutcome, SettleMutation } from "./mutation/settle-mutation.ts";
export { needsOf, needsOfAdmitted } from "./needs.ts";
export { admitCommand } from "./policy/admit-command.ts";
export {
  callPolicyNames,
  type OperationName,
  type Policy,
  type PolicyOf,
  policyDefaults,
} from "./policy/policy.ts";
export { isSoundText } from "./policy/sound-text.ts";
export { tracesToForget } from "./policy/traces-to-forget.ts";
export { type AsideTable, asideShapes, asideTables } from "./ports/aside-tables.ts";
export { type ErrorCode, errorCodes } from "./ports/error-codes.ts";
export { HostError, type HostErrorOptions, isPassing } from "./ports/host-error.ts";
export { assertNever, InvariantError, invariant } from "./ports/invariant.ts";
export { type KeptOf, type KeptResult, keptResultBytesMax } from "./ports/kept-result.ts";
export {
  type AnyListShape,
  type ListedTable,
  type ListName,
  type ListPlace,
  type ListQuery,
  listShapes,
  placeAt,
} from "./ports/lists.ts";
export type * from "./ports/moving-store.ts";
export type * from "./ports/script-runner.ts";
export { operationKinds } from "./ports/script-runner.ts";
export type * from "./ports/store.ts";
export {
  countedForMs,
  deliveriesPerRunMax,
  machineInputsMax,
  waitingCountMax,
} from "./ports/store.ts";
export type * from "./ports/store-brake.ts";
export type { HoldApply } from "./proposal/finish-apply.ts";
export type { ProposalRow } from "./proposal/proposal-row.ts";
export {
  type ProposalStatus,
  proposalStatusEdges,
  proposalStatuses,
} from "./proposal/proposal-status.ts";
export type { Arrival } from "./restore/arrival.ts";
export type { NoteStore } from "./restore/note-store.ts";
export { chainsOver } from "./run/chains-over.ts";
export type { FinishPrepare } from "./run/finish-prepare.ts";
export { type RunPhase, runPhaseEdges, runPhases } from "./run/run-phase.ts";
export { type PauseReason, type RunStatus, runStatusEdges, runStatuses } from "./run/run-status.ts";
export { type RunReason, runReasons, runSeqOf } from "./run/start-run.ts";
export {
  dueAt,
  dueBesideTurn,
  isConsumerDue,
  type NextWork,
  needsOfNextWork,
  nextWork,
  type Side,
} from "./schedule/next-work.ts";
export {
  type DeliveryStatus,
  deliveryStatuses,
} from "./topic/delivery-status.ts";
export { eventName } from "./topic/event-name.ts";
export { type EventStatus, eventStatusEdges, eventStatuses } from "./topic/event-status.ts";
export { type InputStatus, inputStatus, isStaleInput } from "./topic/events-of-input.ts";
export { inputIdOf } from "./topic/input-id.ts";
export type { EventRef } from "./topic/topic-facts.ts";
export { type Blob, type Payload, payloadInlineBytesMax, pinPayload } from "./view/payload.ts";
export {
  type ClearKv,
  deleteRow,
  insertRow,
  type ReopenTopic,
  type RowChange,
  type RowKey,
  updateRow,
} from "./view/row-change.ts";
export type * from "./view/rows.ts";
export {
  type ColumnKind,
  keyOf,
  keyText,
  type TableName,
  type TableShape,
  tableNames,
  tables,
} from "./view/tables.ts";
export { View } from "./view/view.ts";
export type * from "./why/cause.ts";
export { explain } from "./why/explain.ts";
export type * from "./why/explanation.ts";
export {
  findWedges,
  type Wedge,
  wedgesOfDelay,
  wedgesOfEvent,
  wedgesOfMutation,
  wedgesOfRuns,
} from "./why/find-wedges.ts";
export { sayCause, sayWhy } from "./why/say-cause.ts";
export { type SayTime, sayUtc } from "./why/say-time.ts";
export type { ActivateVersion, Progress } from "./workflow/activate-version.ts";
export {
  type Declared,
  type Difference,
  declaredIn,
  differencesOf,
} from "./workflow/differences.ts";
export { ledElsewhere } from "./workflow/led-elsewhere.ts";
export { type Holdings, type Orphans, orphansOf } from "./workflow/orphans.ts";
export { whyRunMayNotGoOn } from "./workflow/runnable.ts";
export {
  type WorkflowStatus,
  workflowStatusEdges,
  workflowStatuses,
} from "./workflow/workflow-status.ts";
