import { type KeptTrace, type RunRow, runSeqOf, type Seq, type Store } from "@holdfast/core";
import { decodeTrace, type KeptCall, type PhaseNote } from "../engine/trace-text.ts";

type ToldOfRun = Pick<
  RunRow,
  | "runId"
  | "handler"
  | "version"
  | "phase"
  | "status"
  | "reason"
  | "failure"
  | "startedAt"
  | "endedAt"
  | "retryOf"
  | "supersededBy"
  | "mutationId"
>;

/** Everything here is plain JSON. */
export type TraceReport = Readonly<ToldOfRun> & {
  readonly workflow: string;
  /** What the run pinned. */
  readonly events: readonly { readonly topic: string; readonly messageId: string }[];
  /** In the order they were run. What was forgotten meanwhile, or told nothing, is not there. */
  readonly phases: readonly TracedPhase[];
  /** Kept by a newer program, in a form that this one does not know. */
  readonly unreadCount: number;
  /** To be given as `after`; null = this is all. */
  readonly next: Seq | null;
};

export type TracedPhase = Omit<PhaseNote, "calls"> & { readonly calls: readonly TracedCall[] };

/** Result undefined = it was not answered before the phase ended. */
export type TracedCall = Omit<KeptCall, "params" | "result"> & {
  readonly params: unknown;
  readonly result?: unknown;
};

const tracesPerPage = 100;

/** What a run did, phase by phase, also when it failed. Null = there is no such run. */
export async function traceOf(
  store: Store,
  { workflow, runId }: { readonly workflow: string; readonly runId: string },
  after: Seq = 0,
): Promise<TraceReport | null> {
  const { rows } = await store.load(workflow, [{ kind: "run", runId }]);
  const run = rows.find((each) => each.table === "runs")?.row as RunRow | undefined;
  if (run === undefined) return null;
  const events = rows.flatMap((each) => (each.table === "reservations" ? [each.row] : []));
  const from = Math.max(after, runSeqOf(runId) - 1);
  const page = await store.readTraces(workflow, from, tracesPerPage);
  const own = ownTraces(page, runId);
  const read = own.map(({ text }) => decodeTrace(text));
  const isMore = own.length === tracesPerPage;
  return {
    workflow,
    ...told(run),
    events: events.map(({ topic, messageId }) => ({ topic, messageId })),
    phases: read.flatMap((phases) => (phases ?? []).map(showPhase)),
    unreadCount: read.filter((phases) => phases === null).length,
    next: isMore ? (own.at(-1)?.seq ?? null) : null,
  };
}

/** One run at a time: the first trace of another is the end of this one's. */
function ownTraces(page: readonly KeptTrace[], runId: string): readonly KeptTrace[] {
  const other = page.findIndex((trace) => trace.runId !== runId);
  return other === -1 ? page : page.slice(0, other);
}

function told(run: RunRow): ToldOfRun {
  const { runId, handler, version, phase, status, reason, failure } = run;
  const { startedAt, endedAt, retryOf, supersededBy, mutationId } = run;
  const chain = { retryOf, supersededBy };
  const when = { startedAt, endedAt };
  return { runId, handler, version, phase, status, reason, failure, mutationId, ...when, ...chain };
}

function showPhase(note: PhaseNote): TracedPhase {
  return { ...note, calls: note.calls.map(showCall) };
}

function showCall({ params, result, ...call }: KeptCall): TracedCall {
  const answered = result === null ? {} : { result: JSON.parse(result) as unknown };
  return { ...call, params: JSON.parse(params) as unknown, ...answered };
}
