import { closeAttentions, openAttention } from "../attention/attend.ts";
import { type CanonicalValue, encodeCanonical } from "../canonical/index.ts";
import { putEnvelope } from "../grant/set-envelope.ts";
import { reprocessItems } from "../item/reprocess-items.ts";
import { type Draft, refuse } from "../journal/decision.ts";
import type { Refusal } from "../journal/refusal.ts";
import { admitId, admitSize } from "../policy/admit.ts";
import { findOpenRun } from "../run/find-runs.ts";
import { orderRetry, retryFrom } from "../run/order-retry.ts";
import { reprocessInput } from "../topic/reprocess-input.ts";
import { resetTopic } from "../topic/reset-topic.ts";
import { pinPayload } from "../view/payload.ts";
import type { WorkflowRow } from "../view/rows.ts";
import type { View } from "../view/view.ts";
import type { ActivateVersion, DeclaredHandler } from "./activate-version.ts";
import { declaredIn, differencesOf } from "./differences.ts";
import { ledElsewhere } from "./led-elsewhere.ts";
import type { TopicDeclaration, VersionActivated } from "./workflow-facts.ts";

/** From here on it is the active one; its machines hear of it in their own journal. */
export function takeVersion(
  draft: Draft,
  command: ActivateVersion,
  { proposedBy }: Pick<VersionActivated, "proposedBy"> = {},
): Refusal | null {
  const workflow = draft.view.find("workflows");
  if (!workflow) return refuse("workflow_not_created");
  if (workflow.status === "archived") return refuse("workflow_is_archived");
  const bad =
    whyNotNewer(workflow, command) ??
    whyInvalid(draft, command) ??
    whyNotMinor(draft.view, command) ??
    whyNotGranted(draft.view, command);
  if (bad) return bad;
  const wrong = command.grants && putEnvelope(draft, command.grants, command.actor);
  if (wrong) return wrong;
  emitActivation(draft, command, proposedBy);
  const stuck = beginAnew(draft, command);
  if (stuck) return stuck;
  retryFailedRun(draft, command.actor);
  askAboutGoneHandler(draft);
  return null;
}

/** Its bytes are kept with the change; null = they are, or nothing is to be kept. */
export function storeScript(draft: Draft, { script, scriptHash }: ActivateVersion): Refusal | null {
  if (script === null) return null;
  const { hash } = pinPayload(script).payload;
  if (hash !== scriptHash) {
    return refuse("version_invalid", `The script is ${hash}, not ${scriptHash}.`);
  }
  draft.store({ hash, bytes: script });
  return null;
}

function whyNotNewer(active: WorkflowRow, { major, minor }: ActivateVersion): Refusal | null {
  const newer =
    major > active.versionMajor || (major === active.versionMajor && minor > active.versionMinor);
  if (newer) return null;
  const text = `${active.versionMajor}.${active.versionMinor}`;
  return refuse("version_not_newer", `Version ${major}.${minor} is not newer than ${text}.`);
}

/** A minor version mends the code and nothing else; whatever a machine can see is compared. */
function whyNotMinor(view: View, command: ActivateVersion): Refusal | null {
  const active = view.load("workflows");
  if (active.scriptHash === null || command.major > active.versionMajor) return null;
  const text = `${command.major}.${command.minor}`;
  if (command.progress !== "keep") {
    return refuse("version_not_minor", `Version ${text} is a minor one: it keeps all progress.`);
  }
  const differences = differencesOf(declaredIn(view), command);
  if (differences.length === 0) return null;
  const shown = differences.slice(0, differencesShownMax).map(({ note }) => note);
  const rest = differences.length - shown.length;
  const all = [...shown, ...(rest > 0 ? [`${rest} more`] : [])].join("; ");
  const next = `${active.versionMajor + 1}.0`;
  const note = `Version ${text} is a minor one, but ${all}. Make it ${next}.`;
  return refuse("version_not_minor", note);
}

const differencesShownMax = 5;

/** Nobody lent it the other account: a person says so anew, or that the grants hold there too. */
function whyNotGranted(view: View, command: ActivateVersion): Refusal | null {
  const { scriptHash, envelope, connections } = view.load("workflows");
  const isSaid = command.grants !== null || command.keepsEnvelope === envelope;
  if (scriptHash === null || envelope === 0 || isSaid) return null;
  const led = ledElsewhere(connections ?? [], command.connections);
  if (led.length === 0) return null;
  const shown = led.map(({ connection, was, is }) => `${connection} leads to ${is}, not ${was}`);
  const note = `${shown.join("; ")}. Envelope ${envelope} was given for what it was.`;
  return refuse("grants_for_another_account", note);
}

/** Refused as a whole while a run holds any of it. */
function beginAnew(draft: Draft, { progress, topics, actor }: ActivateVersion): Refusal | null {
  if (progress === "keep") return null;
  if (progress === "fresh") {
    for (const { name, observed } of topics) {
      const isEmpty = draft.view.load("topics", name).lastPendingSeq === 0;
      if (observed || isEmpty) continue;
      const bad = resetTopic(draft, { kind: "reset_topic", topic: name, actor });
      if (bad) return bad;
    }
    return startJobsFresh(draft, actor);
  }
  const { reservationsMax } = draft.view.policy;
  const tooMany = admitSize("selected inputs", progress.select.length, reservationsMax);
  if (tooMany) return tooMany;
  for (const inputId of new Set(progress.select)) {
    const bad = reprocessInput(draft, { kind: "reprocess_input", inputId, actor });
    // What is pending is worked off anyway.
    if (bad && bad.code !== "event_is_pending") return { ...bad, note: `${inputId}: ${bad.note}` };
  }
  const itemIds = progress.items ?? [];
  if (itemIds.length === 0) return null;
  return reprocessItems(draft, { kind: "reprocess_items", itemIds, actor });
}

