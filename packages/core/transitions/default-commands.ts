import type { CommandKind, CoreCommand } from "../command.ts";
import * as c from "./command-builder.ts";
import type { Scenario } from "./scenario.ts";

const { actor } = c;

/** The newest question of the scenario; a0 names none. */
export function questionId(s: Scenario): string {
  let newest = "a0";
  for (const { attentionId } of s.view.rows("attentions")) newest = attentionId;
  return newest;
}

/** The producer's firing that is due since the deploy, and by now missed. */
function skipFiring(s: Scenario): CoreCommand {
  s.later(s.view.policy.firingLateMsMax + 1);
  const dueAt = s.view.find("handlers", "poll")?.nextRunAt ?? s.now;
  const nextRunAt = s.now + c.hourMs;
  return { kind: "skip_firing", handler: "poll", dueAt, firingCount: 1, nextRunAt };
}

type Defaults = { readonly [K in CommandKind]: (s: Scenario) => CoreCommand };

const onWorkflow = {
  create_workflow: () => ({ kind: "create_workflow", name: "w" }),
  activate_version: () => c.version(1, 1),
  pause_workflow: () => c.onWorkflow("pause_workflow"),
  resume_workflow: () => c.onWorkflow("resume_workflow"),
  archive_workflow: () => c.onWorkflow("archive_workflow"),
  restore_workflow: () => c.onWorkflow("restore_workflow"),
  run_now: () => c.onWorkflow("run_now"),
  skip_firing: skipFiring,
  reset_producer: () => ({ kind: "reset_producer", handler: "poll", actor }),
  acknowledge: (s) => ({ kind: "acknowledge", attentionId: questionId(s), actor }),
  note_stale: () => ({ kind: "note_stale", inputId: c.inputOf("e1"), count: 2, isMore: false }),
  set_envelope: () => c.setEnvelope(),
  set_brake: () => c.setBrake(),
  release_brake: () => c.releaseBrake(),
  continue_restored: (s) => ({ kind: "continue_restored", attentionId: questionId(s), actor }),
  note_store: () => c.noteStore(),
  take_checkpoint: () => ({ kind: "take_checkpoint", tables: [], chunks: [] }),
} satisfies Partial<Defaults>;

const onEvents = {
  publish_event: () => c.publishEvent("e9"),
  receive_delivery: () => c.receiveDelivery("d9"),
  skip_event: () => c.onEvent("skip_event", "e1"),
  skip_input: () => c.onInput("skip_input", "e1"),
  reprocess_event: () => c.onEvent("reprocess_event", "e1"),
  reprocess_input: () => c.onInput("reprocess_input", "e1"),
  reset_topic: () => ({ kind: "reset_topic", topic: "orders", actor }),
} satisfies Partial<Defaults>;

const onRuns = {
  start_run: (s) => c.startRun(s),
  start_retry: (s) => c.onRun("start_retry", s),
  finish_prepare: (s) => c.finishPrepare(s, "e1"),
  finish_mutate: (s) => c.onRun("finish_mutate", s),
  commit_run: c.commitRun,
  pause_run: (s) => c.pauseRun(s, { reason: "user" }),
  resume_run: (s) => c.resumeRun(s),
  fail_run: (s) => c.failRun(s, "logic"),
  retry_run: (s) => c.onRun("retry_run", s),
  stop_run: (s) => c.onRun("stop_run", s),
  recover_run: () => c.recoverRun("host-7"),
} satisfies Partial<Defaults>;

const onCalls = {
  record_mutation: (s) => c.recordMutation(s),
  approve_mutation: (s) => c.approve(s),
  reject_mutation: (s) => c.reject(s, "skip"),
  edit_mutation: (s) => c.edit(s),
  ask_approval: c.askApproval,
  expire_approval: ({ mutationId }) => ({ kind: "expire_approval", mutationId }),
  send_mutation: (s) => c.send(s),
  resend_mutation: (s) => c.send(s, "resend_mutation"),
  report_unsent: (s) => c.unsent(s, "host-1"),
  settle_mutation: c.settleApplied,
  answer_reconcile: (s) => c.answer(s, { says: "applied", result: null }),
  resolve_mutation: (s) => c.resolve(s, { says: "happened", result: null }),
  record_late_answer: (s) => c.lateAnswer(s, "applied"),
} satisfies Partial<Defaults>;

/** The scenario's handlers are a producer and a consumer: their runs are in no item. */
const onItems = {
  enter_item: ({ runId }) => ({ kind: "enter_item", runId, itemId: "i1", title: "Item 1" }),
  complete_item: ({ runId }) => c.completeItem(runId),
  compare_payload: (s) => c.comparePayload(s),
  accept_payload: () => ({ kind: "accept_payload", itemId: "i1", payloadHash: "h", actor }),
  reprocess_items: () => ({ kind: "reprocess_items", itemIds: ["i1"], actor }),
  skip_item: () => ({ kind: "skip_item", itemId: "i1", actor }),
  start_fresh: () => ({ kind: "start_fresh", handler: "tidy", actor }),
  make_way: ({ runId }) => ({ kind: "make_way", runId }),
} satisfies Partial<Defaults>;

/** The scenario has no machines, so their inputs are nobody's, and no intent is open. */
const onMachines = {
  send_to_machine: () => c.sendToMachine(),
  cancel_intent: () => ({ kind: "cancel_intent", intentId: "0".repeat(64), actor }),
  restart_cell: () => {
    return { kind: "restart_cell", machine: c.machine, key: null, poison: "drop", actor };
  },
  snapshot_machines: () => ({ kind: "snapshot_machines", actor }),
  propose_version: () => c.proposeVersion(),
  shadow_version: () => c.shadowVersion(),
  decide_version: () => c.decideVersion("approve"),
  apply_version: () => c.applyVersion(),
  swap_version: () => c.swapVersion(),
  hold_apply: () => c.holdApply(),
  begin_turn: () => ({ kind: "begin_turn" }),
  commit_frame: () => c.commitFrame(),
  fail_machines: () => ({ kind: "fail_machines", note: "their code is gone" }),
  record_intent: (s) => c.recordIntent(s),
  refuse_intent: () => c.refuseIntent(),
  withdraw_intent: () => ({ kind: "withdraw_intent", intentId: c.intentId, note: "cancelled" }),
  await_executor: ({ mutationId }) => ({ kind: "await_executor", mutationId, executor: "http" }),
  fail_intent: ({ mutationId }) => ({ kind: "fail_intent", mutationId, note: "denied" }),
  recover_intent: ({ mutationId }) => {
    return { kind: "recover_intent", mutationId, incarnation: "host-7" };
  },
} satisfies Partial<Defaults>;

/** Of every kind one command that would do something, were the state right for it. */
export const defaultCommands: Defaults = {
  ...onWorkflow,
  ...onEvents,
  ...onRuns,
  ...onCalls,
  ...onItems,
  ...onMachines,
};
