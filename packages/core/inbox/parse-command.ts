import type { NoteStale } from "../attention/note-stale.ts";
import { CanonicalError, type CanonicalValue, decodeCanonical } from "../canonical/index.ts";
import type { InboxCommand } from "../command.ts";
import type { Verdict } from "../grant/grant.ts";
import { refuse } from "../journal/decision.ts";
import type { Refusal } from "../journal/refusal.ts";
import type { RecordLateAnswer } from "../mutation/record-late-answer.ts";
import type { Answer } from "../mutation/resolve-mutation.ts";
import type { Command } from "../ports/store.ts";
import type { DeclaredHandler, Progress } from "../workflow/activate-version.ts";
import type { TopicDeclaration } from "../workflow/workflow-facts.ts";
import { type Deciding, decidedOn } from "./decided-on.ts";
import {
  bytes,
  fieldsOf,
  flag,
  listOf,
  MalformedBody,
  natural,
  oneOf,
  orAbsent,
  orNull,
  type Read,
  record,
  saysOneOf,
  schema,
  text,
} from "./read-body.ts";

export type InboxKind = InboxCommand["kind"];
/** The body is the command without what its heading says already. */
type Body<K extends InboxKind> = Omit<Extract<InboxCommand, { kind: K }>, "kind" | "actor">;

const topic = record<TopicDeclaration>({
  name: text,
  subscriber: orNull(text),
  observed: flag,
  schema: orNull(schema),
  machines: orAbsent(flag),
});

const handler = record<DeclaredHandler>({
  name: text,
  kind: oneOf("producer", "consumer", "job"),
  subscribe: listOf(text),
  publishes: orNull(listOf(text)),
  onMutationFailed: oneOf("prepare", "replay"),
  catchUp: oneOf("once", "skip"),
  webhook: flag,
  start: text,
  scheduled: flag,
  forms: orAbsent(listOf(text)),
});

const answer = saysOneOf<Answer>({
  try_again: record({ says: oneOf("try_again") }),
  did_not_happen: record({
    says: oneOf("did_not_happen"),
    // biome-ignore lint/suspicious/noThenProperty: the word of the contract; never awaited
    then: orNull(oneOf("prepare", "replay")),
    seen: orAbsent(text),
  }),
  happened: record({ says: oneOf("happened"), result: orNull(bytes), seen: orAbsent(text) }),
  skip: record({ says: oneOf("skip") }),
  send: record({ says: oneOf("send") }),
});

const verdict: Read<Verdict> = (value, path) => {
  const { budget, spent, fourEyes, keyed, ...judged } = record({
    envelope: natural,
    grant: natural,
    says: oneOf("allow", "ask"),
    budget: orAbsent(record({ name: text, version: natural })),
    spent: orAbsent(text),
    fourEyes: orAbsent(flag),
    keyed: orAbsent(text),
  })(value, path);
  return {
    ...judged,
    ...(budget === null ? {} : { budget }),
    ...(spent === null ? {} : { spent }),
    ...(fourEyes === null ? {} : { fourEyes }),
    ...(keyed === null ? {} : { keyed }),
  };
};

const empty = record<Record<never, never>>({});
const event = record({ topic: text, messageId: text });
const input = record({ inputId: text });
const run = record({ runId: text });

type Version = Body<"activate_version">;
const progress: Read<Progress> = (value, path) =>
  typeof value === "string"
    ? oneOf("keep", "fresh")(value, path)
    : record({ select: listOf(text), items: orAbsent(listOf(text)) })(value, path);
const version = {
  major: natural,
  minor: natural,
  scriptHash: text,
  script: orNull(bytes),
  topics: listOf(topic),
  handlers: listOf(handler),
  connections: listOf(text),
  grants: orNull(bytes),
  keepsEnvelope: orAbsent(natural),
  machines: orAbsent(flag),
  definitions: orAbsent(listOf(text)),
  progress,
};

/** All that a version is, without who wants it. */
export const readVersion: Read<Version> = record<Version>(version);

