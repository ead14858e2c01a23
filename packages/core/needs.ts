import { usesOfHeld } from "./attention/cell-question.ts";
import type { CommandKind, CoreCommand } from "./command.ts";
import { type Deciding, needsOfDecided } from "./inbox/decided-on.ts";
import { intentKeysOf, type RecordIntent } from "./intent/record-intent.ts";
import type { CompleteItem } from "./item/complete-item.ts";
import { itemOfRun } from "./item/find-items.ts";
import type { EditMutation } from "./mutation/edit-mutation.ts";
import { itemKeysOf } from "./mutation/item-keys.ts";
import {
  type CallToRecord,
  isFirstToHold,
  keysOf,
  type RecordMutation,
} from "./mutation/record-mutation.ts";
import { admitCommand } from "./policy/admit-command.ts";
import type { Need } from "./ports/store.ts";
import type { CommitRun } from "./run/commit-run.ts";
import { findOpenRun, heldEvents } from "./run/find-runs.ts";
import {
  impliedInput,
  messageIdOf,
  type PublishedEvent,
  type PublishedIn,
} from "./run/run-publications.ts";
import { inputIdOf } from "./topic/input-id.ts";
import { manualInput } from "./topic/publish-event.ts";
import { deliveryInput } from "./topic/receive-delivery.ts";
import type { EventRef } from "./topic/topic-facts.ts";
import type { RowKey } from "./view/row-change.ts";
import type { RunRow } from "./view/rows.ts";
import type { TableName } from "./view/tables.ts";
import type { View } from "./view/view.ts";
import type { ActivateVersion, Selection } from "./workflow/activate-version.ts";

/**
 * What must be loaded besides `base` before the command can be decided. The view has `base`
 * already, so that what hangs off the open run can be named.
 */
export function needsOf(view: View, command: CoreCommand & Deciding): Need[] {
  const admitted = admitCommand(view.policy, command);
  return "code" in admitted ? [] : needsOfAdmitted(view, admitted);
}

export function needsOfAdmitted(view: View, admitted: CoreCommand & Deciding): Need[] {
  const own = (namers[admitted.kind] as Namer<CoreCommand>)(admitted, view);
  return admitted.decidedOn === undefined ? own : [...own, ...needsOfDecided(admitted)];
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
  activate_version: needsOfVersion,
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
  start_run: ({ event = null }) => (event === null ? [] : theEvent(event)),
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
  edit_mutation: (command, view) => [...theMutation(command), ...needsOfEdit(view, command)],
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
  note_stale: theInput,
  set_envelope: (_, view) => theEnvelope(view),
  set_brake: baseIsEnough,
  release_brake: baseIsEnough,
  continue_restored: baseIsEnough,
  note_store: baseIsEnough,
  enter_item: (command) => [...theRun(command), row("items", command.itemId)],
  complete_item: (command, view) => [
    ...theRun(command),
    row("items", command.itemId),
    ...needsOfItemPublishes(view, command),
  ],
  compare_payload: (command) => [...theRun(command), ...theMutation(command)],
  accept_payload: theItem,
  reprocess_items: ({ itemIds }) => itemIds.flatMap((itemId) => theItem({ itemId })),
  skip_item: theItem,
  start_fresh: baseIsEnough,
  make_way: theRun,
  send_to_machine: baseIsEnough,
  cancel_intent: baseIsEnough,
  restart_cell: baseIsEnough,
  snapshot_machines: baseIsEnough,
  propose_version: needsOfVersion,
  shadow_version: theProposal,
  decide_version: theProposal,
  apply_version: theProposal,
  // What it grants is in its body.
  swap_version: (command, view) => [...theProposal(command), ...theEnvelope(view)],
  hold_apply: theProposal,
  begin_turn: baseIsEnough,
  commit_frame: ({ publishes, cells }, view) => [
    ...publishes.flatMap(theEvent),
    ...usesOfHeld(view, cells),
  ],
  fail_machines: baseIsEnough,
  record_intent: (command, view) => needsOfIntent(view, command),
  refuse_intent: baseIsEnough,
  withdraw_intent: baseIsEnough,
  fail_intent: theMutation,
  await_executor: theMutation,
  recover_intent: theMutation,
  take_checkpoint: baseIsEnough,
};

function theItem({ itemId }: { readonly itemId: string }): Need[] {
  return [row("items", itemId), { kind: "item", itemId }];
}

function theProposal({ number }: { readonly number: number }): Need[] {
  return [row("proposals", number)];
}

type Version = Pick<ActivateVersion, "progress" | "grants">;

function needsOfVersion({ progress, grants }: Version, view: View): Need[] {
  return [
    ...(grants === null ? [] : theEnvelope(view)),
    ...(typeof progress === "string" ? [] : needsOfSelected(progress)),
  ];
}

function needsOfSelected({ select, items }: Selection): Need[] {
  return [
    ...select.flatMap((inputId) => theInput({ inputId })),
    ...(items ?? []).flatMap((itemId) => theItem({ itemId })),
  ];
}

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
  needs.push(...needsOfPublishes(view, run, command.publishes, null));
  for (const inputId of command.deliveries) needs.push(row("deliveries", inputId));
  for (const { key } of command.kv) needs.push(row("handler_kv", run.handler, key));
  return needs;
}

function needsOfPublishes(
  view: View,
  run: RunRow,
  publishes: readonly PublishedEvent[],
  item: PublishedIn | null,
): Need[] {
  return publishes.flatMap(({ topic, messageId: given, inputId }, index) => {
    const messageId = given ?? messageIdOf(view.workflow, run, index, item);
    const input = inputId ?? inputIdOf(impliedInput(topic, messageId, ""));
    return [row("events", topic, messageId), row("inputs", input)];
  });
}

function needsOfItemPublishes(view: View, command: CompleteItem): Need[] {
  const run = openRun(view, command.runId);
  return run ? needsOfPublishes(view, run, command.publishes, command) : [];
}

function needsOfCall(view: View, command: RecordMutation): Need[] {
  const run = openRun(view, command.runId);
  if (run?.kind === "job") return needsOfItemCall(view, run, command);
  return needsOfKey(view, run, command);
}

/** A call that waits is one of the open run, whose calls are all there; an item's keeps its key. */
function needsOfEdit(view: View, command: EditMutation): Need[] {
  const { mutationId } = command;
  const waiting = view.rows("mutations").find((each) => each.mutationId === mutationId);
  if (waiting?.state !== "awaiting_approval" || waiting.itemId !== null) return [];
  const { runId, connection, operation } = waiting;
  return needsOfKey(view, openRun(view, runId), { ...command, connection, operation });
}

function needsOfKey(view: View, run: RunRow | null, command: CallToRecord): Need[] {
  const events = run ? heldEvents(view, run.runId) : [];
  if (!run || events.length === 0 || isFirstToHold(run, events)) return [];
  const { mutationKey } = keysOf(view.workflow, { run, events, command });
  return [{ kind: "mutation_key", mutationKey } as const];
}

function needsOfItemCall(view: View, run: RunRow, command: RecordMutation): Need[] {
  const item = itemOfRun(view, run);
  if (item === null) return [];
  const { mutationKey } = itemKeysOf(view.workflow, item, command);
  return [{ kind: "mutation_key", mutationKey }];
}

/** By itself an intent is recorded once; a key that a step asked for may be there already. */
function needsOfIntent(view: View, command: RecordIntent): Need[] {
  if (command.requestedKey === null) return [];
  const { mutationKey } = intentKeysOf(view.workflow, command);
  return [{ kind: "mutation_key", mutationKey }];
}
