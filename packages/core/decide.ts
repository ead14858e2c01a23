import { acknowledge } from "./attention/acknowledge.ts";
import { tendBrakeQuestion } from "./attention/brake-question.ts";
import { noteStale } from "./attention/note-stale.ts";
import { releaseBrake } from "./attention/release-brake.ts";
import { setBrake } from "./attention/set-brake.ts";
import type { CommandKind, CoreCommand } from "./command.ts";
import { beginTurn } from "./frame/begin-turn.ts";
import { commitFrame } from "./frame/commit-frame.ts";
import { failMachines } from "./frame/fail-machines.ts";
import {
  cancelIntent,
  restartCell,
  sendToMachine,
  snapshotMachines,
} from "./frame/send-to-machine.ts";
import { setEnvelope } from "./grant/set-envelope.ts";
import { awaitExecutor } from "./intent/await-executor.ts";
import { recordIntent, refuseIntent } from "./intent/record-intent.ts";
import { recoverIntent } from "./intent/recover-intent.ts";
import { failIntent, withdrawIntent } from "./intent/withdraw-intent.ts";
import { acceptPayload } from "./item/accept-payload.ts";
import { comparePayload } from "./item/compare-payload.ts";
import { completeItem } from "./item/complete-item.ts";
import { enterItem } from "./item/enter-item.ts";
import { reprocessItems } from "./item/reprocess-items.ts";
import { skipItem } from "./item/skip-item.ts";
import { startFresh } from "./item/start-fresh.ts";
import { type Decision, Draft, type Rule } from "./journal/decision.ts";
import type { Refusal } from "./journal/refusal.ts";
import { takeCheckpoint } from "./journal/take-checkpoint.ts";
import { answerReconcile } from "./mutation/answer-reconcile.ts";
import { approveMutation } from "./mutation/approve-mutation.ts";
import { askApproval } from "./mutation/ask-approval.ts";
import { editMutation } from "./mutation/edit-mutation.ts";
import { expireApproval } from "./mutation/expire-approval.ts";
import { recordLateAnswer } from "./mutation/record-late-answer.ts";
import { recordMutation } from "./mutation/record-mutation.ts";
import { rejectMutation } from "./mutation/reject-mutation.ts";
import { reportUnsent } from "./mutation/report-unsent.ts";
import { resendMutation } from "./mutation/resend-mutation.ts";
import { resolveMutation } from "./mutation/resolve-mutation.ts";
import { sendMutation } from "./mutation/send-mutation.ts";
import { settleMutation } from "./mutation/settle-mutation.ts";
import { admitCommand } from "./policy/admit-command.ts";
import { applyVersion } from "./proposal/apply-version.ts";
import { decideVersion } from "./proposal/decide-version.ts";
import { holdApply, swapVersion } from "./proposal/finish-apply.ts";
import { proposeVersion } from "./proposal/propose-version.ts";
import { shadowVersion } from "./proposal/shadow-version.ts";
import { continueRestored } from "./restore/continue-restored.ts";
import { noteStore } from "./restore/note-store.ts";
import type { Ran } from "./run/active-time.ts";
import { commitRun } from "./run/commit-run.ts";
import { failRun } from "./run/fail-run.ts";
import { finishMutate } from "./run/finish-mutate.ts";
import { finishPrepare } from "./run/finish-prepare.ts";
import { makeWay } from "./run/make-way.ts";
import { pauseRun } from "./run/pause-run.ts";
import { recoverRun } from "./run/recover-run.ts";
import { resumeRun } from "./run/resume-run.ts";
import { retryRun } from "./run/retry-run.ts";
import { startRetry } from "./run/start-retry.ts";
import { startRun } from "./run/start-run.ts";
import { stopRun } from "./run/stop-run.ts";
import { resetProducer } from "./schedule/reset-producer.ts";
import { runNow } from "./schedule/run-now.ts";
import { skipFiring } from "./schedule/skip-firing.ts";
import { publishEvent } from "./topic/publish-event.ts";
import { receiveDelivery } from "./topic/receive-delivery.ts";
import { reprocessEvent } from "./topic/reprocess-event.ts";
import { reprocessInput } from "./topic/reprocess-input.ts";
import { resetTopic } from "./topic/reset-topic.ts";
import { skipEvent } from "./topic/skip-event.ts";
import { skipInput } from "./topic/skip-input.ts";
import { joinRows } from "./view/join-rows.ts";
import type { Instant } from "./view/rows.ts";
import type { View } from "./view/view.ts";
import { activateVersion } from "./workflow/activate-version.ts";
import { archiveWorkflow } from "./workflow/archive-workflow.ts";
import { createWorkflow } from "./workflow/create-workflow.ts";
import { pauseWorkflow } from "./workflow/pause-workflow.ts";
import { restoreWorkflow } from "./workflow/restore-workflow.ts";
import { resumeWorkflow } from "./workflow/resume-workflow.ts";

