export {
  type AdmittedDelivery,
  admitDelivery,
  type DeliveryGuard,
  type DeliveryOptions,
  type PushedRequest,
} from "./admit-delivery.ts";
export { type EditedCall, editCall } from "./engine/edit-call.ts";
export { Engine, type EngineOptions } from "./engine/engine.ts";
export { KnownTimes } from "./engine/known-times.ts";
export type { LoopEnd, LoopParts } from "./engine/loop-parts.ts";
export type {
  DescribedCall,
  EngineClock,
  EngineObserver,
  Finding,
  OnFrame,
  OutsideWorld,
  PayloadComparison,
  ReadOutcome,
  ScriptLibrary,
  SentCall,
} from "./engine/ports.ts";
export { QuietTimes } from "./engine/quiet-times.ts";
export { StaleSweep } from "./engine/stale-sweep.ts";
export { decodeTrace, type PhaseNote } from "./engine/trace-text.ts";
export type { WorkTrouble } from "./engine/trouble.ts";
export type { DeskWatcher, WorkDesk } from "./engine/work-desk.ts";
export { WorkflowLoop } from "./engine/workflow-loop.ts";
export { type CollectedParts, collectParts } from "./machines/collect-parts.ts";
export { receiptOfResult } from "./machines/effect-call.ts";
export { judgeWord, type ListedExecutor, useListedKeys } from "./machines/executor-keys.ts";
export type { TraceQuery } from "./machines/find-root.ts";
export { type Control, judgeControl } from "./machines/judge-control.ts";
export { KeptKernels } from "./machines/kept-kernels.ts";
export { MachinesDiverge, nullIfUnopened } from "./machines/machines-diverge.ts";
export type { ListedObstacle, ObstacleList } from "./machines/obstacle-list.ts";
export type { KernelParts } from "./machines/open-kernel.ts";
export {
  type CellPage,
  type CellPageQuery,
  pageCells,
  type ShownMachine,
  showMachines,
} from "./machines/page-cells.ts";
export { PartReader } from "./machines/part-reader.ts";
export { type RecentQuery, recentOf } from "./machines/recent-records.ts";
export { type ShadowRequest, shadowProposal } from "./machines/shadow-proposal.ts";
export type { ShadowReport } from "./machines/shadow-report.ts";
export {
  type ShownCell,
  type ShownInstance,
  type ShownState,
  showCell,
  showInstance,
} from "./machines/show-cell.ts";
export {
  listCells,
  listIntents,
  listStates,
  replayMachines,
  type ShownIntent,
  type ShownReplay,
} from "./machines/show-machines.ts";
export {
  findProposal,
  listProposals,
  type ProposalDetail,
  type ShownProposal,
  showProposal,
} from "./machines/show-proposals.ts";
export {
  lastRecord,
  listRecords,
  type ShownRecords,
  type Timeline,
  type TimelineEntry,
  timelineOf,
} from "./machines/show-records.ts";
export { awaitSnapshot, type ShownSnapshot } from "./machines/show-snapshots.ts";
export { type StoppedCell, showStoppedCell } from "./machines/stopped-cell.ts";
export { type MachineSummary, summarizeMachines } from "./machines/summarize-machines.ts";
export { type MachineTrace, type TraceWaits, traceMachines } from "./machines/trace-machines.ts";
export { type FairShare, fairShare, slackOf } from "./membership/fair-share.ts";
export { Membership } from "./membership/membership.ts";
export type {
  LostReason,
  MembershipListener,
  MembershipOptions,
  MembershipStore,
  Trouble,
} from "./membership/membership-options.ts";
export { type MembershipPolicy, membershipPolicyDefaults } from "./membership/membership-policy.ts";
export type { Ownership } from "./membership/ownership.ts";
export { realClock, realTimers } from "./membership/real-time.ts";
export type { MonotonicClock, Timers } from "./membership/time.ts";
export { type Exported, exportStore } from "./move/export-store.ts";
export { type Imported, importStore } from "./move/import-store.ts";
export { AccountRests } from "./outside/account-rests.ts";
export { ConnectedWorld, operationKindsOf, type WorldParts } from "./outside/connected-world.ts";
export { lookOnce } from "./outside/look-once.ts";
export { payloadOfResult } from "./outside/remote-call.ts";
export {
  leafOf,
  moduleOf,
  type ReceiptVerdict,
  RemoteDesk,
  type RemoteResult,
} from "./outside/remote-desk.ts";
export type { Secrets } from "./outside/secret-references.ts";
export type * from "./queries/answers.ts";
export { diffValues } from "./queries/diff-values.ts";
export { type Done, DoneCounts } from "./queries/done-counts.ts";
export { findSummary } from "./queries/find-summary.ts";
export { listJobItems, showJobItem } from "./queries/job-items.ts";
export { type ActivityItem, listActivity } from "./queries/list-activity.ts";
export { findQuestion, listAttention, listQuestions } from "./queries/list-attention.ts";
export { listEvents, showEvent } from "./queries/list-events.ts";
export { listFacts } from "./queries/list-facts.ts";
export { listInputs } from "./queries/list-inputs.ts";
export { listMutations, showMutation } from "./queries/list-mutations.ts";
export { listOutputs } from "./queries/list-outputs.ts";
export { listRuns } from "./queries/list-runs.ts";
export { listVerdicts } from "./queries/list-verdicts.ts";
export { listVersions } from "./queries/list-versions.ts";
export { listWedges } from "./queries/list-wedges.ts";
export { type NeededGrant, neededGrants } from "./queries/needed-grants.ts";
export { pageItemsMax } from "./queries/paged-list.ts";
export {
  pendingCountedMax,
  previewVersion,
  type VersionPreview,
} from "./queries/preview-version.ts";
export { readEnvelope, type ShownEnvelope } from "./queries/read-envelope.ts";
export { readFacts } from "./queries/read-facts.ts";
export { openedRecord } from "./queries/read-record.ts";
export { type RuleLike, ruleLike } from "./queries/rule-like.ts";
export { showAttention } from "./queries/show-attention.ts";
export { showRun } from "./queries/show-run.ts";
export { showTopic, showWorkflow, workflowItem } from "./queries/show-workflow.ts";
export {
  type TracedCall,
  type TracedPhase,
  type TraceReport,
  traceOf,
} from "./queries/trace-of.ts";
export { whyOf } from "./queries/why-of.ts";
export { takeCheckpoint } from "./take-checkpoint.ts";
export { type VerifyOptions, verify } from "./verify/verify.ts";
export type { Problem, VerifyReport } from "./verify/verify-report.ts";
export { verifyWorkflow } from "./verify/verify-workflow.ts";
export { type Executed, type TraceSource, WorkflowOwner } from "./workflow-owner.ts";
