import type { CoreCommand } from "./command.ts";
import { keysOf } from "./mutation/record-mutation.ts";
import { admitCommand } from "./policy/admit-command.ts";
import type { Need } from "./ports/store.ts";
import type { CommitRun } from "./run/commit-run.ts";
import { findOpenRun, heldEvents } from "./run/find-runs.ts";
import { impliedInput, messageIdOf } from "./run/run-publications.ts";
import { inputIdOf } from "./topic/input-id.ts";
import { manualInput } from "./topic/publish-event.ts";
import type { RunRow } from "./view/rows.ts";
import type { TableName } from "./view/tables.ts";
import type { View } from "./view/view.ts";

/**
 * What must be loaded besides `base` before the command can be decided. The view has `base`
 * already, so that what hangs off the open run can be named.
 */
export function needsOf(view: View, command: CoreCommand): Need[] {
  const admitted = admitCommand(view.policy, command);
  return "code" in admitted ? [] : needsOfAdmitted(view, admitted);
}

function needsOfAdmitted(view: View, command: CoreCommand): Need[] {
  switch (command.kind) {
    case "publish_event":
      return [
        row("events", command.topic, command.messageId),
        row("inputs", inputIdOf(manualInput(command))),
      ];
    case "skip_event":
    case "reprocess_event":
      return [row("events", command.topic, command.messageId)];
    case "skip_input":
    case "reprocess_input":
      return [row("inputs", command.inputId), { kind: "input", inputId: command.inputId }];
    case "finish_prepare":
      return [
        row("runs", command.runId),
        ...command.reservations.map(({ topic, messageId }) => row("events", topic, messageId)),
      ];
    case "commit_run":
      return [row("runs", command.runId), ...needsOfCommit(view, command)];
    case "record_mutation":
      return [row("runs", command.runId), ...needsOfCall(view, command)];
    case "start_retry":
    case "finish_mutate":
    case "pause_run":
    case "resume_run":
    case "fail_run":
    case "retry_run":
    case "stop_run":
      return [row("runs", command.runId)];
    case "approve_mutation":
    case "reject_mutation":
    case "expire_approval":
    case "send_mutation":
    case "resend_mutation":
    case "report_unsent":
    case "settle_mutation":
    case "answer_reconcile":
    case "resolve_mutation":
    case "record_late_answer":
      return [row("mutations", command.mutationId)];
    case "acknowledge":
      return [row("attentions", command.attentionId)];
    default:
      return [];
  }
}

function row(table: TableName, ...key: string[]): Need {
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
  for (const { key } of command.kv) needs.push(row("handler_kv", run.handler, key));
  return needs;
}

function needsOfCall(view: View, command: Extract<CoreCommand, { kind: "record_mutation" }>) {
  const run = openRun(view, command.runId);
  const events = run ? heldEvents(view, run.runId) : [];
  if (!run || events.length === 0) return [];
  const { mutationKey } = keysOf(run, events, command);
  return [{ kind: "mutation_key", mutationKey } as const];
}
