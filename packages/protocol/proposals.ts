import { z } from "zod";
import { list, said } from "./shapes.ts";

/** What people and programs are told about versions that are proposed, and say about them. */
const proposal = {
  number: z.int(),
  status: z.string(),
  version: z.string(),
  scriptHash: z.string(),
  base: z.string(),
  patchHash: z.string(),
  changes: list(z.string()),
  description: z.string().nullable(),
  author: z.string(),
  proposedAt: z.number(),
  shadowedBy: z.string().nullable(),
  shadowedAt: z.number().nullable(),
  decidedBy: z.string().nullable(),
  decidedAt: z.number().nullable(),
  reason: z.string().nullable(),
  askedBy: z.string().nullable(),
  askedAt: z.number().nullable(),
  waits: z.boolean(),
  appliedAt: z.number().nullable(),
};

/** What a proposal does to the definitions of the version that it was made against. */
const patch = said({
  ops: list(
    said({
      op: z.string(),
      kind: z.string(),
      name: z.string(),
      preHash: z.string().nullable(),
      hash: z.string().nullable(),
    }),
  ),
  definitions: said({
    added: list(z.string()),
    removed: list(z.string()),
    changed: list(z.string()),
  }),
  sections: list(z.string()),
});

export const proposalsAnswer = said({ items: list(said(proposal)), next: z.null() });
export type ProposalsAnswer = z.infer<typeof proposalsAnswer>;

const obstacles = said({
  counts: said({
    instancesWaiting: z.int(),
    intentsOpen: z.int(),
    timersSet: z.int(),
    instancesReady: z.int(),
    eventsWaiting: z.int(),
    cellsUnfit: z.int(),
  }),
  items: list(
    said({
      why: z.string(),
      cell: z.string().nullable(),
      intentId: z.string().nullable(),
      effect: z.string().nullable(),
      waiting: z.int(),
      note: z.string(),
      next: z.string(),
    }),
  ),
  left: z.int(),
});
export type ObstaclesAnswer = z.infer<typeof obstacles>;

const cellEnd = said({ status: z.string(), stateHash: z.string().nullable(), state: z.json() });

const report = said({
  number: z.int(),
  patchHash: z.string(),
  manifestHash: z.string(),
  effects: list(
    said({
      effect: z.string(),
      intentId: z.string(),
      cell: z.string(),
      params: z.json(),
      answered: z.string().nullable(),
    }),
  ),
  pending: list(
    said({ cell: z.string(), intentId: z.string(), effect: z.string(), since: z.int() }),
  ),
  instances: list(
    said({
      cell: z.string(),
      status: z.string(),
      lastEvent: z.int(),
      version: z.string(),
      openIntents: z.int(),
    }),
  ),
  allowlists: list(said({ machine: z.string(), effects: list(z.string()) })),
  deltas: list(
    said({
      cell: z.string(),
      before: cellEnd.nullable(),
      after: cellEnd.nullable(),
      changes: list(said({ at: z.string(), from: z.json().optional(), to: z.json().optional() })),
    }),
  ),
  faults: list(said({ cell: z.string(), code: z.string() })),
  obstacles,
  horizon: said({
    forkedAt: z.int(),
    head: z.int(),
    inputs: z.int(),
    inputsRefused: list(z.string()),
    canned: list(z.string()),
    unanswered: list(z.string()),
    isEndless: z.boolean(),
    shortened: list(z.string()),
    claim: z.string(),
  }),
});
export type ShadowReportAnswer = z.infer<typeof report>;

export const proposalAnswer = said({
  ...proposal,
  patch,
  report: report.nullable(),
  obstacles: obstacles.nullable(),
  heldBy: obstacles.nullable(),
});
export type ProposalAnswer = z.infer<typeof proposalAnswer>;

export const shadowAnswer = said({
  commandId: z.string(),
  accepted: z.boolean().nullable(),
  note: z.string(),
  report,
});
export type ShadowAnswer = z.infer<typeof shadowAnswer>;

const name = z.string().min(1).max(400);

const seedForm =
  'expected {"topic": …, "event": …} or {"machine": …, "key": …, "event": …}, with nothing else';
const receiptForm =
  'expected {"status": "ok" | "error" | "timeout" | "skipped", "payload": …}, with nothing else';

/** What a proposal is tried with. */
export const shadowRequest = z.strictObject({
  /** So many of the newest events, as they came. */
  recent: z.int().min(0).max(1_000).default(20),
  /** Events of the caller's own: for a topic, or for one cell of a machine. */
  seeds: z
    .array(
      z.union(
        [
          z.strictObject({ topic: name, event: z.json() }),
          z.strictObject({ machine: name, key: z.json().default(null), event: z.json() }),
        ],
        { error: seedForm },
      ),
      { error: `expected a list; of each is ${seedForm}` },
    )
    .max(1_000)
    .default([]),
  /** By effect: what each is answered with. What is not listed stays open. */
  receipts: z
    .record(
      name,
      z.strictObject(
        {
          status: z.enum(["ok", "error", "timeout", "skipped"]),
          payload: z.json().optional(),
        },
        { error: receiptForm },
      ),
      { error: `expected an object with the names of effects; of each is ${receiptForm}` },
    )
    .default({}),
});
export type ShadowRequestBody = z.input<typeof shadowRequest>;
