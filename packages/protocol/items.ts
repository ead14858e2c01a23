import { z } from "zod";
import { declared, detail, instant, list, page, said, valueChange } from "./shapes.ts";

/** What people and programs are told about a workflow. */

export const inputName = {
  inputId: z.string(),
  source: z.string(),
  type: z.string(),
  externalId: z.string(),
  title: z.string(),
};

const input = {
  ...inputName,
  status: z.string(),
  isStale: z.boolean(),
  createdAt: instant,
  skippedAt: instant.nullable(),
  events: said({ pending: z.int(), reserved: z.int(), consumed: z.int(), skipped: z.int() }),
  outputsDone: z.int(),
};

export const inputsAnswer = page(said(input));
export type InputsAnswer = z.infer<typeof inputsAnswer>;

/** With what was done for it, and what became of each of its events. */
export const inputAnswer = said({ ...input, outputIds: list(z.string()), story: list(detail) });
export type InputAnswer = z.infer<typeof inputAnswer>;

const resolution = said({ kind: z.string(), actor: z.string(), at: instant });

const output = {
  outputId: z.string(),
  title: z.string().nullable(),
  runId: z.string().nullable(),
  inputs: list(said(inputName)),
  at: instant,
};

export const outputsAnswer = page(
  z.discriminatedUnion("kind", [
    z.object({
      kind: z.literal("mutation"),
      ...output,
      preview: z.string().nullable(),
      operation: z.string(),
      target: z.string(),
      resolution: resolution.nullable(),
      itemId: z.string().nullable(),
    }),
    z.object({
      kind: z.literal("event"),
      ...output,
      topic: z.string(),
      messageId: z.string(),
    }),
  ]),
);
export type OutputsAnswer = z.infer<typeof outputsAnswer>;

const failure = said({
  class: z.string(),
  message: z.string(),
  location: z.string(),
  account: z.string().optional(),
});

export const runItem = said({
  runId: z.string(),
  handler: z.string(),
  kind: z.string(),
  title: z.string().nullable(),
  phase: z.string(),
  status: z.string(),
  isOpen: z.boolean(),
  reason: z.string().nullable(),
  dueAt: instant.nullable(),
  failure: failure.nullable(),
  trigger: z.string().nullable(),
  outcome: z.string().nullable(),
  mutationId: z.string().nullable(),
  retryOf: z.string().nullable(),
  retryFrom: z.string().nullable(),
  supersededBy: z.string().nullable(),
  transientCount: z.int(),
  version: z.string(),
  startedAt: instant,
  preparedAt: instant.nullable(),
  endedAt: instant.nullable(),
  activeMs: z.int(),
}).meta({ id: "Run" });

export const runsAnswer = page(runItem);
export type RunsAnswer = z.infer<typeof runsAnswer>;

/** An approval names both hashes: it is for these bytes, as they were shown. */
const approval = {
  payloadHash: z.string(),
  previewHash: z.string(),
  preview: z.string(),
  expiresAt: instant,
  fourEyes: z.boolean(),
  actor: z.string().nullable(),
  approvedAt: instant.nullable(),
  edited: said({ from: z.string(), by: list(z.string()) }).optional(),
};

/** One outside call as it was recorded, with what is known of it. */
export const callItem = said({
  mutationId: z.string(),
  runId: z.string(),
  operation: z.string(),
  target: z.string(),
  title: z.string().nullable(),
  /** Rendered by the host from the real parameters; null = it is of an older version. */
  preview: z.string().nullable(),
  params: z.unknown(),
  /** So many bytes were left out of a list, where params are null; null = they are all here. */
  paramsCut: z.int().nullable(),
  state: z.string(),
  canReconcile: z.boolean(),
  guarantee: z.string(),
  sendCount: z.int(),
  firstSentAt: instant.nullable(),
  nextAttemptAt: instant.nullable(),
  approval: said(approval).nullable(),
  /** The grant by which it is there, or was last sent. */
  verdict: detail.nullable(),
  failure: failure.nullable(),
  resolution: resolution.nullable(),
  recordedAt: instant,
  settledAt: instant.nullable(),
  evidence: list(said({ kind: z.string(), says: z.string(), note: z.string(), at: instant })),
}).meta({ id: "Call" });

