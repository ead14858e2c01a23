import {
  type CallAnswer,
  CanonicalError,
  type CoreCommand,
  type GuestCall,
  type Instant,
  isConsumerDue,
  isItemDone,
  isItemStale,
  type LogLine,
  type MutationRow,
  type Refusal,
  type RunFailure,
  type ScriptPublication,
  type View,
  whyRunMayNotGoOn,
} from "@holdfast/core";
import type { StoppedRead } from "./guest-reads.ts";
import { ItemLedger } from "./item-ledger.ts";
import { ItemTitles } from "./item-titles.ts";
import type { LoopEnd } from "./loop-parts.ts";
import type { Outcome } from "./outcome.ts";
import type { StepParts } from "./phase-steps.ts";
import { HostStops } from "./stop.ts";
import { toBytes } from "./values.ts";

/** All there is to say of the run is durable, or has to be looked at afresh. */
export class TurnOver {
  readonly end: LoopEnd | null;

  constructor(end: LoopEnd | null) {
    this.end = end;
  }
}

/** What a job's calls need of the loop that runs it. */
export type JobParts = {
  /** Makes it durable, sends what it ordered, and makes durable what came of that. */
  readonly persist: (outcome: Outcome) => Promise<LoopEnd | null>;
  /** Takes in what others asked meanwhile. */
  readonly fold: () => Promise<LoopEnd | null>;
};

/** Between two items commands are looked for no more often than this. */
const lookMs = 250;

/**
 * What a job does that has to be durable while its handler runs: its items and their mutations,
 * one after the other. Whatever does not go through at once ends the isolate; the handler begins
 * at its top when the run goes on.
 */
export class ItemCalls {
  readonly #parts: StepParts;
  readonly #job: JobParts;
  readonly #view: View;
  readonly #beganMs: number;
  #lookedMs: number;
  #last: Promise<unknown> = Promise.resolve();
  #over: TurnOver | null = null;
  /** Whether the run exists in the store. */
  #isOpen: boolean;
  /** Items that were brought to their end by this run. */
  #completedCount = 0;
  #ledger: ItemLedger | null = null;
  readonly #titles = new ItemTitles();

  constructor(parts: StepParts, job: JobParts) {
    this.#parts = parts;
    this.#job = job;
    this.#view = parts.view;
    this.#isOpen = parts.opening.length === 0;
    this.#beganMs = parts.monotonicMs();
    this.#lookedMs = this.#beganMs;
  }

  /** Commands that make the run exist, if it does not yet. */
  get opening(): readonly CoreCommand[] {
    return this.#isOpen ? [] : this.#parts.opening;
  }

  /** What the host has to say of the items, for the log of the run. */
  get notes(): readonly LogLine[] {
    return this.#titles.notes;
  }

  get over(): TurnOver | null {
    return this.#over;
  }

  /** Null = it is none of these. Calls that were made at once come one after the other. */
  answer(call: GuestCall): Promise<CallAnswer> | null {
    const perform = this.#performerOf(call);
    if (perform === null) return null;
    const answered = this.#last.then(() => (this.#over ? stopped(this.#over) : perform()));
    this.#last = answered.catch(() => {});
    return answered;
  }

