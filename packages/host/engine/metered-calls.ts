import {
  CanonicalError,
  type CanonicalValue,
  type CoreCommand,
  type CountedRead,
  contentHash,
  countedForMs,
  type Hash,
  type Instant,
  type JsonText,
  type KeptResult,
  keptResultBytesMax,
  type LogLine,
  type ScriptPhase,
  type Store,
  type TerminalCall,
  type View,
} from "@holdfast/core";
import type { WorkflowOwner } from "../workflow-owner.ts";
import { type ItemCalls, TurnOver } from "./item-calls.ts";
import { brokenBy, endOf } from "./loop-words.ts";
import { type Braked, holdOf } from "./metered-hold.ts";
import type { Permissions } from "./permissions.ts";
import type { OutsideWorld, ReadOutcome } from "./ports.ts";
import type { ReadCount } from "./read-count.ts";

export type MeteredParts = {
  readonly store: Store;
  readonly owner: WorkflowOwner;
  readonly outside: Pick<OutsideWorld, "goesTo">;
  readonly permissions: Permissions;
  readonly handler: { readonly name: string };
  readonly view: View;
  readonly runId: string;
  readonly rootRunId: string;
  /** Commands that make the run exist; none = it does. */
  readonly opening: readonly CoreCommand[];
  /** Of a job; null = no other changes are made while the phase runs. */
  readonly items: ItemCalls | null;
  readonly clock: { now(): Instant };
  /** The time of the phase's facts. */
  readonly factsAt: () => Instant;
};

/**
 * Calls that cost. What one is answered is durable before the script sees it, and whoever tries
 * again in the same retry chain is answered with that: nothing is sent, and nothing counted.
 */
export class MeteredCalls {
  /** Nobody knows what is written. */
  #over: TurnOver | null = null;
  /** Something came in that may keep a call back. What others are answered meanwhile is kept. */
  #afresh: TurnOver | null = null;
  readonly #parts: MeteredParts;
  readonly #count: ReadCount;
  /** How often each call was made by this execution of the phase. */
  readonly #times = new Map<string, number>();
  readonly #underWay = new Set<Promise<unknown>>();
  #notes: LogLine[] = [];
  #last: Promise<unknown> = Promise.resolve();

  constructor(parts: MeteredParts, count: ReadCount) {
    this.#parts = parts;
    this.#count = count;
  }

  /** The phase is left, and everything is looked at afresh; null = it goes on. */
  get over(): TurnOver | null {
    return this.#over ?? this.#afresh;
  }

  /** `read` makes the call. */
  answer(
    call: TerminalCall,
    phase: ScriptPhase,
    read: () => Promise<ReadOutcome>,
  ): Promise<ReadOutcome | TurnOver | Braked> {
    const answered = this.#answer(call, this.#nameOf(call, phase), read);
    this.#underWay.add(answered);
    const done = () => this.#underWay.delete(answered);
    answered.then(done, done);
    return answered;
  }

  /** What is being paid for is waited for and kept, whatever became of the script. */
  async idle(): Promise<void> {
    await Promise.allSettled([...this.#underWay]);
  }

  /** Lines for the log of the phase, each once. */
  takeNotes(): readonly LogLine[] {
    const notes = this.#notes;
    this.#notes = [];
    return notes;
  }

  async #answer(
    call: TerminalCall,
    name: Hash | null,
    read: () => Promise<ReadOutcome>,
  ): Promise<ReadOutcome | TurnOver | Braked> {
    const kept = name === null ? null : await this.#find(name);
    if (kept !== null) return this.#answeredBefore(call, kept);
    const hold = await holdOf(this.#parts, `${call.connection}.${call.operation}`);
    if (hold === "afresh") {
      this.#afresh ??= new TurnOver(null);
      return this.#afresh;
    }
    if (hold !== null) return hold;
    const admitted = await this.#count.admit(call);
    if (admitted.says === "no") return { ...admitted, says: "failed" };
    const outcome = await read();
    if (outcome.says !== "value") return outcome;
    const counted = admitted.settled(outcome.value);
    const over = await this.#keep(call, name, outcome.value, counted);
    return over ?? outcome;
  }

  /**
   * The same for every try of the chain that makes the same call at the same place; of calls that
   * are alike, each has its own. Null = it cannot be made, or has no bytes: it fails by itself.
   */
  #nameOf({ connection, operation, params }: TerminalCall, phase: ScriptPhase): Hash | null {
    const { handler, outside, items } = this.#parts;
    const call = { connection, operation, params };
    const target = outside.goesTo === undefined ? "" : outside.goesTo(call);
    if (target === null) return null;
    const place = [handler.name, phase, items?.place ?? ""];
    try {
      const given = JSON.parse(params) as CanonicalValue;
      const alike = contentHash([...place, connection, operation, target, given]);
      const times = this.#times.get(alike) ?? 0;
      this.#times.set(alike, times + 1);
      return contentHash([alike, times]);
    } catch (error) {
      if (error instanceof CanonicalError) return null;
      throw error;
    }
  }

  async #find(call: Hash): Promise<KeptResult | null> {
    const { store, view, rootRunId: chain } = this.#parts;
    const kept = await store.findKept(view.workflow, { chain, call });
    return kept !== null && kept.at >= this.#now() - countedForMs ? kept : null;
  }

