import type { CommandKind, CoreCommand } from "./command.ts";
import { isFirstToHold, keysOf } from "./mutation/record-mutation.ts";
import { admitCommand } from "./policy/admit-command.ts";
import type { Need } from "./ports/store.ts";
import type { CommitRun } from "./run/commit-run.ts";
import { findOpenRun, heldEvents } from "./run/find-runs.ts";
import { impliedInput, messageIdOf } from "./run/run-publications.ts";
import { inputIdOf } from "./topic/input-id.ts";
import { manualInput } from "./topic/publish-event.ts";
import { deliveryInput } from "./topic/receive-delivery.ts";
import type { EventRef } from "./topic/topic-facts.ts";
import type { RowKey } from "./view/row-change.ts";
import type { RunRow } from "./view/rows.ts";
import type { TableName } from "./view/tables.ts";
import type { View } from "./view/view.ts";

/**
 * What must be loaded besides `base` before the command can be decided. The view has `base`
 * already, so that what hangs off the open run can be named.
 */
export function needsOf(view: View, command: CoreCommand): Need[] {
  const admitted = admitCommand(view.policy, command);
  if ("code" in admitted) return [];
  return (namers[admitted.kind] as Namer<CoreCommand>)(admitted, view);
}

type Namer<C> = (command: C, view: View) => Need[];

const baseIsEnough = () => [];
const theRun = ({ runId }: { readonly runId: string }) => [row("runs", runId)];
const theMutation = ({ mutationId }: { readonly mutationId: string }) => [
  row("mutations", mutationId),
];
const theEvent = ({ topic, messageId }: EventRef) => [row("events", topic, messageId)];
const theInput = ({ inputId }: { readonly inputId: string }): Need[] => [
  row("inputs", inputId),
  { kind: "input", inputId },
];

const namers: { readonly [K in CommandKind]: Namer<Extract<CoreCommand, { kind: K }>> } = {
  create_workflow: baseIsEnough,
  activate_version: ({ progress, grants }, view) => [
    ...(grants === null ? [] : theEnvelope(view)),
    ...(typeof progress === "string"
      ? []
      : progress.select.flatMap((inputId) => theInput({ inputId }))),
  ],
  pause_workflow: baseIsEnough,
  resume_workflow: baseIsEnough,
  archive_workflow: baseIsEnough,
  restore_workflow: baseIsEnough,
  publish_event: (command) => [
    ...theEvent(command),
    row("inputs", inputIdOf(manualInput(command))),
  ],
  receive_delivery: (command) => {
    const inputId = inputIdOf(deliveryInput(command));
    return [row("inputs", inputId), row("deliveries", inputId)];
  },
  skip_event: theEvent,
  skip_input: theInput,
  reprocess_event: theEvent,
  reprocess_input: theInput,
  reset_topic: baseIsEnough,
  reset_producer: baseIsEnough,
  run_now: baseIsEnough,
  skip_firing: baseIsEnough,
  start_run: baseIsEnough,
  start_retry: theRun,
  finish_prepare: (command) => [...theRun(command), ...command.reservations.flatMap(theEvent)],
  finish_mutate: theRun,
  commit_run: (command, view) => [...theRun(command), ...needsOfCommit(view, command)],
  pause_run: theRun,
  resume_run: theRun,
  fail_run: theRun,
  retry_run: theRun,
  stop_run: theRun,
  recover_run: baseIsEnough,
  record_mutation: (command, view) => [...theRun(command), ...needsOfCall(view, command)],
  approve_mutation: theMutation,
  reject_mutation: theMutation,
  ask_approval: theMutation,
  expire_approval: theMutation,
  send_mutation: theMutation,
  resend_mutation: theMutation,
  report_unsent: theMutation,
  settle_mutation: theMutation,
  answer_reconcile: theMutation,
  resolve_mutation: theMutation,
  record_late_answer: theMutation,
  acknowledge: ({ attentionId }) => [row("attentions", attentionId)],
  set_envelope: (_, view) => theEnvelope(view),
  set_brake: baseIsEnough,
  release_brake: baseIsEnough,
  continue_restored: baseIsEnough,
  note_store: baseIsEnough,
  take_checkpoint: baseIsEnough,
};

/** The one in force; a workflow begins without any. */
function theEnvelope(view: View): Need[] {
  const number = view.find("workflows")?.envelope ?? 0;
  return number === 0 ? [] : [row("envelopes", number)];
}

function row(table: TableName, ...key: RowKey): Need {
  return { kind: "row", table, key };
}

/** The open run, if it is the one meant; any other makes the command a refusal anyway. */
function openRun(view: View, runId: string): RunRow | null {
  const run = findOpenRun(view);
  return run?.runId === runId ? run : null;
}

function needsOfCommit(view: View, command: CommitRun): Need[] {
  const run = openRun(view, command.runId);
  if (!run) return [];
  const needs: Need[] = command.inputs.map((input) => row("inputs", inputIdOf(input)));
  for (const [index, { topic, messageId: given, inputId }] of command.publishes.entries()) {
    const messageId = given ?? messageIdOf(view.workflow, run, index);
    needs.push(row("events", topic, messageId));
    needs.push(row("inputs", inputId ?? inputIdOf(impliedInput(topic, messageId, ""))));
  }
  for (const inputId of command.deliveries) needs.push(row("deliveries", inputId));
  for (const { key } of command.kv) needs.push(row("handler_kv", run.handler, key));
  return needs;
}

function needsOfCall(view: View, command: Extract<CoreCommand, { kind: "record_mutation" }>) {
  const run = openRun(view, command.runId);
  const events = run ? heldEvents(view, run.runId) : [];
  if (!run || events.length === 0 || isFirstToHold(run, events)) return [];
  const { mutationKey } = keysOf(view.workflow, { run, events, command });
  return [{ kind: "mutation_key", mutationKey } as const];
}
