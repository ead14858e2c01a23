import type { Said, Tone } from "./states.ts";

type Told = { readonly [name: string]: unknown };

/** Each kind of fact as a sentence; what stands in braces is taken from the fact. */
export const factWords: Readonly<Record<string, string | readonly [says: string, tone: Tone]>> = {
  workflow_created: "the workflow {name} was made",
  version_activated: "{actor} deployed version {major}.{minor}",
  workflow_paused: ["{actor} paused it", "quiet"],
  workflow_resumed: "{actor} let it go on",
  workflow_archived: "{actor} put it away",
  workflow_restored: "{actor} took it out again",
  workflow_errored: ["it stopped: {error}", "stopped"],
  workflow_error_cleared: "{actor} let it go on after an error",
  input_registered: "{title} came in from {source}",
  input_skipped: "{actor} left {inputId} out",
  input_reopened: "{actor} had {inputId} done again",
  delivery_received: "something was handed in for {handler}",
  delivery_skipped: "{actor} left out what was handed in for {handler}",
  event_published: "{topic}/{messageId} was published",
  event_replaced: "{topic}/{messageId} was published again with something else in it",
  republish_noted: "{topic}/{messageId} came again after it was worked off; nothing was done",
  event_skipped: "{actor} left {topic}/{messageId} out",
  event_reprocessed: "{actor} had {topic}/{messageId} worked off again, attempt {attempt}",
  topic_reset: "{actor} had all of {topic} worked off again",
  run_started: ["run {runId} of {handler} began", "moving"],
  run_prepared: "run {runId} of {handler} has chosen what to work on",
  run_advanced: "run {runId} came to {phase}",
  run_paused: "run {runId} waits: {reason}",
  run_resumed: ["run {runId} went on", "moving"],
  run_failed: ["run {runId} failed: {failure.message}", "stopped"],
  run_crashed: ["the host died during run {runId} of {handler}", "stopped"],
  run_retry_ordered: "run {runId} will be tried again",
  run_aborted: "run {runId} was given up: {note}",
  run_committed: ["run {runId} of {handler} finished", "done"],
  events_reserved: "run {runId} took what it works on",
  events_released: "run {runId} gave back what it worked on",
  mutation_recorded: "{call.connection}.{call.operation} at {call.target} was written down",
  mutation_approved: "{approval.actor} agreed to {mutationId}",
  mutation_sent: ["{mutationId} was sent, for the {sendCount}. time", "moving"],
  mutation_applied: ["{mutationId} is done: {evidence.note}", "done"],
  mutation_failed: "{mutationId} did not happen: {failure.message}",
  mutation_requeued: "{mutationId} was not sent, and will be: {evidence.note}",
  mutation_unasked: "{mutationId} waits: {evidence.note}",
  mutation_uncertain: ["nobody knows of {mutationId} yet: {evidence.note}", "unknown"],
  mutation_indeterminate: ["nobody knows whether {mutationId} happened", "unknown"],
  mutation_skipped: "{resolution.actor} left {mutationId} out",
  mutation_cleared: "{resolution.actor} said that {mutationId} had not happened: it may be sent",
  mutation_presumed_sent: ["{mutationId} may have been sent by a host that died", "unknown"],
  evidence_recorded: "this was heard of {mutationId}: {evidence.note}",
  item_entered: ["run {runId} works on the item {itemId}, attempt {attempt}", "moving"],
  item_left: "run {runId} left its item as it is",
  item_completed: ["the item {itemId} is done", "done"],
  item_failed: ["the item {itemId} did not come to its end", "stopped"],
  item_questioned: ["a person is asked about the item {itemId}", "you"],
  item_reopened: "{actor} had the item {itemId} done again, attempt {attempt}",
  item_skipped: "{actor} left the item {itemId} out",
  items_freshened: "{actor} had all items of {handlers} done again",
  payload_questioned: ["the script would now do {mutationId} differently", "you"],
  payload_accepted: "{actor} let what was done by {mutationId} count",
  machine_input_received: "something came for the machines: {inputKind}",
  machine_frame_committed: ["the machines took their turns", "moving"],
  cell_holds_events: ["a cell that has stopped holds up more events", "stopped"],
  version_proposed: "{actor} proposed version {version}, number {number}",
  version_shadowed: "{actor} had proposal {number} tried on a copy",
  version_decided: "{actor} decided on proposal {number}: {says}",
  apply_asked: "{actor} wants proposal {number} applied",
  apply_blocked: ["something stands in the way of proposal {number}: {why}", "stopped"],
  version_applied: ["proposal {number} was applied", "done"],
  intent_opened: ["{machine} wants this done outside: {title}", "moving"],
  intent_settled: "what {intentId} wanted is settled: {outcome}",
  attention_opened: ["a person is asked: {note}", "you"],
  attention_closed: "{actor} answered {attentionId}: {answer}",
  brake_set: ["{actor} stopped the sending of {operation}: {reason}", "stopped"],
  brake_released: "{actor} let {operation} be sent again",
  envelope_set: "{actor} said what it may do, list {number}",
  command_answered: "{actor} asked for {commandKind}: {note}",
  producer_reset: "{actor} let {handler} look from the beginning",
  producers_called: "{actor} had {handlers} look now",
  firing_skipped: "{handler} let {firingCount}{more} of its times pass",
  store_noted: "the store is known as {storeIncarnation}",
  restore_point_moved: "the store was restored: everything up to {through} is older",
  checkpoint_taken: "all tables were compared and signed off",
};

/** What the kinds can be narrowed to, as people would say it. */
export const factGroups = [
  ["run", "runs"],
  ["mutation", "what was sent"],
  ["item", "items"],
  ["machine", "machines"],
  ["event", "events"],
  ["input", "what came in"],
  ["attention", "questions"],
  ["command", "what was asked"],
  ["version", "versions"],
  ["brake", "brakes"],
] as const;

/** The host counts missed times no further. */
const firingsCountedMax = 1_000;

/** What the fact says only by its number. */
function moreOf({ firingCount }: Told): string {
  return typeof firingCount === "number" && firingCount >= firingsCountedMax ? " or more" : "";
}

export function sayFact(kind: string, given: Told): Said {
  const fact = { ...given, more: moreOf(given) };
  const words = factWords[kind] ?? kind.replaceAll("_", " ");
  const [says, tone] = typeof words === "string" ? ([words, "quiet"] as const) : words;
  return { text: says.replaceAll(/\{([^}]+)\}/g, (_, way: string) => textAt(fact, way)), tone };
}

function textAt(fact: Told, way: string): string {
  const found = way.split(".").reduce<unknown>((at, name) => (Object(at) as Told)[name], fact);
  if (Array.isArray(found)) return found.join(", ");
  return found === undefined || found === null ? "–" : String(found);
}