  /** What is denied stays denied, whoever has the answer. */
  async #answeredBefore(call: TerminalCall, { result }: KeptResult): Promise<ReadOutcome> {
    const { permissions, view } = this.#parts;
    const judged = await permissions.judgeAnswered(view, call);
    if (judged.says === "no") return { ...judged, says: "failed" };
    this.#note(call, "answered with what an earlier try was told; nothing was sent or counted");
    return { says: "value", value: result };
  }

  /** Null = it is durable, as far as it is to be kept. */
  async #keep(
    of: TerminalCall,
    name: Hash | null,
    result: JsonText | null,
    counted: readonly CountedRead[],
  ): Promise<TurnOver | null> {
    const bytes = Buffer.byteLength(result ?? "");
    const isKept = name !== null && bytes <= keptResultBytesMax;
    if (bytes > keptResultBytesMax) {
      const most = `more than the ${keptResultBytesMax} that are kept`;
      this.#note(of, `its answer of ${bytes} bytes is ${most}: a retry makes the call again`);
    }
    if (!isKept && counted.length === 0) return null;
    const { rootRunId: chain } = this.#parts;
    const kept = isKept ? [{ chain, call: name, at: this.#now(), result }] : [];
    return this.#inTurn(() => this.#persist({ kept, counted }));
  }

  /** One after the other, and never while a job changes something. */
  #inTurn(persist: () => Promise<TurnOver | null>): Promise<TurnOver | null> {
    const { items, view, runId } = this.#parts;
    const work = async () => {
      // A job that stopped meanwhile has its run, or never will.
      const isGone = (items?.over ?? null) !== null && !isWritten(view, runId);
      if (!isGone) this.#over ??= await persist();
      return this.over ?? items?.over ?? null;
    };
    if (items !== null) return items.inTurn(work);
    const done = this.#last.then(work);
    this.#last = done.catch(() => {});
    return done;
  }

  /**
   * A run that nobody has written down would begin again under another name after a crash, and pay
   * again: it is begun in the same change.
   */
  async #persist(aside: {
    readonly kept: readonly KeptResult[];
    readonly counted: readonly CountedRead[];
  }): Promise<TurnOver | null> {
    const { owner, view, runId, opening } = this.#parts;
    const isBegun = opening.length === 0 || isWritten(view, runId);
    const executed = isBegun
      ? await owner.keep(view, aside)
      : await owner.execute(opening, this.#parts.factsAt(), null, aside);
    if (executed.kind === "done") return null;
    return new TurnOver(executed.kind === "lost" ? endOf(executed) : brokenBy(executed.refusal));
  }

  #note({ connection, operation }: TerminalCall, text: string): void {
    this.#notes.push({ at: this.#now(), text: `holdfast: ${connection}.${operation}: ${text}` });
  }

  #now(): Instant {
    const { clock, view } = this.#parts;
    return Math.max(clock.now(), view.head.at);
  }
}

/** Whether the store has the run. */
export function isWritten(view: View, runId: string): boolean {
  for (const run of view.rows("runs")) if (run.runId === runId) return true;
  return false;
}
