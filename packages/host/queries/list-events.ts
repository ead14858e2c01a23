import type { EventRow, EventStatus, Store } from "@holdfast/core";
import type { EventDetail, EventItem, Filter, Page } from "./answers.ts";
import { eventDetail } from "./details.ts";
import { readerOf, walkFacts } from "./fact-list.ts";
import { FoundRows, row } from "./found-rows.ts";
import { inputNames } from "./items.ts";
import { allOf, havingText, pageOf, readPage } from "./paged-list.ts";
import { publishedAt } from "./published-at.ts";
import { viewFor } from "./why-of.ts";

export type EventFilter = Filter & {
  /** null = of every topic. */
  readonly topic: string | null;
  readonly status: EventStatus | null;
};

/** What is in the topics, newest first; of a topic nobody knows there is nothing. */
export async function listEvents(
  store: Store,
  workflow: string,
  query: EventFilter,
): Promise<Page<EventItem>> {
  const { status, topic } = query;
  const isUnsettled = status === "pending" || status === "reserved";
  const list = isUnsettled ? "unsettledEvents" : "events";
  const topics = topic === null ? await topicNames(store, workflow) : [topic];
  const readers = topics.map((name) =>
    readerOf(store, workflow, { list, of: [name], as: (event) => event }),
  );
  const pick = allOf<EventRow>(
    status === null ? null : (event) => event.status === status,
    havingText(query.text, (event) => [event.messageId, event.title]),
  );
  const seqOf = ({ position }: EventRow) => position;
  const walk = await walkFacts(store, workflow, { readers, filter: query, seqOf, pick });
  const found = await readPage(walk, query);
  return pageOf(await eventItems(store, workflow, found.rows), found);
}

async function topicNames(store: Store, workflow: string): Promise<readonly string[]> {
  const names: string[] = [];
  for await (const { name } of store.scan(workflow, "topics")) names.push(name);
  return names;
}

async function eventItems(
  store: Store,
  workflow: string,
  events: readonly EventRow[],
): Promise<readonly EventItem[]> {
  const found = new FoundRows(store, workflow);
  await found.load([
    ...events.flatMap(({ createdBy }) => (createdBy === null ? [] : [row("runs", createdBy)])),
    ...events.flatMap(({ causedBy }) => causedBy.map((inputId) => row("inputs", inputId))),
  ]);
  const items: EventItem[] = [];
  for (const event of events) {
    const { topic, messageId, title, status, reservedBy, createdBy } = event;
    const { attempt, deliveryCount, lateCount, revision } = event;
    items.push({
      topic,
      messageId,
      title,
      status,
      reservedBy,
      createdBy,
      attempt,
      deliveryCount,
      lateCount,
      revision,
      publishedAt: await publishedAt(store, workflow, found, event),
      inputs: inputNames(found, event.causedBy),
    });
  }
  return items;
}

/** Null = there is no such event. */
export async function showEvent(
  store: Store,
  workflow: string,
  event: { readonly topic: string; readonly messageId: string },
): Promise<EventDetail | null> {
  const { topic, messageId } = event;
  const found = new FoundRows(store, workflow);
  await found.load([row("events", topic, messageId)]);
  if (found.find("events", topic, messageId) === null) return null;
  const { view } = await viewFor({ store, workflow }, { kind: "event", ...event });
  return eventDetail({ store, workflow, view }, event);
}