export const bodies: { readonly [K in InboxKind]: Read<Body<K>> } = {
  activate_version: readVersion,
  pause_workflow: empty,
  resume_workflow: empty,
  archive_workflow: empty,
  restore_workflow: empty,
  publish_event: record({ topic: text, messageId: text, payload: bytes, title: orNull(text) }),
  receive_delivery: record({ handler: text, deliveryId: text, body: bytes, title: orNull(text) }),
  skip_event: event,
  skip_input: input,
  reprocess_event: event,
  reprocess_input: input,
  reset_topic: record({ topic: text }),
  reset_producer: record({ handler: text }),
  run_now: empty,
  resume_run: run,
  retry_run: run,
  stop_run: run,
  approve_mutation: record({ mutationId: text, payloadHash: text, previewHash: text }),
  reject_mutation: record({
    mutationId: text,
    reason: text,
    // biome-ignore lint/suspicious/noThenProperty: the word of the contract; never awaited
    then: oneOf("skip", "stop"),
  }),
  edit_mutation: record({
    mutationId: text,
    editedHash: text,
    connector: text,
    connectorVersion: text,
    target: text,
    identity: bytes,
    payload: bytes,
    canReconcile: flag,
    retentionMs: orNull(natural),
    visibilityDelayMs: orNull(natural),
    timeoutMs: natural,
    verdict,
    amount: orNull(natural),
    ask: record({ previewHash: text, preview: text, expiresAt: natural, fourEyes: flag }),
  }),
  resolve_mutation: record({ mutationId: text, answer }),
  acknowledge: record({ attentionId: text }),
  set_envelope: record({ grants: bytes, expects: orAbsent(natural) }),
  set_brake: record({ operation: text, reason: text }),
  release_brake: record({ operation: text }),
  continue_restored: record({ attentionId: text }),
  reprocess_items: record({ itemIds: listOf(text) }),
  skip_item: record({ itemId: text }),
  start_fresh: record({ handler: text }),
  accept_payload: record({ itemId: text, payloadHash: text }),
  send_to_machine: record({ machine: text, key: orNull(bytes), value: bytes }),
  cancel_intent: record({ intentId: text }),
  restart_cell: record({
    machine: text,
    key: orNull(bytes),
    poison: oneOf("redeliver", "drop"),
  }),
  snapshot_machines: record({}),
  propose_version: record({ ...version, base: text, description: orNull(text) }),
  shadow_version: record({ number: natural, patchHash: text, report: bytes }),
  decide_version: record({
    number: natural,
    patchHash: text,
    says: oneOf("approve", "reject"),
    reason: orNull(text),
  }),
  apply_version: record({ number: natural, waits: flag }),
};

/** What the owner does on its own is recorded under this name; nobody else may use it. */
const hostActor = "host";

type HostCommand = RecordLateAnswer | NoteStale;

/**
 * A host that is not the owner may hear or see something that the owner has to know. It says so in
 * its own name, and can say nothing else; nobody else can say it.
 */
const fromHosts: {
  readonly [K in HostCommand["kind"]]: Read<Omit<Extract<HostCommand, { kind: K }>, "kind">>;
} = {
  record_late_answer: record({
    mutationId: text,
    says: oneOf("applied", "failed", "unknown"),
    result: orNull(bytes),
    note: text,
  }),
  note_stale: record({ inputId: text, count: natural, isMore: flag }),
};

export function actorOfHost(incarnation: string): string {
  return `${hostActor}:${incarnation}`;
}

export const inboxKinds = Object.keys(bodies) as InboxKind[];

/** What any command may say besides what it asks for. */
function apart(value: CanonicalValue, kind: string): { body: CanonicalValue; deciding: Deciding } {
  const { decidedOn: on = null, ...body } = fieldsOf(value, kind);
  if (on === null) return { body: value, deciding: {} };
  return { body, deciding: { decidedOn: decidedOn(on, `${kind}.decidedOn`) } };
}

/** The border: an inbox command is exactly one we know, or refused with the path of the fault. */
export function parseCommand(
  entry: Pick<Command, "kind" | "actor" | "body">,
): (InboxCommand & Deciding) | HostCommand | Refusal {
  const { kind, actor } = entry;
  const isOfHost = Object.hasOwn(fromHosts, kind) && actor.startsWith(actorOfHost(""));
  if (!isOfHost && (actor === hostActor || actor.startsWith(actorOfHost("")))) {
    return refuse("command_malformed", "Only the host itself may act as the host.");
  }
  if (!isOfHost && !Object.hasOwn(bodies, kind)) {
    return refuse("command_malformed", `There is no command ${kind}.`);
  }
  try {
    const value = decodeCanonical(entry.body);
    if (isOfHost) {
      const said = fromHosts[kind as HostCommand["kind"]] as Read<object>;
      return { ...said(value, kind), kind } as HostCommand;
    }
    const { body, deciding } = apart(value, kind);
    const read = bodies[kind as InboxKind] as Read<object>;
    return { ...read(body, kind), ...deciding, kind, actor } as InboxCommand & Deciding;
  } catch (error) {
    if (error instanceof MalformedBody || error instanceof CanonicalError) {
      return refuse("command_malformed", error.message);
    }
    throw error;
  }
}
