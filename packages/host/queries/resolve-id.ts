import {
  eventName,
  isAboutCell,
  isSoundText,
  type Store,
  type Subject,
  type TopicRow,
} from "@holdfast/core";
import { FoundRows, row } from "./found-rows.ts";

export type Resolved =
  /** `handler` = the workflow was named by one of its handlers. */
  | { readonly kind: "subject"; readonly subject: Subject; readonly handler?: string }
  | { readonly kind: "unknown_id" }
  | { readonly kind: "ambiguous"; readonly ids: readonly string[] };

const unknownId = { kind: "unknown_id" } as const;

/**
 * What a person means by an id. Ids that the host gave out come first; an event whose message id
 * looks like one of them is found under its full name, `topic/messageId`.
 */
export async function resolveId(store: Store, workflow: string, id: string): Promise<Resolved> {
  if (id === workflow) return { kind: "subject", subject: { kind: "workflow" } };
  if (id.length === 0 || !isSoundText(id)) return unknownId;
  const found = new FoundRows(store, workflow);
  await found.load([
    { kind: "base" },
    row("runs", id),
    row("mutations", id),
    row("attentions", id),
    row("inputs", id),
    row("items", id),
  ]);
  const own = await subjectOfRows(found, id);
  if (own !== null) return { kind: "subject", subject: own };
  const event = await resolveEvent(found, id);
  if (event.kind !== "unknown_id" || !found.find("handlers", id)) return event;
  return { kind: "subject", subject: { kind: "workflow" }, handler: id };
}

async function subjectOfRows(found: FoundRows, id: string): Promise<Subject | null> {
  if (found.find("inputs", id)) return { kind: "input", inputId: id };
  if (found.find("runs", id)) return { kind: "run", runId: id };
  const mutation = found.find("mutations", id);
  if (mutation) return { kind: "run", runId: mutation.runId };
  const attention = found.find("attentions", id);
  const item = found.find("items", id);
  if (item && !attention) {
    const open = found.rows("runs").find((run) => run.open && run.itemId === id);
    return { kind: "run", runId: open?.runId ?? item.lastRunId };
  }
  if (!attention) return null;
  const { subject } = attention;
  if (subject === null || isAboutCell(attention)) return { kind: "workflow" };
  await found.load([row("mutations", subject)]);
  return { kind: "run", runId: found.find("mutations", subject)?.runId ?? subject };
}

async function resolveEvent(found: FoundRows, id: string): Promise<Resolved> {
  const named = found.rows("topics").flatMap((topic) => possibleEvents(topic, id));
  await found.load(named.map(({ topic, messageId }) => row("events", topic, messageId)));
  const events = named.flatMap(
    ({ topic, messageId }) => found.find("events", topic, messageId) ?? [],
  );
  const exact = events.find((event) => eventName(event) === id);
  const [first, ...others] = exact ? [exact] : events;
  if (!first) return unknownId;
  if (others.length > 0) return { kind: "ambiguous", ids: events.map(eventName) };
  const { topic, messageId } = first;
  return { kind: "subject", subject: { kind: "event", topic, messageId } };
}

/** The id as a message id of the topic, and as a full name in it. */
function possibleEvents({ name: topic }: TopicRow, id: string) {
  const prefix = eventName({ topic, messageId: "" });
  const messageId = id.slice(prefix.length);
  const inFull = id.startsWith(prefix) && messageId.length > 0 ? [{ topic, messageId }] : [];
  return [{ topic, messageId: id }, ...inFull];
}