/** One piece of a job's work. */
const jobItem = {
  itemId: z.string(),
  title: z.string(),
  job: z.string(),
  status: z.string(),
  attempt: z.int(),
  isDone: z.boolean(),
  startsFresh: z.boolean(),
  isOrphan: z.boolean(),
  createdBy: z.string(),
  lastRunId: z.string(),
  mutationId: z.string().nullable(),
  createdAt: instant,
  updatedAt: instant,
};

export const jobItemsAnswer = page(said(jobItem).meta({ id: "Item" }));
export type JobItemsAnswer = z.infer<typeof jobItemsAnswer>;

export const jobItemAnswer = said({
  ...jobItem,
  workflow: z.string(),
  /** The newest first. */
  attempts: list(said({ attempt: z.int(), versions: list(z.string()), calls: list(callItem) })),
});
export type JobItemAnswer = z.infer<typeof jobItemAnswer>;

const question = {
  workflow: z.string(),
  attentionId: z.string(),
  kind: z.string(),
  subject: z.string().nullable(),
  note: z.string(),
  answers: list(z.string()),
  openedAt: instant,
  closedAt: instant.nullable(),
  closedBy: z.string().nullable(),
  answer: z.string().nullable(),
  run: runItem.nullable(),
  call: callItem.nullable(),
  item: said(jobItem).nullable(),
  inputs: list(said(inputName)),
  why: z.string(),
  does: z.record(z.string(), z.string()).readonly(),
  verifiable: z.string().nullable(),
  check: z.string().nullable(),
  waiting: said({ events: z.int(), isMore: z.boolean() }).nullable(),
  heldBy: said({
    operation: z.string(),
    reason: z.string(),
    setBy: z.string(),
    setAt: instant,
    calls: z.int(),
  }).nullable(),
};

/** A question to a person, as a card, with another call for the same inputs that was agreed to. */
export const questionAnswer = said({
  ...question,
  /** Not as the script made it: what it was, who changed it, and where. */
  edited: said({
    mutationId: z.string(),
    params: z.unknown(),
    by: list(z.string()),
    changes: list(valueChange),
  }).nullable(),
  /** Other parameters that a replay asked for; they were not sent. */
  proposed: said({
    params: z.unknown(),
    payloadHash: z.string(),
    differs: list(z.string()),
  }).nullable(),
  /** That has stopped, with what it stopped on; null = it is about something else, or goes on. */
  cell: said({
    machine: z.string(),
    key: z.unknown(),
    /** The code of the fault, and what the script said. */
    fault: z.string(),
    /** In its mailbox, what it stopped on among it. */
    waiting: z.int(),
    event: said({
      value: z.unknown(),
      at: instant,
      seq: z.int(),
      intentId: z.string().nullable(),
    }).nullable(),
  }).nullable(),
  /** Of its call's operation; null = it is about none, or this host has none of that name. */
  declared: said(declared).nullable(),
  approvedBefore: said({
    mutationId: z.string(),
    params: z.unknown(),
    payloadHash: z.string(),
    preview: z.string(),
    actor: z.string().nullable(),
    approvedAt: instant.nullable(),
  }).nullable(),
});
export type QuestionAnswer = z.infer<typeof questionAnswer>;

export const questionsAnswer = page(said(question).meta({ id: "Question" }));
export type QuestionsAnswer = z.infer<typeof questionsAnswer>;

export const traceAnswer = said({
  workflow: z.string(),
  runId: z.string(),
  handler: z.string(),
  version: z.string(),
  phase: z.string(),
  status: z.string(),
  reason: z.string().nullable(),
  failure: failure.nullable(),
  startedAt: instant,
  endedAt: instant.nullable(),
  retryOf: z.string().nullable(),
  supersededBy: z.string().nullable(),
  mutationId: z.string().nullable(),
  events: list(said({ topic: z.string(), messageId: z.string() })),
  phases: list(detail),
  unreadCount: z.int(),
  next: z.int().nullable(),
  sent: list(callItem),
});
export type TraceAnswer = z.infer<typeof traceAnswer>;

export const wedgesAnswer = said({ items: list(detail) });
export type WedgesAnswer = z.infer<typeof wedgesAnswer>;

/** The one that belongs to the subject's kind is set. */
export const whyAnswer = said({
  subject: z.unknown(),
  state: z.unknown(),
  text: z.string(),
  because: list(said({ cause: z.unknown(), text: z.string() })),
  workflow: detail.nullable(),
  run: detail.nullable(),
  event: detail.nullable(),
  input: detail.nullable(),
});
export type WhyOfAnswer = z.infer<typeof whyAnswer>;
