import {
  type CallAnswer,
  CanonicalError,
  type CoreCommand,
  contentHash,
  type Foreseen,
  type GuestCall,
  type HandlerRow,
  type HostedHandler,
  type HostedScript,
  type Instant,
  type JsonText,
  type PhaseCall,
  type PhaseOutcome,
  type PhaseRecord,
  type Refusal,
  type RunFailure,
  type RunRow,
  type ScriptPhase,
  type TerminalCall,
  type View,
} from "@holdfast/core";
import type { ActiveTime } from "./active-time.ts";
import { nextFiring } from "./firings.ts";
import { GuestReads, type StoppedRead } from "./guest-reads.ts";
import type { Habits } from "./habits.ts";
import { ItemCalls, type JobParts, type TurnOver } from "./item-calls.ts";
import type { LoopParts } from "./loop-parts.ts";
import { isWritten } from "./metered-calls.ts";
import { mutationResultOf } from "./mutation-result.ts";
import type { Outcome } from "./outcome.ts";
import type { Permissions } from "./permissions.ts";
import { PhaseTrace } from "./phase-trace.ts";
import { readPrepareResult } from "./read-prepare-result.ts";
import { describeCall, recordedOutcome, recordOf } from "./record-call.ts";
import type { Sender } from "./sender.ts";
import { type Trigger, type TriggerReason, triggerOf } from "./trigger.ts";
import { jsonOf, toBytes } from "./values.ts";

export type StepParts = LoopParts & {
  readonly script: HostedScript;
  readonly handler: HostedHandler;
  readonly row: HandlerRow;
  readonly view: View;
  readonly sender: Sender;
  readonly runId: string;
  readonly rootRunId: string;
  /** Commands that make the run exist, if it does not yet. */
  readonly opening: readonly CoreCommand[];
  readonly asOf: number;
  readonly reason: TriggerReason;
  readonly habits: Habits;
  readonly permissions: Permissions;
  readonly activeTime: ActiveTime;
  readonly job: JobParts;
};

/** What `mutate` and `next` are given of the prepared run. */
type Pinned = { readonly prepared: JsonText; readonly preparedAt: Instant };

/** Runs the phases of one run and says what they come to. Nothing here is durable yet. */
export class PhaseSteps {
  readonly #parts: StepParts;
  readonly #reads: GuestReads;
  readonly #trace: PhaseTrace;
  /** When the phase began; a job may go on for long. */
  readonly #beganAt: Instant;
  /** Of a job. */
  readonly #items: ItemCalls | null;
  /** Of the phase that runs; null = its time was noted already. */
  #sinceMs: number | null = null;
  #trigger: Trigger = { json: "null", deliveries: [] };

  constructor(parts: StepParts) {
    this.#parts = parts;
    const { runId, owner } = parts;
    this.#trace = new PhaseTrace({ runId, bytesMax: owner.policy.traceBytesMax });
    this.#beganAt = this.#time();
    this.#items = parts.row.kind === "job" ? new ItemCalls(parts, parts.job) : null;
    this.#reads = new GuestReads({ ...parts, items: this.#items, factsAt: () => this.#now });
  }