/** The table of contents of the core: one command, one file. */
export const rules: { readonly [K in CommandKind]: Rule<Extract<CoreCommand, { kind: K }>> } = {
  create_workflow: createWorkflow,
  activate_version: activateVersion,
  pause_workflow: pauseWorkflow,
  resume_workflow: resumeWorkflow,
  archive_workflow: archiveWorkflow,
  restore_workflow: restoreWorkflow,
  publish_event: publishEvent,
  receive_delivery: receiveDelivery,
  skip_event: skipEvent,
  skip_input: skipInput,
  reprocess_event: reprocessEvent,
  reprocess_input: reprocessInput,
  reset_topic: resetTopic,
  reset_producer: resetProducer,
  run_now: runNow,
  skip_firing: skipFiring,
  start_run: startRun,
  start_retry: startRetry,
  finish_prepare: finishPrepare,
  finish_mutate: finishMutate,
  commit_run: commitRun,
  pause_run: pauseRun,
  resume_run: resumeRun,
  fail_run: failRun,
  retry_run: retryRun,
  stop_run: stopRun,
  recover_run: recoverRun,
  record_mutation: recordMutation,
  approve_mutation: approveMutation,
  reject_mutation: rejectMutation,
  edit_mutation: editMutation,
  ask_approval: askApproval,
  expire_approval: expireApproval,
  send_mutation: sendMutation,
  resend_mutation: resendMutation,
  report_unsent: reportUnsent,
  settle_mutation: settleMutation,
  answer_reconcile: answerReconcile,
  resolve_mutation: resolveMutation,
  record_late_answer: recordLateAnswer,
  acknowledge,
  note_stale: noteStale,
  set_envelope: setEnvelope,
  set_brake: setBrake,
  release_brake: releaseBrake,
  continue_restored: continueRestored,
  note_store: noteStore,
  enter_item: enterItem,
  complete_item: completeItem,
  compare_payload: comparePayload,
  accept_payload: acceptPayload,
  reprocess_items: reprocessItems,
  skip_item: skipItem,
  start_fresh: startFresh,
  make_way: makeWay,
  send_to_machine: sendToMachine,
  cancel_intent: cancelIntent,
  restart_cell: restartCell,
  snapshot_machines: snapshotMachines,
  propose_version: proposeVersion,
  shadow_version: shadowVersion,
  decide_version: decideVersion,
  apply_version: applyVersion,
  swap_version: swapVersion,
  hold_apply: holdApply,
  begin_turn: beginTurn,
  commit_frame: commitFrame,
  fail_machines: failMachines,
  record_intent: recordIntent,
  refuse_intent: refuseIntent,
  withdraw_intent: withdrawIntent,
  fail_intent: failIntent,
  await_executor: awaitExecutor,
  recover_intent: recoverIntent,
  take_checkpoint: takeCheckpoint,
};

export function applyRule(draft: Draft, command: CoreCommand): Refusal | null {
  const admitted = admitCommand(draft.view.policy, command);
  return "code" in admitted ? admitted : applyAdmitted(draft, admitted);
}

/** For who has admitted it already, to name what it needs. */
export function applyAdmitted(draft: Draft, admitted: CoreCommand): Refusal | null {
  const rule = rules[admitted.kind] as Rule<CoreCommand>;
  const refusal = draft.timing(admitted as Ran, () => rule(draft, admitted));
  if (refusal !== null) return refusal;
  tendBrakeQuestion(draft, "actor" in admitted ? admitted.actor : "host");
  return null;
}

/** Pure: what the command leads to from here, or why it cannot be. The view does not change. */
export function decide(view: View, command: CoreCommand, now: Instant): Decision {
  return decideAll(view, [command], now);
}

/** Several commands as one change; the first refusal refuses them all. */
export function decideAll(view: View, commands: readonly CoreCommand[], now: Instant): Decision {
  const draft = new Draft(view, now);
  for (const command of commands) {
    const refusal = applyRule(draft, command);
    if (refusal) return { ok: false, refusal };
  }
  return decisionOf(draft);
}

export function decisionOf(draft: Draft): Decision {
  const { records, rows, blobs, parts, budgets, actions, note, view: after } = draft;
  return { ok: true, records, rows: joinRows(rows), blobs, parts, budgets, actions, note, after };
}
