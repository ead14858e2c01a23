import {
  type CallAnswer,
  type EventRow,
  type Foreseen,
  type GuestCall,
  type HostedHandler,
  type Instant,
  isPassing,
  type OperationName,
  type Peek,
  type RunFailure,
  type ScriptPhase,
  type Seq,
  type TerminalCall,
  type View,
} from "@holdfast/core";
import { TurnOver } from "./item-calls.ts";
import { MeteredCalls, type MeteredParts } from "./metered-calls.ts";
import { Braked } from "./metered-hold.ts";
import type { OutsideWorld, ReadOutcome } from "./ports.ts";
import { ReadCount } from "./read-count.ts";
import { seenKey } from "./read-prepare-result.ts";
import { HostStops, type StopSignals, unlessStopped } from "./stop.ts";
import { bytesOf, toJson } from "./values.ts";

export type StoppedRead = {
  readonly failure: RunFailure;
  readonly retryAt: Instant | null;
  /** Null = it was nothing outside. */
  readonly call: OperationName | null;
  /** A brake holds it; absent = it is something else. */
  readonly isBraked?: true;
};

type Parts = MeteredParts & {
  readonly outside: OutsideWorld;
  readonly handler: HostedHandler;
  readonly stop?: StopSignals;
};

type ShownEvent = Pick<EventRow, "topic" | "messageId" | "revision" | "title" | "payload">;

type Looked = {
  readonly topic: string;
  readonly events: readonly ShownEvent[];
  readonly settledBelow: Seq | null;
  readonly json: string;
};

const peekLimitMax = 1_000;
const peekLimitDefault = 100;

/** What a script asks for while it runs: its own topics and keys, and the outside. */
export class GuestReads {
  /** Revisions of the events that were shown: a reservation pins exactly these. */
  readonly seen = new Map<string, number>();
  /** What the script asked for before anything else. */
  first: GuestCall | null = null;
  #foreseen: { readonly params: string; readonly looked: Looked } | null = null;
  readonly #parts: Parts;
  readonly #count: ReadCount;
  readonly metered: MeteredCalls;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#count = new ReadCount({ ...parts, viewNow: () => parts.view });
    this.metered = new MeteredCalls(parts, this.#count);
  }