  #time(): Instant {
    const { clock, view } = this.#parts;
    return Math.max(clock.now(), view.head.at);
  }

  get #now(): Instant {
    return this.#items === null ? this.#beganAt : this.#time();
  }

  get #opening(): readonly CoreCommand[] {
    const { view, runId, opening } = this.#parts;
    return this.#items?.opening ?? (isWritten(view, runId) ? [] : opening);
  }

  /** A run that exists already, at the phase it has come to. */
  async goOn(run: RunRow): Promise<Outcome | TurnOver> {
    if (run.kind !== "consumer") return this.execute();
    if (run.phase === "preparing") return this.prepare();
    const { store, view } = this.#parts;
    const prepared = await jsonOf(store, view.workflow, run.prepareResult);
    const pinned = { prepared: prepared ?? "null", preparedAt: run.preparedAt ?? this.#now };
    const isEmpty = ![...view.rows("events")].some((event) => event.reservedBy === run.runId);
    if (run.phase === "prepared" && isEmpty) return this.#next([], pinned, '{"status":"none"}');
    if (run.phase === "prepared" || run.phase === "mutating") return this.#mutate([], pinned);
    return this.#next([], pinned, await mutationResultOf(store, view, run));
  }

  async prepare(): Promise<Outcome | TurnOver> {
    const { script, handler, row, store, view } = this.#parts;
    const state = await jsonOf(store, view.workflow, row.state);
    const trigger = await this.#wakeUp();
    const given = state === undefined ? {} : { state };
    const foreseen = await this.#foresee();
    const prepare = this.#call("prepare", { given, trigger, foreseen });
    const inOneGo = handler.hasMutate && handler.mutateReads === "none";
    const options = this.#options("prepare");
    const mutate = this.#call("mutate", { given: {}, seed: this.#lastingSeed("mutate") });
    const ran = inOneGo
      ? script.runConsumer({ prepare, mutate }, options)
      : script.run(prepare, options).then((alone) => ({ prepare: alone, mutate: null }));
    const both = await ran.finally(() => this.#reads.metered.idle());
    return this.#reads.metered.over ?? this.#prepared(both.prepare, both.mutate);
  }

  /** Most consumers begin with the same peek every time. */
  async #foresee(): Promise<readonly Foreseen[]> {
    const { habits, handler } = this.#parts;
    const params = habits.firstPeek(handler.name);
    return params === null ? [] : [await this.#reads.foresee(params)];
  }

  async #prepared(outcome: PhaseOutcome, mutate: PhaseOutcome | null): Promise<Outcome> {
    const { runId, asOf, handler, habits } = this.#parts;
    const opening = this.#opening;
    this.#tell("prepare", outcome);
    habits.note(handler.name, this.#reads.first);
    const value = returnedBy(outcome);
    if (value === undefined) return this.#ended(opening, "prepare", outcome);
    const read = readPrepareResult(value, this.#reads.seen);
    if ("fault" in read) return this.#failed(opening, "prepare", read.fault);
    if (read.note !== null) this.#trace.note({ at: this.#now, text: read.note });
    const finish: CoreCommand = { kind: "finish_prepare", runId, asOf, ...read.prepared };
    const commands = [...opening, finish];
    const pinned = { prepared: value ?? "null", preparedAt: this.#now };
    if (read.prepared.reservations.length === 0) {
      return this.#next(commands, pinned, '{"status":"none"}');
    }
    if (!handler.hasMutate) return this.#withoutMutation(commands, pinned);
    if (mutate === null) return this.#change(commands, "prepare");
    return this.#mutated(commands, pinned, mutate);
  }

  async #mutate(commands: readonly CoreCommand[], pinned: Pinned): Promise<Outcome> {
    const { script, handler } = this.#parts;
    if (!handler.hasMutate) return this.#withoutMutation(commands, pinned);
    const { prepared, preparedAt: now } = pinned;
    const seed = this.#lastingSeed("mutate");
    const call = this.#call("mutate", { given: { prepared }, now, seed });
    return this.#mutated(commands, pinned, await script.run(call, this.#options("mutate")));
  }

  async #mutated(
    commands: readonly CoreCommand[],
    pinned: Pinned,
    outcome: PhaseOutcome,
  ): Promise<Outcome> {
    this.#tell("mutate", outcome);
    const { result } = outcome;
    if (result.kind === "mutation") return this.#record(commands, result.call);
    if (result.kind === "returned") return this.#withoutMutation(commands, pinned);
    return this.#ended(commands, "mutate", outcome);
  }

  /** The call is recorded and allowed to be sent in one change, where nothing stands in its way. */
  async #record(commands: readonly CoreCommand[], call: TerminalCall): Promise<Outcome> {
    const { runId, sender } = this.#parts;
    const described = describeCall(this.#parts.outside, call);
    if ("class" in described) return this.#refusedCall(commands, described);
    const now = this.#now;
    const judged = await recordOf({ ...this.#parts, now }, call, described);
    return recordedOutcome({ runId, sender, now }, judged, this.#change(commands, "mutate"));
  }

  #refusedCall(commands: readonly CoreCommand[], failure: RunFailure): Outcome {
    const { runId } = this.#parts;
    switch (failure.class) {
      case "auth":
      case "permission":
      case "precondition":
      case "budget": {
        const because = { reason: failure.class, failure };
        return this.#change([...commands, { kind: "pause_run", runId, because }], "mutate");
      }
      case "internal": {
        const internal = { ...failure, class: failure.class };
        const fail: CoreCommand = { kind: "fail_run", runId, failure: internal };
        return this.#change([...commands, fail], "mutate");
      }
      default:
        return this.#failed(commands, "mutate", failure.message);
    }
  }

  async #withoutMutation(commands: readonly CoreCommand[], pinned: Pinned): Promise<Outcome> {
    const finish: CoreCommand = { kind: "finish_mutate", runId: this.#parts.runId };
    return this.#next([...commands, finish], pinned, '{"status":"none"}');
  }

  async #next(
    commands: readonly CoreCommand[],
    { prepared, preparedAt: now }: Pinned,
    mutationResult: JsonText,
  ): Promise<Outcome> {
    const { script, handler } = this.#parts;
    if (!handler.hasNext) return this.#commit(commands, null, emptyRecord);
    const seed = this.#lastingSeed("next");
    const call = this.#call("next", { given: { prepared, mutationResult }, now, seed });
    const outcome = await script.run(call, this.#options("next"));
    this.#tell("next", outcome);
    const value = returnedBy(outcome);
    if (value === undefined) return this.#ended(commands, "next", outcome);
    return this.#commit(commands, value, outcome.record);
  }

  /** A producer, or a job. */
  async execute(): Promise<Outcome | TurnOver> {
    const { script, row, store, view, activeTime } = this.#parts;
    const state = await jsonOf(store, view.workflow, row.state);
    const phase = row.kind === "job" ? "job" : "producer";
    const trigger = await this.#wakeUp();
    const call = this.#call(phase, { given: state === undefined ? {} : { state }, trigger });
    const options = this.#options(phase);
    const { metered } = this.#reads;
    const idle = () => Promise.all([metered.idle(), this.#items?.idle()]);
    const outcome = await script.run(call, options).finally(idle);
    activeTime.phaseRan(outcome.activeMs);
    const over = this.#items?.over ?? metered.over;
    if (over !== null) return over;
    this.#tell(phase, outcome);
    const value = returnedBy(outcome);
    if (value === undefined) return this.#ended(this.#opening, phase, outcome);
    return this.#commit(this.#opening, value, outcome.record);
  }

  #commit(commands: readonly CoreCommand[], state: JsonText | null, record: PhaseRecord): Outcome {
    const phase = this.#parts.row.kind === "consumer" ? "next" : "handler";
    try {
      const commit = this.#commitCommand(state, record);
      return this.#change([...commands, commit], phase, commands);
    } catch (error) {
      // A number beyond 2^53, for instance: the script may hold it, a record may not.
      if (error instanceof CanonicalError) return this.#failed(commands, phase, error.message);
      throw error;
    }
  }

  #commitCommand(state: JsonText | null, record: PhaseRecord): CoreCommand {
    const { runId, handler, row } = this.#parts;
    return {
      kind: "commit_run",
      runId,
      inputs: record.inputs.map(({ inputId: _, ...input }) => input),
      publishes: record.publications.map(({ payload, ...event }) => ({
        ...event,
        payload: toBytes(payload),
      })),
      state: state === null ? null : toBytes(state),
      nextRunAt: row.kind === "consumer" ? null : nextFiring(handler, row, this.#now),
      kv: record.kvWrites.map(({ key, value }) => ({
        key,
        value: value === null ? null : toBytes(value),
      })),
      deliveries: this.#trigger.deliveries,
    };
  }

  /** The phase gave no result: what ended it decides who has to act. */
  #ended(commands: readonly CoreCommand[], phase: string, { result }: PhaseOutcome): Outcome {
    const { runId, random } = this.#parts;
    if (result.kind === "failed") {
      const { code, message } = result.failure;
      return this.#failed(commands, phase, `${code}: ${message}`);
    }
    const { failure, retryAt, call, isBraked } = (result as { reason: StoppedRead }).reason;
    switch (failure.class) {
      case "logic":
        return this.#failed(commands, failure.location, failure.message);
      case "internal":
      case "indeterminate": {
        const internal = { ...failure, class: "internal" } as const;
        return this.#change([...commands, { kind: "fail_run", runId, failure: internal }], phase);
      }
      case "transient": {
        const because =
          retryAt === null
            ? ({ reason: "backoff", failure, jitter: random(), call } as const)
            : ({ reason: "rate_limit", until: retryAt, call } as const);
        return this.#change([...commands, { kind: "pause_run", runId, because }], phase);
      }
      default: {
        const until = failure.class === "budget" && retryAt !== null ? { until: retryAt } : {};
        const reason = isBraked ? ("brake" as const) : failure.class;
        const because = { reason, failure, ...until };
        return this.#change([...commands, { kind: "pause_run", runId, because }], phase);
      }
    }
  }

  #failed(commands: readonly CoreCommand[], phase: string, message: string): Outcome {
    const { runId, handler } = this.#parts;
    const failure = { class: "logic", message, location: `${handler.name} ${phase}` } as const;
    const fail: CoreCommand = { kind: "fail_run", runId, failure };
    return {
      commands: [...commands, fail],
      now: this.#now,
      trace: this.#trace.source({ fails: true }),
      onRefused: ({ code, note }) => {
        const opening = this.#opening;
        // What came before it was refused: then that is the failure, at the run's beginning.
        if (commands.length > opening.length) return this.#failed(opening, phase, note);
        throw new Error(`a failure could not be recorded: ${code}: ${note}`);
      },
    };
  }

  /** What the script asked for and the core refuses is the script's mistake. */
  #change(
    commands: readonly CoreCommand[],
    phase: string,
    without: readonly CoreCommand[] = this.#opening,
  ): Outcome {
    const onRefused = ({ note }: Refusal) => this.#failed(without, phase, note);
    const trace = this.#trace.source({ fails: false });
    return { commands, now: this.#now, trace, onRefused };
  }

  /** What the commit takes is what is shown here. */
  async #wakeUp(): Promise<JsonText> {
    this.#trigger = await triggerOf({ ...this.#parts, reads: this.#reads });
    return this.#trigger.json;
  }

  #call(
    phase: ScriptPhase,
    more: Pick<PhaseCall, "given" | "trigger" | "foreseen"> & { now?: Instant; seed?: string },
  ): PhaseCall {
    const { handler, script } = this.#parts;
    return {
      phase,
      handler: handler.name,
      connections: script.connections,
      subscribe: handler.subscribe,
      publishes: handler.publishes,
      mutateReads: handler.mutateReads,
      now: this.#now,
      seed: String(this.#parts.random()),
      ...more,
    };
  }

  /** The same for every try of the chain, so that a phase that is run again does the same. */
  #lastingSeed(phase: string): string {
    const { view, rootRunId } = this.#parts;
    return contentHash([view.workflow, rootRunId, phase]);
  }

  #options(phase: ScriptPhase) {
    const { clock, monotonicMs, activeTime } = this.#parts;
    this.#sinceMs = monotonicMs();
    activeTime.phaseBegins();
    const perform = (call: GuestCall, activeMs: number): Promise<CallAnswer> => {
      activeTime.phaseRan(activeMs);
      return this.#items?.answer(call) ?? this.#reads.answer(call, phase);
    };
    return { perform, now: () => clock.now() };
  }

  #tell(phase: string, outcome: PhaseOutcome): void {
    const { observer, view, runId, monotonicMs, activeTime } = this.#parts;
    activeTime.phaseRan(outcome.activeMs);
    activeTime.phaseBegins();
    observer.onPhase?.({ workflow: view.workflow, runId, phase, outcome });
    const durationMs = this.#sinceMs === null ? null : Math.round(monotonicMs() - this.#sinceMs);
    this.#sinceMs = null;
    const notes = [...(this.#items?.notes ?? []), ...this.#reads.metered.takeNotes()];
    this.#trace.add(outcome, { phase, at: this.#now, durationMs }, notes);
  }
}

const emptyRecord: PhaseRecord = { logs: [], inputs: [], publications: [], kvWrites: [] };

/** Undefined = the handler did not come to its end. */
function returnedBy({ result }: PhaseOutcome): JsonText | null | undefined {
  return result.kind === "returned" ? result.value : undefined;
}