  /** Done when nothing else of the job is under way. */
  async inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => {});
    const answer = await done;
    this.#isOpen ||= this.#run() !== null;
    return answer;
  }

  /** Where the handler is: equal calls in two items, or in two attempts at one, are two. */
  get place(): string {
    const item = this.#ledger?.item;
    return item === undefined ? "" : `${item.attempt} ${item.itemId}`;
  }

  /** What is under way comes to its end, whatever became of the script. */
  async idle(): Promise<void> {
    await this.#last;
  }

  #performerOf({ name, kind, params }: GuestCall): (() => Promise<CallAnswer>) | null {
    if (name === "ctx.withItem") return () => this.#enter(params);
    if (name === "ctx.itemDone") return () => this.#complete(params);
    return kind === "mutation" ? () => this.#mutate(name, params) : null;
  }

  async #enter(params: string): Promise<CallAnswer> {
    const { runId, owner, stop } = this.#parts;
    const [itemId, title] = JSON.parse(params) as [string, string];
    if (stop?.asked.aborted === true) throw new HostStops("the host stops");
    const end = await this.#betweenItems();
    if (end !== null) return stopped(end);
    this.#titles.see(itemId, title, this.#now());
    const need = { kind: "row", table: "items", key: [itemId] } as const;
    if ((await owner.loadNeeds(this.#view, [need])) !== null) return this.#turnOver(null);
    const known = this.#view.find("items", itemId);
    const isLeft = this.#run()?.itemId !== null && this.#isOpen;
    if (known !== null && isItemDone(known) && !isItemStale(this.#view, known) && !isLeft) {
      this.#ledger = new ItemLedger(this.#parts, { itemId, attempt: known.attempt, isDone: true });
      return value('{"isDone":true}');
    }
    const entered = await this.#persist(
      this.#change([{ kind: "enter_item", runId, itemId, title }]),
    );
    if (entered !== null) return stopped(entered);
    return this.#entered(itemId, known === null);
  }

  async #entered(itemId: string, isNew: boolean): Promise<CallAnswer> {
    const need = { kind: "item", itemId } as const;
    const needs = isNew ? [] : [{ kind: "row", table: "items", key: [itemId] } as const, need];
    if ((await this.#parts.owner.loadNeeds(this.#view, needs)) !== null)
      return this.#turnOver(null);
    const item = this.#view.load("items", itemId);
    const isDone = isItemDone(item);
    const { attempt } = item;
    this.#ledger = new ItemLedger(this.#parts, { itemId, attempt, isDone });
    return value(JSON.stringify({ isDone }));
  }

  async #complete(params: string): Promise<CallAnswer> {
    const { runId } = this.#parts;
    const ledger = this.#ledger;
    this.#ledger = null;
    if (ledger === null) return this.#fails("there is no item to end");
    const { itemId, attempt, isDone } = ledger.item;
    const published = (JSON.parse(params) ?? []) as readonly ScriptPublication[];
    if (isDone && published.length === 0) return value(null);
    try {
      const publishes = published.map(({ payload, ...event }) => ({
        ...event,
        payload: toBytes(payload),
      }));
      const complete = { kind: "complete_item", runId, itemId, attempt, publishes } as const;
      const end = await this.#persist(this.#change([complete]));
      if (end !== null) return stopped(end);
    } catch (error) {
      if (error instanceof CanonicalError) return this.#fails(error.message);
      throw error;
    }
    if (!isDone) this.#completedCount += 1;
    return value(null);
  }

  async #mutate(name: string, params: string): Promise<CallAnswer> {
    const ledger = this.#ledger;
    if (ledger === null) return this.#fails(`${name} is not in any item`);
    const asked = await ledger.ask(name, params, this.#change([]));
    switch (asked.kind) {
      case "result":
        return value(asked.result);
      case "failure":
        return this.#stops(asked.failure, name);
      case "persist": {
        const { outcome, mutationKey } = asked;
        const end = await this.#persist(outcome);
        if (end !== null) return stopped(end);
        const made = this.#lastCall();
        if (made === null || made.mutationKey !== mutationKey || made.state !== "applied") {
          // Minor differences are noted, and the result there is stands.
          const noted = ledger.cachedResult(mutationKey);
          return noted === null ? this.#turnOver(null) : value(await noted);
        }
        return value(await ledger.keep(made));
      }
    }
  }

  #lastCall(): MutationRow | null {
    const mutationId = this.#run()?.mutationId ?? null;
    return mutationId === null ? null : this.#view.find("mutations", mutationId);
  }

  #run() {
    for (const run of this.#view.rows("runs")) if (run.runId === this.#parts.runId) return run;
    return null;
  }

  #now(): Instant {
    return Math.max(this.#parts.clock.now(), this.#view.head.at);
  }

  /** Null = it is durable, and the run goes on as it is. */
  async #persist(outcome: Outcome): Promise<TurnOver | null> {
    return this.#goesOn(await this.#job.persist(outcome));
  }

  /** What the core refuses is the script's mistake. */
  #change(commands: readonly CoreCommand[]): Outcome {
    const { opening } = this;
    return {
      commands: [...opening, ...commands],
      now: this.#now(),
      trace: null,
      onRefused: (refusal) => this.#refused(opening, refusal),
    };
  }

  /** A view that was dropped says that nobody knows what was written: it is looked at afresh. */
  async #goesOn(end: LoopEnd | null): Promise<TurnOver | null> {
    const isSame = end === null && (await this.#parts.owner.loadView()) === this.#view;
    const run = isSame ? this.#run() : null;
    this.#isOpen ||= run !== null;
    const goesOn = run?.open && run.status === "active" && !whyRunMayNotGoOn(this.#view, run);
    if (goesOn) return null;
    this.#over = new TurnOver(end);
    return this.#over;
  }

  #refused(opening: readonly CoreCommand[], { code, note }: Refusal): Outcome {
    const { runId, handler } = this.#parts;
    const location = `${handler.name} job`;
    const failure = { class: "logic", message: `${code}: ${note}`, location } as const;
    return {
      commands: [...opening, { kind: "fail_run", runId, failure }],
      now: this.#now(),
      trace: null,
      onRefused: (refusal) => {
        throw new Error(`a failure could not be recorded: ${refusal.code}: ${refusal.note}`);
      },
    };
  }

  /** Commands are taken in, and a job that has had its time makes way for others. */
  async #betweenItems(): Promise<TurnOver | null> {
    const { monotonicMs, runId } = this.#parts;
    const nowMs = monotonicMs();
    if (!this.#isOpen || nowMs - this.#lookedMs < lookMs) return null;
    this.#lookedMs = nowMs;
    const end = await this.#goesOn(await this.#job.fold());
    if (end !== null) return end;
    const { jobSliceMs, jobRunMs } = this.#view.policy;
    const forMs = nowMs - this.#beganMs;
    const isOthersTurn = forMs >= jobSliceMs && isConsumerDue(this.#view, this.#now());
    if (this.#completedCount === 0 || !(isOthersTurn || forMs >= jobRunMs)) return null;
    return this.#persist(this.#change([{ kind: "make_way", runId }]));
  }

  #turnOver(end: LoopEnd | null): CallAnswer {
    this.#over = new TurnOver(end);
    return stopped(this.#over);
  }

  #fails(message: string): CallAnswer {
    return this.#stops({ class: "logic", message, location: "" }, "");
  }

  #stops(failure: RunFailure, name: string): CallAnswer {
    const location = `${this.#parts.handler.name} job ${name}`.trimEnd();
    const reason: StoppedRead = { failure: { ...failure, location }, retryAt: null, call: null };
    return stopped(reason);
  }
}

function value(given: string | null): CallAnswer {
  return { kind: "value", value: given };
}

function stopped(reason: TurnOver | StoppedRead): CallAnswer {
  return { kind: "stop", reason };
}