/** Every item is met again as a new attempt; the one a run is in could not be. */
function startJobsFresh(draft: Draft, actor: string): Refusal | null {
  const run = findOpenRun(draft.view);
  if (run?.kind === "job") {
    return refuse("workflow_has_open_run", `Run ${run.runId} is open (${run.status}).`);
  }
  const handlers = [...draft.view.rows("handlers")]
    .filter(({ kind, declared }) => kind === "job" && declared)
    .map(({ name }) => name);
  if (handlers.length > 0) draft.emit({ kind: "items_freshened", handlers, actor });
  return null;
}

function whyInvalid(draft: Draft, { topics, handlers }: ActivateVersion): Refusal | null {
  const topicNames = new Set(topics.map((topic) => topic.name));
  const handlerNames = new Set(handlers.map((handler) => handler.name));
  if (topicNames.size < topics.length || handlerNames.size < handlers.length) {
    return refuse("version_invalid", "Two topics or two handlers share a name.");
  }
  for (const name of [...topicNames, ...handlerNames]) {
    const bad = admitId(draft.view.policy, "name", name);
    if (bad) return bad;
  }
  for (const { name, schema } of topics) {
    const size = schema === null ? 0 : encodeCanonical(schema as CanonicalValue).length;
    const bad = admitSize(`schema of ${name} in bytes`, size, draft.view.policy.schemaBytesMax);
    if (bad) return bad;
  }
  for (const { name, subscribe, publishes } of handlers) {
    const unknown = [...subscribe, ...(publishes ?? [])].find((topic) => !topicNames.has(topic));
    if (unknown) return refuse("version_invalid", `${name} names the unknown topic ${unknown}.`);
  }
  return whyWrongKind(draft, handlers) ?? whySubscribersDiffer(topics, handlers);
}

/** What a handler remembers belongs to its kind, so a name keeps the kind it began with. */
function whyWrongKind(draft: Draft, handlers: readonly DeclaredHandler[]): Refusal | null {
  for (const { name, kind, subscribe, webhook } of handlers) {
    const known = draft.view.find("handlers", name);
    if (known && known.kind !== kind) {
      return refuse("version_invalid", `${name} was a ${known.kind}; give the ${kind} a new name.`);
    }
    if (kind === "producer" && subscribe.length > 0) {
      return refuse("version_invalid", `${name} is a producer and cannot subscribe.`);
    }
    if (kind === "consumer" && webhook) {
      return refuse("version_invalid", `${name} is a consumer and takes no deliveries.`);
    }
    if (kind === "consumer" && subscribe.length === 0) {
      return refuse("version_invalid", `${name} subscribes to nothing.`);
    }
  }
  return null;
}

/** One subscriber per topic, told the same way from both sides. */
function whySubscribersDiffer(
  topics: readonly TopicDeclaration[],
  handlers: readonly DeclaredHandler[],
): Refusal | null {
  for (const topic of topics) {
    const subscribers = handlers.filter((handler) => handler.subscribe.includes(topic.name));
    if (topic.observed && subscribers.length > 0) {
      return refuse("version_invalid", `Topic ${topic.name} is observed and has a subscriber.`);
    }
    if (subscribers.length > 1) {
      return refuse("version_invalid", `Topic ${topic.name} has more than one subscriber.`);
    }
    if ((subscribers[0]?.name ?? null) !== topic.subscriber) {
      return refuse("version_invalid", `Topic ${topic.name} names another subscriber.`);
    }
  }
  return null;
}

function emitActivation(draft: Draft, command: ActivateVersion, proposedBy?: string): void {
  const { view, now } = draft;
  const handlers = command.handlers.map(({ scheduled, ...declaration }) => ({
    ...declaration,
    nextRunAt: scheduled ? now : null,
  }));
  const gone = (table: "topics" | "handlers", declared: readonly { name: string }[]) =>
    [...view.rows(table)]
      .filter((row) => row.declared && !declared.some(({ name }) => name === row.name))
      .map((row) => row.name);
  draft.emit({
    kind: "version_activated",
    major: command.major,
    minor: command.minor,
    scriptHash: command.scriptHash,
    connections: command.connections,
    definitions: command.definitions ?? null,
    newTopics: command.topics.filter(({ name }) => !view.find("topics", name)),
    keptTopics: command.topics.filter(({ name }) => view.find("topics", name)),
    goneTopics: gone("topics", command.topics),
    newHandlers: handlers.filter(({ name }) => !view.find("handlers", name)),
    keptHandlers: handlers.filter(({ name }) => view.find("handlers", name)),
    goneHandlers: gone("handlers", handlers),
    actor: command.actor,
    ...(proposedBy === undefined ? {} : { proposedBy }),
  });
}

/** A run that failed on the old code is tried again on the new one. */
function retryFailedRun(draft: Draft, actor: string): void {
  const run = findOpenRun(draft.view);
  if (run?.status !== "failed:logic" || run.retryFrom !== null) return;
  if (!draft.view.load("handlers", run.handler).declared) return;
  closeAttentions(draft, run.runId, { actor, answer: "retry" });
  orderRetry(draft, run, retryFrom(draft.view, run));
}

/** Its open run can end on the version it began with, but a retry would have no code to run. */
function askAboutGoneHandler(draft: Draft): void {
  const run = findOpenRun(draft.view);
  if (!run || draft.view.load("handlers", run.handler).declared) return;
  const note = `${run.handler} is not in the active version, but its run ${run.runId} is open`;
  openAttention(draft, "action_needed", run.runId, note);
}
