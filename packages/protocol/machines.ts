import { z } from "zod";
import { pageRequest } from "./requests.ts";
import { list, page, said } from "./shapes.ts";

/** What people and programs are told about the machines of a workflow. */
const cell = {
  cell: z.string(),
  machine: z.string(),
  key: z.json(),
  /** The key as text that names exactly it in a query or a command. */
  keyText: z.string().nullable(),
  status: z.string(),
  stateBytes: z.int(),
  waiting: z.int(),
  openIntents: list(z.string()),
  lastEvent: z.int(),
  version: z.string(),
};

export const cellsAnswer = page(said(cell));
export type CellsAnswer = z.infer<typeof cellsAnswer>;

/** A page with few on it may have a `next` all the same: so many were looked at for it. */
export const cellsRequest = pageRequest.extend({
  machine: z.string().min(1).max(400).optional(),
  text: z.string().max(200).optional(),
});

export const machinesAnswer = said({
  items: list(
    said({
      machine: z.string(),
      isKeyed: z.boolean(),
      /** Whether the active version has it. */
      isDeclared: z.boolean(),
      cells: z.int(),
      waiting: z.int(),
      openIntents: z.int(),
      failed: z.int(),
    }),
  ),
  next: z.null(),
});
export type MachinesAnswer = z.infer<typeof machinesAnswer>;

/** Why something is as it is: one cause, and what to do next. */
const diagnosis = said({
  cause: z.string(),
  note: z.string(),
  next: z.string(),
  seq: z.int().nullable(),
  intentId: z.string().nullable(),
  /** Of the event that a step failed on, as it saw it. */
  eventHash: z.string().nullable(),
});

export const cellAnswer = said({
  ...cell,
  state: z.json(),
  /** Number of the record it is shown after, and the version that was active then. */
  height: z.int(),
  manifestHash: z.string(),
  /** The snapshot that it was read from, with what was recorded since. */
  snapshot: said({ ref: z.string(), height: z.int() }).nullable(),
  /** What it failed on: `step`, with the first event of its mailbox, or `receipt`. */
  failed: z.string().nullable(),
  /** The first of what waits for it; `intentId` null = an event. */
  mailbox: list(
    said({ value: z.json(), at: z.number(), seq: z.int(), intentId: z.string().nullable() }),
  ),
  /** Of one that failed in a step: what the same step says if it is called now. */
  again: said({ kind: z.string(), code: z.string().nullable(), note: z.string() }).nullable(),
  diagnosis,
});
export type CellAnswer = z.infer<typeof cellAnswer>;

export const intentsAnswer = said({
  items: list(
    said({
      intentId: z.string(),
      machine: z.string(),
      key: z.json(),
      effect: z.string(),
      kind: z.string(),
      params: z.json(),
      since: z.int(),
      mutationId: z.string().nullable(),
      state: z.string().nullable(),
      recordedAt: z.number().nullable(),
      /** When a timer fires, or what is not answered by then has failed. */
      dueAt: z.number().nullable(),
      /** The open question about its call. */
      attentionId: z.string().nullable(),
    }),
  ),
  next: z.null(),
});
export type IntentsAnswer = z.infer<typeof intentsAnswer>;

export const machineRecordsAnswer = said({
  items: list(said({ seq: z.int(), record: z.json() })),
  next: z.int().nullable(),
});
export type MachineRecordsAnswer = z.infer<typeof machineRecordsAnswer>;

export const machineTimelineAnswer = said({
  items: list(
    said({
      seq: z.int(),
      at: z.number().nullable(),
      kind: z.string(),
      cause: z.int().nullable(),
      record: z.json(),
      /** What the script said, of the fault that a cell stands still for. */
      note: z.string().nullable(),
    }),
  ),
  next: z.int().nullable(),
});
export type MachineTimelineAnswer = z.infer<typeof machineTimelineAnswer>;

export const machineReplayAnswer = z.discriminatedUnion("ok", [
  z.object({ ok: z.literal(true), records: z.int(), image: z.string() }),
  z.object({ ok: z.literal(false), code: z.string(), seq: z.int() }),
]);
export type MachineReplayAnswer = z.infer<typeof machineReplayAnswer>;