  async answer(call: GuestCall, phase: ScriptPhase): Promise<CallAnswer> {
    const { name, params } = call;
    this.first ??= call;
    switch (name) {
      case "ctx.peek":
        return value(await this.#peek(params));
      case "ctx.getByIds":
        return value(await this.#getByIds(params));
      case "ctx.kv.get":
        return value(await this.#readKv(params));
    }
    if (name.startsWith("ctx.")) {
      const message = `${name} is not there yet`;
      const failure = { class: "logic", message, location: name } as const;
      return { kind: "stop", reason: { failure, retryAt: null, call: null } satisfies StoppedRead };
    }
    const dot = name.indexOf(".");
    const [connection, operation] = [name.slice(0, dot), name.slice(dot + 1)];
    const made = { connection, operation, params };
    const outcome = await (call.kind === "metered"
      ? this.metered.answer(made, phase, () => this.#perform(made))
      : this.#read(made));
    if (outcome instanceof TurnOver) return { kind: "stop", reason: outcome };
    if (outcome instanceof Braked) {
      const { failure } = outcome;
      const held = { failure, retryAt: null, call: { connection, operation } };
      return { kind: "stop", reason: { ...held, isBraked: true } satisfies StoppedRead };
    }
    if (outcome.says === "value") return value(outcome.value);
    const location = `${this.#parts.handler.name} ${phase} ${name}`;
    const reason: StoppedRead = {
      failure: { ...outcome.failure, location },
      retryAt: outcome.retryAt,
      call: { connection, operation },
    };
    return { kind: "stop", reason };
  }

  /** Judged before any I/O. */
  async #read(call: TerminalCall): Promise<ReadOutcome> {
    const admitted = await this.#count.admit(call);
    if (admitted.says === "no") return { ...admitted, says: "failed" };
    const outcome = await this.#perform(call);
    await admitted.settle(outcome.says === "value" ? outcome.value : null);
    return outcome;
  }

  /** What a connector throws is its own mistake, and says nothing that a script could act on. */
  async #perform(call: TerminalCall): Promise<ReadOutcome> {
    const { outside, stop } = this.#parts;
    try {
      return await unlessStopped(stop, (signal) => outside.read(call, signal));
    } catch (error) {
      if (isPassing(error) || error instanceof HostStops) throw error;
      const failure = { class: "internal", message: String(error), location: "" } as const;
      return { says: "failed", failure, retryAt: null };
    }
  }

  /** The answer to a peek that may be asked for. Nothing of it is shown until it is. */
  async foresee(params: string): Promise<Foreseen> {
    const looked = await this.#look(params, this.#parts.view);
    this.#foreseen = { params, looked };
    return { name: "ctx.peek", params, value: looked.json };
  }

  async #peek(params: string): Promise<string> {
    const foreseen = this.#foreseen?.params === params ? this.#foreseen.looked : null;
    this.#foreseen = null;
    const { topic, events, settledBelow, json } = foreseen ?? (await this.#look(params));
    if (settledBelow !== null) this.#parts.owner.noteSettled({ topic, position: settledBelow });
    for (const event of events) this.#noteSeen(event);
    return json;
  }

  /** `before` = nothing has run since it was loaded. */
  async #look(params: string, before: View | null = null): Promise<Looked> {
    const { store, owner } = this.#parts;
    const [topic, options] = JSON.parse(params) as [string, { limit?: unknown } | null];
    const wanted =
      typeof options?.limit === "number" ? Math.trunc(options.limit) : peekLimitDefault;
    const limit = Math.min(Math.max(wanted, 1), peekLimitMax);
    const known = before !== null && limit === 1 ? oldestOf(before, topic) : null;
    const { events, settledBelow } = known ?? (await store.peek(owner.workflow, topic, limit));
    return { topic, events, settledBelow, json: await this.#textOf(events) };
  }

  async #getByIds(params: string): Promise<string> {
    const { store, owner } = this.#parts;
    const [topic, ids] = JSON.parse(params) as [string, unknown];
    const names = Array.isArray(ids) ? ids.filter((id) => typeof id === "string") : [];
    const needs = [...new Set(names)].slice(0, peekLimitMax).map((id) => {
      return { kind: "row", table: "events", key: [topic, id] } as const;
    });
    const { rows } = await store.load(owner.workflow, needs);
    const events = rows.flatMap((each) => (each.table === "events" ? [each.row] : []));
    const pending = events.filter(({ status }) => status === "pending");
    for (const event of pending) this.#noteSeen(event);
    return this.#textOf(pending);
  }

  /** As peek shows it; the script has seen it then. */
  showOne(event: ShownEvent): Promise<string> {
    this.#noteSeen(event);
    return this.#textOfOne(event);
  }

  #noteSeen({ topic, messageId, revision }: ShownEvent): void {
    this.seen.set(seenKey(topic, messageId), revision);
  }

  async #textOfOne({ topic, messageId, title, payload }: ShownEvent): Promise<string> {
    const { store, owner } = this.#parts;
    const shownTitle = title === null ? {} : { title };
    const head = JSON.stringify({ topic, messageId, id: messageId, ...shownTitle });
    const json = toJson(await bytesOf(store, owner.workflow, payload));
    return `${head.slice(0, -1)},"payload":${json}}`;
  }

  async #textOf(events: readonly ShownEvent[]): Promise<string> {
    const texts = await Promise.all(events.map((event) => this.#textOfOne(event)));
    return `[${texts.join(",")}]`;
  }

  async #readKv(params: string): Promise<string | null> {
    const { store, owner, handler } = this.#parts;
    const [key] = JSON.parse(params) as [string];
    const need = { kind: "row", table: "handler_kv", key: [handler.name, key] } as const;
    const { rows } = await store.load(owner.workflow, [need]);
    const found = rows.find((each) => each.table === "handler_kv");
    if (found?.table !== "handler_kv") return null;
    return toJson(await bytesOf(store, owner.workflow, found.row.value));
  }
}

/**
 * What `peek` would find of one event, if the view was loaded with the oldest ones: nobody but its
 * owner moves the workflow on. Null = the store has to be asked.
 */
function oldestOf(view: View, topic: string): Peek | null {
  const isLoaded = view.has({ kind: "oldest_pending" });
  // Only of topics that somebody takes from.
  if (!isLoaded || (view.find("topics", topic)?.subscriber ?? null) === null) return null;
  let oldest: EventRow | null = null;
  for (const event of view.rows("events")) {
    if (event.topic !== topic) continue;
    // Held by the open run, perhaps: where it stands among the others is the store's to say.
    if (event.status !== "pending") return null;
    if (oldest === null || event.position < oldest.position) oldest = event;
  }
  return oldest === null ? null : { events: [oldest], settledBelow: oldest.position };
}

function value(given: string | null): CallAnswer {
  return { kind: "value", value: given };
}
