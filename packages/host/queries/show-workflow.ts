import type { HandlerRow, Instant, Store, TopicRow, WorkflowSummary } from "@holdfast/core";
import type { Counted, HandlerItem, TopicItem, WorkflowItem, WorkflowShown } from "./answers.ts";
import { seqAt } from "./fact-list.ts";
import { findSummary } from "./find-summary.ts";
import { FoundRows } from "./found-rows.ts";

/** Beyond this it makes no difference to a person how many there are. */
const countedMax = 1_000;
/** What counts as recent. */
const recentMs = 86_400_000;

/** One line of a home page: what waits, what was done, when it goes on. */
export async function workflowItem(
  store: Store,
  summary: WorkflowSummary,
  now: Instant,
): Promise<WorkflowItem> {
  const found = await baseOf(store, summary.workflow);
  return itemOf(store, { summary, found, now });
}

/** With its topics and handlers. Null = there is no such workflow. */
export async function showWorkflow(
  store: Store,
  workflow: string,
  now: Instant,
): Promise<WorkflowShown | null> {
  const summary = await findSummary(store, workflow);
  if (summary === null) return null;
  const found = await baseOf(store, workflow);
  const topics: TopicItem[] = [];
  for (const topic of byName(found.rows("topics"))) {
    topics.push(await topicItem(store, workflow, topic));
  }
  const item = await itemOf(store, { summary, found, now });
  return { ...item, topics, handlers: byName(found.rows("handlers")).map(handlerItem) };
}

/** Each definition is the name of a machine, and a hash. */
function machinesOf(found: FoundRows): readonly string[] {
  const { definitions } = found.find("workflows") ?? { definitions: null };
  return (definitions ?? []).flatMap((each) => each.split(" ", 1));
}

/** Null = the workflow has no such topic. */
export async function showTopic(
  store: Store,
  workflow: string,
  name: string,
): Promise<TopicItem | null> {
  const found = await baseOf(store, workflow);
  const topic = found.find("topics", name);
  return topic === null ? null : topicItem(store, workflow, topic);
}

function byName<R extends { readonly name: string }>(rows: readonly R[]): readonly R[] {
  return rows.toSorted((left, right) => (left.name < right.name ? -1 : 1));
}

async function baseOf(store: Store, workflow: string): Promise<FoundRows> {
  const found = new FoundRows(store, workflow);
  await found.load([{ kind: "base" }]);
  return found;
}

async function itemOf(
  store: Store,
  { summary, found, now }: { summary: WorkflowSummary; found: FoundRows; now: Instant },
): Promise<WorkflowItem> {
  const { workflow, head, owner, dueAt } = summary;
  const row = found.find("workflows");
  const pending = await pendingOf(store, workflow, found.rows("topics"));
  const waiting = found.rows("handlers").reduce((sum, each) => sum + each.waitingCount, 0);
  return {
    workflow,
    status: row?.status ?? "not created",
    error: row?.error ?? null,
    version: row?.scriptHash ? `${row.versionMajor}.${row.versionMinor}` : null,
    records: head.seq,
    owner,
    dueAt,
    lastAt: head.seq === 0 ? null : head.at,
    pending,
    deliveriesWaiting: waiting,
    runsOfDay: await runsSince(store, workflow, now - recentMs),
    openRun: found.rows("runs").find(({ open }) => open)?.runId ?? null,
    openQuestions: found.rows("attentions").filter(({ closedAt }) => closedAt === null).length,
    brakes: found.rows("brakes").map(({ operation }) => operation),
    machines: machinesOf(found),
  };
}

async function pendingOf(
  store: Store,
  workflow: string,
  topics: readonly TopicRow[],
): Promise<Counted> {
  let count = 0;
  for (const { name, subscriber } of topics) {
    if (subscriber !== null) count += (await unsettledIn(store, workflow, name)).count;
    if (count >= countedMax) return { count: countedMax, isMore: true };
  }
  return { count, isMore: false };
}

/** Begun since then; the one that is open too. */
async function runsSince(store: Store, workflow: string, at: Instant): Promise<Counted> {
  const from = await seqAt(store, workflow, at);
  const limit = countedMax + 1;
  const asked = {
    workflow,
    list: "runs",
    of: [],
    after: null,
    downTo: [`r${from}`],
    limit,
  } as const;
  return counted(await store.countRows(asked));
}

async function unsettledIn(store: Store, workflow: string, topic: string): Promise<Counted> {
  const limit = countedMax + 1;
  const asked = {
    workflow,
    list: "unsettledEvents",
    of: [topic],
    after: null,
    downTo: null,
  } as const;
  return counted(await store.countRows({ ...asked, limit }));
}

function counted(count: number): Counted {
  return { count: Math.min(count, countedMax), isMore: count > countedMax };
}

async function topicItem(store: Store, workflow: string, topic: TopicRow): Promise<TopicItem> {
  const { name, subscriber, observed, declared, schema } = topic;
  const pending = await unsettledIn(store, workflow, name);
  return { topic: name, subscriber, observed, declared, schema, pending };
}

function handlerItem(row: HandlerRow): HandlerItem {
  const { name, kind, subscribe, publishes, declared, webhook, start, crashCount } = row;
  const { waitingCount: deliveriesWaiting, nextRunAt, wakeAt } = row;
  return {
    handler: name,
    kind,
    subscribe,
    publishes,
    declared,
    webhook,
    start,
    crashCount,
    deliveriesWaiting,
    nextRunAt,
    wakeAt,
  };
}