/** `snapshot`: null = it is asked for, and its turn has not come. */
export const snapshotAnswer = said({
  snapshot: said({
    ref: z.string(),
    height: z.int(),
    receiptHorizon: z.int(),
    logicalNowNs: z.string(),
    manifestHash: z.string(),
    roots: list(said({ machine: z.string(), hash: z.string(), cells: z.int() })),
    previous: said({ ref: z.string(), firstSeq: z.int() }).nullable(),
  }).nullable(),
});
export type SnapshotAnswer = z.infer<typeof snapshotAnswer>;

export const collectRequest = z.strictObject({ isDryRun: z.boolean().default(false) });

/** What none of the kept snapshots names, and how much of it is gone. */
export const collectAnswer = z.object({
  snapshots: z.int(),
  parts: z.int(),
  unreachable: z.int(),
  swept: z.int(),
  /** Too young to be deleted: written within `graceMs`; null = a dry run, which does not know. */
  waiting: z.int().nullable(),
  graceMs: z.int(),
  /** Bytes that machines put, and their edges; `unsure` says why none is swept. */
  blobs: z.object({
    parts: z.int(),
    unreachable: z.int(),
    swept: z.int(),
    waiting: z.int().nullable(),
    unsure: z.string().nullable(),
  }),
});
export type CollectAnswer = z.infer<typeof collectAnswer>;

/** A cell by its machine and the JSON of its key. */
export const cellRequest = z.strictObject({
  machine: z.string().min(1).max(400),
  key: z.string().max(4_000).optional(),
});

const height = z.coerce.number().int().min(1).max(Number.MAX_SAFE_INTEGER);

/** As it was after one record, or not before one is there; without either, as it is. */
export const stateRequest = z.strictObject({
  ...cellRequest.shape,
  at: height.optional(),
  atLeast: height.optional(),
});

/** By an event (its number or hash), an intent, or what stands in an event of a topic. */
export const machineTraceRequest = z.strictObject({
  event: z.string().min(1).max(100).optional(),
  intent: z.string().min(1).max(100).optional(),
  topic: z.string().min(1).max(400).optional(),
  path: z.string().min(1).max(400).optional(),
  value: z.string().max(4_000).optional(),
  /** So many records of it are shown, the newest. */
  window: z.coerce.number().int().min(1).max(2_000).default(400),
});

/** What is under way in all machines of a workflow; `isStrict`: nothing is. */
const quiescence = said({
  isStrict: z.boolean(),
  instances: z.int(),
  intents: z.int(),
  timers: z.int(),
  queued: z.int(),
  inputs: z.int(),
});

export const machineTraceAnswer = said({
  root: z.int(),
  items: list(
    said({ seq: z.int(), kind: z.string(), cause: z.int().nullable(), record: z.json() }),
  ),
  window: said({ count: z.int(), from: z.int(), to: z.int() }),
  waits: said({
    /** `age` is in records. */
    intents: list(
      said({ intentId: z.string(), effect: z.string(), cell: z.string(), age: z.int() }),
    ),
    instances: list(said({ cell: z.string(), status: z.string() })),
    waiting: z.int(),
    queued: z.int(),
    pending: z.int(),
    quiescence,
  }),
  state: z.string(),
  diagnosis,
});
export type MachineTraceAnswer = z.infer<typeof machineTraceAnswer>;

const counts = z.record(z.string(), z.int());

export const machineSummaryAnswer = said({
  records: z.int(),
  /** `snapshot`: the record up to which the last one has it. */
  journal: said({ from: z.int(), to: z.int(), snapshot: z.int().nullable() }),
  events: z.int(),
  intents: z.int(),
  receipts: counts,
  frames: z.int(),
  faults: z.int(),
  /** What became of receipts and frames. */
  continuations: counts,
  /** Which executor each effect was asked of. */
  routes: list(
    said({
      effect: z.string(),
      module: z.string(),
      entrypoint: z.string(),
      intents: z.int(),
      open: z.int(),
    }),
  ),
  instances: counts,
  proposals: counts,
  open: z.int(),
  ready: z.int(),
  waits: quiescence,
});
export type MachineSummaryAnswer = z.infer<typeof machineSummaryAnswer>;

export const machineRecordsRequest = z.strictObject({
  after: z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER).default(0),
  limit: z.coerce.number().int().min(1).max(500).default(50),
});

/** With `before` the newest first, from before that record on; 0 = from the last one. */
export const machineTimelineRequest = z.strictObject({
  ...cellRequest.shape,
  ...machineRecordsRequest.shape,
  before: z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER).optional(),
});

/** Of all cells, or of one. */
export const intentsRequest = cellRequest.partial();
