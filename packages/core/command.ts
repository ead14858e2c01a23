import type { Acknowledge } from "./attention/acknowledge.ts";
import type { NoteStale } from "./attention/note-stale.ts";
import type { ReleaseBrake } from "./attention/release-brake.ts";
import type { SetBrake } from "./attention/set-brake.ts";
import type { BeginTurn } from "./frame/begin-turn.ts";
import type { CommitFrame } from "./frame/commit-frame.ts";
import type { FailMachines } from "./frame/fail-machines.ts";
import type {
  CancelIntent,
  RestartCell,
  SendToMachine,
  SnapshotMachines,
} from "./frame/send-to-machine.ts";
import type { SetEnvelope } from "./grant/set-envelope.ts";
import type { AwaitExecutor } from "./intent/await-executor.ts";
import type { RecordIntent, RefuseIntent } from "./intent/record-intent.ts";
import type { RecoverIntent } from "./intent/recover-intent.ts";
import type { FailIntent, WithdrawIntent } from "./intent/withdraw-intent.ts";
import type { AcceptPayload } from "./item/accept-payload.ts";
import type { ComparePayload } from "./item/compare-payload.ts";
import type { CompleteItem } from "./item/complete-item.ts";
import type { EnterItem } from "./item/enter-item.ts";
import type { ReprocessItems } from "./item/reprocess-items.ts";
import type { SkipItem } from "./item/skip-item.ts";
import type { StartFresh } from "./item/start-fresh.ts";
import type { TakeCheckpoint } from "./journal/take-checkpoint.ts";
import type { AnswerReconcile } from "./mutation/answer-reconcile.ts";
import type { ApproveMutation } from "./mutation/approve-mutation.ts";
import type { AskApproval } from "./mutation/ask-approval.ts";
import type { EditMutation } from "./mutation/edit-mutation.ts";
import type { ExpireApproval } from "./mutation/expire-approval.ts";
import type { RecordLateAnswer } from "./mutation/record-late-answer.ts";
import type { RecordMutation } from "./mutation/record-mutation.ts";
import type { RejectMutation } from "./mutation/reject-mutation.ts";
import type { ReportUnsent } from "./mutation/report-unsent.ts";
import type { ResendMutation } from "./mutation/resend-mutation.ts";
import type { ResolveMutation } from "./mutation/resolve-mutation.ts";
import type { SendMutation } from "./mutation/send-mutation.ts";
import type { SettleMutation } from "./mutation/settle-mutation.ts";
import type { ApplyVersion } from "./proposal/apply-version.ts";
import type { DecideVersion } from "./proposal/decide-version.ts";
import type { HoldApply, SwapVersion } from "./proposal/finish-apply.ts";
import type { ProposeVersion } from "./proposal/propose-version.ts";
import type { ShadowVersion } from "./proposal/shadow-version.ts";
import type { ContinueRestored } from "./restore/continue-restored.ts";
import type { NoteStore } from "./restore/note-store.ts";
import type { CommitRun } from "./run/commit-run.ts";
import type { FailRun } from "./run/fail-run.ts";
import type { FinishMutate } from "./run/finish-mutate.ts";
import type { FinishPrepare } from "./run/finish-prepare.ts";
import type { MakeWay } from "./run/make-way.ts";
import type { PauseRun } from "./run/pause-run.ts";
import type { RecoverRun } from "./run/recover-run.ts";
import type { ResumeRun } from "./run/resume-run.ts";
import type { RetryRun } from "./run/retry-run.ts";
import type { StartRetry } from "./run/start-retry.ts";
import type { StartRun } from "./run/start-run.ts";
import type { StopRun } from "./run/stop-run.ts";
import type { ResetProducer } from "./schedule/reset-producer.ts";
import type { RunNow } from "./schedule/run-now.ts";
import type { SkipFiring } from "./schedule/skip-firing.ts";
import type { PublishEvent } from "./topic/publish-event.ts";
import type { ReceiveDelivery } from "./topic/receive-delivery.ts";
import type { ReprocessEvent } from "./topic/reprocess-event.ts";
import type { ReprocessInput } from "./topic/reprocess-input.ts";
import type { ResetTopic } from "./topic/reset-topic.ts";
import type { SkipEvent } from "./topic/skip-event.ts";
import type { SkipInput } from "./topic/skip-input.ts";
import type { ActivateVersion } from "./workflow/activate-version.ts";
import type { ArchiveWorkflow } from "./workflow/archive-workflow.ts";
import type { CreateWorkflow } from "./workflow/create-workflow.ts";
import type { PauseWorkflow } from "./workflow/pause-workflow.ts";
import type { RestoreWorkflow } from "./workflow/restore-workflow.ts";
import type { ResumeWorkflow } from "./workflow/resume-workflow.ts";

/** What anyone may ask of a workflow's owner through the inbox. */
export type InboxCommand =
  | ActivateVersion
  | PauseWorkflow
  | ResumeWorkflow
  | ArchiveWorkflow
  | RestoreWorkflow
  | PublishEvent
  | ReceiveDelivery
  | SkipEvent
  | SkipInput
  | ReprocessEvent
  | ReprocessInput
  | ResetTopic
  | ResetProducer
  | RunNow
  | ResumeRun
  | RetryRun
  | StopRun
  | ApproveMutation
  | RejectMutation
  | EditMutation
  | ResolveMutation
  | Acknowledge
  | SetEnvelope
  | SetBrake
  | ReleaseBrake
  | ContinueRestored
  | ReprocessItems
  | SkipItem
  | StartFresh
  | AcceptPayload
  | SendToMachine
  | CancelIntent
  | RestartCell
  | SnapshotMachines
  | ProposeVersion
  | ShadowVersion
  | DecideVersion
  | ApplyVersion;

/** What the owner's own run, its clock and its connectors bring about. */
export type OwnerCommand =
  | CreateWorkflow
  | StartRun
  | StartRetry
  | FinishPrepare
  | FinishMutate
  | CommitRun
  | PauseRun
  | FailRun
  | RecoverRun
  | RecordMutation
  | SendMutation
  | ResendMutation
  | ReportUnsent
  | SettleMutation
  | AnswerReconcile
  | AskApproval
  | ExpireApproval
  | RecordLateAnswer
  | NoteStale
  | SkipFiring
  | NoteStore
  | EnterItem
  | CompleteItem
  | ComparePayload
  | MakeWay
  | BeginTurn
  | CommitFrame
  | FailMachines
  | RecordIntent
  | RefuseIntent
  | WithdrawIntent
  | FailIntent
  | AwaitExecutor
  | RecoverIntent
  | SwapVersion
  | HoldApply
  | TakeCheckpoint;

export type CoreCommand = InboxCommand | OwnerCommand;
export type CommandKind = CoreCommand["kind"];
