import { z } from "zod";
import { callItem, inputName, runItem } from "./items.ts";
import { declared, detail, instant, list, page, said } from "./shapes.ts";

/** What a workflow is made of, for whoever shows it. */

/** Counted no further than makes a difference. */
const counted = said({ count: z.int(), isMore: z.boolean() });

const workflowItem = {
  workflow: z.string(),
  status: z.string(),
  error: z.string().nullable(),
  version: z.string().nullable(),
  records: z.int(),
  owner: z.string().nullable(),
  dueAt: instant.nullable(),
  lastAt: instant.nullable(),
  pending: counted,
  deliveriesWaiting: z.int(),
  runsOfDay: counted,
  /** Calls that are done: all of them, and those recorded in each of the last 24 hours. */
  done: said({ total: z.int(), hours: list(z.int()) }),
  openRun: z.string().nullable(),
  openQuestions: z.int(),
  brakes: list(z.string()),
  /** Whole names of those that the active version has. */
  machines: list(z.string()),
};

export const workflowsAnswer = page(said(workflowItem).meta({ id: "Workflow" }));
export type WorkflowsAnswer = z.infer<typeof workflowsAnswer>;
export type WorkflowAnswer = WorkflowsAnswer["items"][number];

/** What came in and what was done, over all workflows that may be seen, the newest first. */
export const activityAnswer = page(
  said({
    workflow: z.string(),
    kind: z.enum(["input", "output"]),
    id: z.string(),
    at: instant,
    title: z.string().nullable(),
    operation: z.string().nullable(),
    target: z.string().nullable(),
    state: z.string().nullable(),
    resolution: said({ kind: z.string() }).nullable(),
    preview: z.string().nullable(),
  }).meta({ id: "Activity" }),
);
export type ActivityAnswer = z.infer<typeof activityAnswer>;

export const topicAnswer = said({
  topic: z.string(),
  subscriber: z.string().nullable(),
  observed: z.boolean(),
  declared: z.boolean(),
  schema: z.unknown(),
  pending: counted,
}).meta({ id: "Topic" });
export type TopicAnswer = z.infer<typeof topicAnswer>;

export const topicsAnswer = said({ items: list(topicAnswer) });
export type TopicsAnswer = z.infer<typeof topicsAnswer>;

const handlerItem = said({
  handler: z.string(),
  kind: z.string(),
  subscribe: list(z.string()),
  publishes: list(z.string()).nullable(),
  declared: z.boolean(),
  webhook: z.boolean(),
  start: z.string(),
  crashCount: z.int(),
  deliveriesWaiting: z.int(),
  nextRunAt: instant.nullable(),
  wakeAt: instant.nullable(),
});

export const workflowShownAnswer = said({
  ...workflowItem,
  topics: list(topicAnswer),
  handlers: list(handlerItem),
});
export type WorkflowShownAnswer = z.infer<typeof workflowShownAnswer>;

const event = {
  topic: z.string(),
  messageId: z.string(),
  title: z.string().nullable(),
  status: z.string(),
  createdBy: z.string().nullable(),
  attempt: z.int(),
  deliveryCount: z.int(),
  inputs: list(said(inputName)),
};

export const eventsAnswer = page(
  said({
    ...event,
    reservedBy: z.string().nullable(),
    lateCount: z.int(),
    revision: z.int(),
    publishedAt: instant,
  }),
);
export type EventsAnswer = z.infer<typeof eventsAnswer>;

export const eventAnswer = said({ ...event, payload: z.unknown(), runs: list(detail) });
export type EventAnswer = z.infer<typeof eventAnswer>;

export const runAnswer = said({
  ...runItem.unwrap().shape,
  events: list(detail),
  inputs: list(said(inputName)),
  calls: list(callItem),
});
export type RunAnswer = z.infer<typeof runAnswer>;

export const callsAnswer = page(callItem);
export type CallsAnswer = z.infer<typeof callsAnswer>;
export const callAnswer = callItem;
export type CallAnswer = z.infer<typeof callAnswer>;

export const versionsAnswer = page(
  said({
    version: z.string(),
    isActive: z.boolean(),
    scriptHash: z.string(),
    connections: list(z.string()),
    activatedBy: z.string(),
    activatedAt: instant,
  }),
);
export type VersionsAnswer = z.infer<typeof versionsAnswer>;

const factItem = said({
  seq: z.int(),
  at: instant,
  kind: z.string(),
  hash: z.string(),
  fact: detail,
}).meta({ id: "Fact" });

/** The newest first. */
export const factsAnswer = page(factItem);
export type FactsAnswer = z.infer<typeof factsAnswer>;

/** In the order they were written; `next` is to be given back as `after`, always. */
export const journalAnswer = said({
  items: list(factItem),
  next: z.int(),
  head: z.int(),
});
export type JournalAnswer = z.infer<typeof journalAnswer>;

export const auditAnswer = page(
  said({
    commandId: z.string(),
    position: z.int(),
    kind: z.string(),
    actor: z.string(),
    accepted: z.boolean(),
    refusal: z.string().nullable(),
    note: z.string(),
    answeredAt: instant,
  }),
);
export type AuditAnswer = z.infer<typeof auditAnswer>;

/** What it may change outside, and what can be relied on when an answer is lost. */
const connectionItem = said({
  connection: z.string(),
  connector: z.string(),
  /** Null = this host has no such account. */
  account: z.string().nullable(),
  state: z.enum(["ready", "missing", "refused"]),
  /** Runs that wait because the account was refused. */
  affected: list(z.string()),
  operations: list(
    said({
      operation: z.string(),
      kind: z.string(),
      ...declared,
      labels: list(said({ of: z.string().nullable(), label: z.string() })),
    }),
  ),
});

export const connectionsAnswer = said({ items: list(connectionItem) });
export type ConnectionsAnswer = z.infer<typeof connectionsAnswer>;
