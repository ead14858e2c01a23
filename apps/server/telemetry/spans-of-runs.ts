import type { Change, JournalRecord } from "@holdfast/core";
import { decodeTrace, openedRecord, type PhaseNote } from "@holdfast/host";
import { type CallEnd, endOf, type RunEnd } from "./end-of.ts";
import { type SpanId, type SpanNote, spanIdOf } from "./span-note.ts";

/** What a run did between two waits. */
type Stretch = {
  readonly id: SpanId;
  readonly follows: SpanId | null;
  readonly handler: string | null;
  readonly from: number;
};
type Call = { readonly runId: string; readonly name: string };
type Sent = { readonly from: number; readonly sendCount: number };
type Run = { readonly workflow: string; readonly runId: string };

/** Of more than these the oldest are told without their beginning. */
const rememberedMax = 10_000;

/** Tells the runs of this host as spans, from the changes that it has made durable. */
export class SpansOfRuns {
  readonly #stretches = new Map<string, Stretch>();
  readonly #calls = new Map<string, Call>();
  readonly #sent = new Map<string, Sent>();

  *notesOf(change: Change): Generator<SpanNote> {
    const { workflow, trace } = change;
    const records = change.records.map((record) => openedRecord(workflow, record));
    // What begins with this change is known before what was done on the way to it is told.
    for (const record of records) this.#begin(workflow, record);
    const phases = trace === null ? null : decodeTrace(trace.text);
    for (const [no, phase] of (phases ?? []).entries()) {
      yield* this.#phase({ workflow, runId: trace?.runId ?? "" }, phase, [
        records[0]?.seq ?? 0,
        no,
      ]);
    }
    for (const { at, fact } of records) {
      const ended = endOf(fact);
      if (ended?.of === "run") yield this.#run(workflow, at, ended);
      if (ended?.of === "call") yield* this.#attempt(workflow, at, ended);
    }
  }

  #begin(workflow: string, { seq, at, fact }: JournalRecord): void {
    if (fact.kind === "run_started") {
      const { runId, handler, retryOf } = fact;
      const follows = retryOf === null ? null : spanIdOf({ workflow, runId: retryOf });
      const id = spanIdOf({ workflow, runId });
      remember(this.#stretches, `${workflow} ${runId}`, { id, follows, handler, from: at });
    } else if (fact.kind === "run_resumed") {
      const { runId } = fact;
      const before = this.#stretches.get(`${workflow} ${runId}`);
      const id = spanIdOf({ workflow, runId }, seq);
      const follows = before?.id ?? spanIdOf({ workflow, runId });
      const handler = before?.handler ?? null;
      remember(this.#stretches, `${workflow} ${runId}`, { id, follows, handler, from: at });
    } else if (fact.kind === "mutation_recorded") {
      const { mutationId, runId, connection, operation } = fact.call;
      const name = `${connection}.${operation}`;
      remember(this.#calls, `${workflow} ${mutationId}`, { runId, name });
    } else if (fact.kind === "mutation_sent") {
      const { mutationId, sendCount } = fact;
      remember(this.#sent, `${workflow} ${mutationId}`, { from: at, sendCount });
    }
  }

  #stretchOf(run: Run): SpanId {
    return this.#stretches.get(`${run.workflow} ${run.runId}`)?.id ?? spanIdOf(run);
  }

  #run(workflow: string, at: number, { runId, status, fault }: RunEnd): SpanNote {
    const first = spanIdOf({ workflow, runId });
    const known = this.#stretches.get(`${workflow} ${runId}`);
    const { id = first, follows = null, handler = null, from = at } = known ?? {};
    const named = handler === null ? {} : { "holdfast.handler": handler };
    const attributes = { ...ofRun({ workflow, runId }), ...named, "holdfast.status": status };
    const parent = id.spanId === first.spanId ? null : first;
    const name = handler ?? "run";
    return { id, parent, follows, name, kind: "run", from, until: at, attributes, fault };
  }

  *#phase(run: Run, note: PhaseNote, place: readonly number[]): Generator<SpanNote> {
    const { phase, at, durationMs, failure, calls } = note;
    const id = spanIdOf(run, "phase", ...place);
    const attributes = { ...ofRun(run), "holdfast.phase": phase };
    const own = { follows: null, attributes, fault: failure?.code ?? null };
    const until = at + (durationMs ?? 0);
    yield { ...own, id, parent: this.#stretchOf(run), name: phase, kind: "phase", from: at, until };
    for (const [no, { name, afterMs, durationMs: lasted, stopped }] of calls.entries()) {
      const from = at + afterMs;
      const fault = stopped ? (own.fault ?? "stopped") : null;
      const callId = spanIdOf(run, "call", ...place, no);
      const times = { from, until: from + lasted };
      yield { ...own, ...times, id: callId, parent: id, name, kind: "operation", fault };
    }
  }

  /** One that was sent by another host began before this one could see it, and is not told. */
  *#attempt(workflow: string, at: number, end: CallEnd): Generator<SpanNote> {
    const { mutationId, status, fault } = end;
    const key = `${workflow} ${mutationId}`;
    const [call, sent] = [this.#calls.get(key), this.#sent.get(key)];
    if (call === undefined || sent === undefined) return;
    this.#sent.delete(key);
    const run = { workflow, runId: call.runId };
    const attributes = {
      ...ofRun(run),
      "holdfast.mutation": mutationId,
      "holdfast.attempt": sent.sendCount,
      "holdfast.state": status,
    };
    const id = spanIdOf(run, "attempt", mutationId, sent.sendCount);
    const times = { from: sent.from, until: at };
    const parent = this.#stretchOf(run);
    yield {
      ...times,
      id,
      parent,
      follows: null,
      name: call.name,
      kind: "attempt",
      attributes,
      fault,
    };
  }
}

function ofRun({ workflow, runId }: Run): Readonly<Record<string, string>> {
  return { "holdfast.workflow": workflow, "holdfast.run": runId };
}

function remember<T>(kept: Map<string, T>, key: string, value: T): void {
  kept.delete(key);
  kept.set(key, value);
  const [oldest] = kept.keys();
  if (oldest !== undefined && kept.size > rememberedMax) kept.delete(oldest);
}
