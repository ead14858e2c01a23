import type { MachineInput, Store } from "@holdfast/core";
import {
  type FoundInstance,
  findInstance,
  type InstanceView,
  type Kernel,
  type Quiescence,
  quiescenceOf,
  viewInstances,
} from "@holdfast/core/machine";
import type { JsonValue } from "../queries/answers.ts";
import { lastTroubles } from "./cell-troubles.ts";
import { type Diagnosis, diagnose } from "./diagnose.ts";
import { findRoot, type TraceQuery } from "./find-root.ts";
import { FollowedTrace } from "./follow-trace.ts";
import { type ReadParts, readKernel } from "./kept-kernels.ts";
import { recordsAfter, shownRecord } from "./show-records.ts";
import { withWords } from "./stop-words.ts";
import type { Fault } from "./troubles.ts";
import { waitingInputs } from "./waiting-inputs.ts";

type Parts = ReadParts & { readonly store: Store };

export type MachineTrace = {
  /** Number of the record that it all came of. */
  readonly root: number;
  readonly items: readonly {
    readonly seq: number;
    readonly kind: string;
    /** Number of the record that led to it; null = the outside did. */
    readonly cause: number | null;
    readonly record: JsonValue;
  }[];
  /** How many came of it in all, and the numbers of the first and the last. */
  readonly window: { readonly count: number; readonly from: number; readonly to: number };
  readonly waits: TraceWaits;
  readonly state: TraceState;
  readonly diagnosis: Diagnosis;
};

export type TraceState = "failed" | "waiting_receipt" | "waiting_event" | "completed" | "unknown";

export type TraceWaits = {
  /** Intents of it without a receipt, oldest first, each with how many records ago it was asked. */
  readonly intents: readonly {
    readonly intentId: string;
    readonly effect: string;
    readonly cell: string;
    readonly age: number;
  }[];
  /** Cells it came to: those that wait first, then the last of those that wait for nothing. */
  readonly instances: readonly { readonly cell: string; readonly status: string }[];
  /** What waits in the mailboxes of its cells, whatever it came of. */
  readonly waiting: number;
  /** Of that, what gets its turn by itself: a failed cell takes nothing until a person decides. */
  readonly queued: number;
  /** Outcomes of its intents that are known, and that no frame has taken in yet. */
  readonly pending: number;
  /** Of all machines of the workflow. */
  readonly quiescence: WorkflowQuiescence;
};

export type WorkflowQuiescence = Quiescence & {
  /** What no frame has taken in yet, events and outcomes alike. */
  readonly inputs: number;
};

/** So many records of a trace are shown, the newest, where nobody says how many. */
const shownRecords = 400;
const shownCellsMax = 400;
/** Some hundred bytes each. */
const endedMax = 10_000;

/**
 * All that came of one thing from outside, however long ago; null = there is none such. The
 * journal is read through, and only what is answered and what is under way is held of it.
 */
export async function traceMachines(
  parts: Parts,
  query: TraceQuery,
  { window = shownRecords }: { readonly window?: number } = {},
): Promise<MachineTrace | null> {
  const root = await findRoot(parts, query);
  if (root === null) return null;
  const trace = new FollowedTrace(root, { window, idleCellsMax: shownCellsMax, endedMax });
  for await (const [seq, fields] of recordsAfter(parts, root - 1)) trace.add(seq, fields);
  const { waits, state, stopped } = await waitsOf(parts, trace);
  const { failed } = trace.troubles;
  const fault = state === "failed" ? await faultOf(parts, trace.troubles.fault, stopped) : null;
  return {
    root,
    items: trace.window.map(({ seq, fields }) => ({
      seq,
      kind: String(fields["name"] ?? fields["kind"]),
      cause: typeof fields["cause"] === "number" ? fields["cause"] : null,
      record: shownRecord(fields),
    })),
    window: { count: trace.count, from: root, to: trace.last },
    waits,
    state,
    diagnosis: diagnose({ failed, fault }, waits, state),
  };
}

/** What waits behind another event stands still because of that one's fault. */
async function faultOf(parts: Parts, own: Fault | null, stopped: FoundInstance | null) {
  const fault = own ?? (stopped === null ? null : (await lastTroubles(parts, stopped)).fault);
  return fault === null ? null : withWords(parts, fault);
}

async function waitsOf(parts: Parts, trace: FollowedTrace) {
  const inputs = await waitingInputs(parts);
  return readKernel(parts, async ({ kernel, driver }) => {
    const views = await driver.drive(kernel, viewInstances(kernel, trace.cells));
    const cells = views.flatMap((view) => view ?? []);
    const intents = openOf(kernel, trace);
    const waits: TraceWaits = {
      intents,
      instances: cells.slice(0, shownCellsMax).map(({ id: cell, status }) => ({ cell, status })),
      waiting: mailsOf(cells),
      queued: mailsOf(cells.filter(({ status }) => status !== "failed")),
      pending: outcomesOf(intents, inputs),
      quiescence: withInputs(quiescenceOf(kernel), inputs.length),
    };
    const failed = cells.find(({ status }) => status === "failed");
    const stopped = failed ? await driver.drive(kernel, findInstance(kernel, failed)) : null;
    return { waits, state: stateOf(waits, { trace, cells }), stopped };
  });
}

/** What has an outcome since the records were read is not open any more. */
function openOf(kernel: Kernel, { intents }: FollowedTrace): TraceWaits["intents"] {
  return [...intents].flatMap(([intentId, { seq, effect }]) => {
    const open = kernel.intents.get(intentId);
    if (open === undefined) return [];
    return [{ intentId, effect, cell: open.cellId, age: kernel.seq - seq }];
  });
}

function mailsOf(cells: readonly InstanceView[]): number {
  return cells.reduce((sum, { mailboxCount }) => sum + mailboxCount, 0);
}

function outcomesOf(intents: TraceWaits["intents"], inputs: readonly MachineInput[]): number {
  const ids = new Set(intents.map(({ intentId }) => intentId));
  return inputs.filter((input) => input.kind === "outcome" && ids.has(input.intentId)).length;
}

export function withInputs(quiescence: Quiescence, inputs: number): WorkflowQuiescence {
  return { ...quiescence, isStrict: quiescence.isStrict && inputs === 0, inputs };
}

function stateOf(
  { intents, waiting }: TraceWaits,
  { trace, cells }: { readonly trace: FollowedTrace; readonly cells: readonly InstanceView[] },
): TraceState {
  if (cells.some(({ status }) => status === "failed")) return "failed";
  if (intents.length > 0) return "waiting_receipt";
  if (!trace.isStepped) return waiting > 0 ? "waiting_event" : "unknown";
  // A cell that ended without a state is not there any more.
  const isDone = cells.every(({ status }) => status === "completed");
  return isDone && !trace.isLeftUndone ? "completed" : "waiting_event";
}
