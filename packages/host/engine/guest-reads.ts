import {
  type CallAnswer,
  type EventRow,
  type GuestCall,
  type HostedHandler,
  type Instant,
  isPassing,
  type RunFailure,
  type ScriptPhase,
  type Store,
  type TerminalCall,
} from "@holdfast/core";
import type { WorkflowOwner } from "../workflow-owner.ts";
import type { OutsideWorld, ReadOutcome } from "./ports.ts";
import { seenKey } from "./read-prepare-result.ts";
import { bytesOf, toJson } from "./values.ts";

export type StoppedRead = { readonly failure: RunFailure; readonly retryAt: Instant | null };

type Parts = {
  readonly store: Store;
  readonly owner: WorkflowOwner;
  readonly outside: OutsideWorld;
  readonly handler: HostedHandler;
};

type ShownEvent = Pick<EventRow, "topic" | "messageId" | "revision" | "title" | "payload">;

const peekLimitMax = 1_000;
const peekLimitDefault = 100;

/** What a script asks for while it runs: its own topics and keys, and the outside. */
export class GuestReads {
  /** Revisions of the events that were shown: a reservation pins exactly these. */
  readonly seen = new Map<string, number>();
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async answer({ name, params }: GuestCall, phase: ScriptPhase): Promise<CallAnswer> {
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
      return { kind: "stop", reason: { failure, retryAt: null } satisfies StoppedRead };
    }
    const dot = name.indexOf(".");
    const call = { connection: name.slice(0, dot), operation: name.slice(dot + 1), params };
    const outcome = await this.#read(call);
    if (outcome.says === "value") return value(outcome.value);
    const location = `${this.#parts.handler.name} ${phase} ${name}`;
    const reason: StoppedRead = {
      failure: { ...outcome.failure, location },
      retryAt: outcome.retryAt,
    };
    return { kind: "stop", reason };
  }

  /** What a connector throws is its own mistake, and says nothing that a script could act on. */
  async #read(call: TerminalCall): Promise<ReadOutcome> {
    try {
      return await this.#parts.outside.read(call);
    } catch (error) {
      if (isPassing(error)) throw error;
      const failure = { class: "internal", message: String(error), location: "" } as const;
      return { says: "failed", failure, retryAt: null };
    }
  }

  async #peek(params: string): Promise<string> {
    const { store, owner } = this.#parts;
    const [topic, options] = JSON.parse(params) as [string, { limit?: unknown } | null];
    const wanted =
      typeof options?.limit === "number" ? Math.trunc(options.limit) : peekLimitDefault;
    const limit = Math.min(Math.max(wanted, 1), peekLimitMax);
    const { events, settledBelow } = await store.peek(owner.workflow, topic, limit);
    if (settledBelow !== null) owner.noteSettled({ topic, position: settledBelow });
    return this.#show(events);
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
    return this.#show(events.filter(({ status }) => status === "pending"));
  }

  /** As peek shows it; the script has seen it then. */
  async showOne({ topic, messageId, revision, title, payload }: ShownEvent): Promise<string> {
    const { store, owner } = this.#parts;
    this.seen.set(seenKey(topic, messageId), revision);
    const shownTitle = title === null ? {} : { title };
    const head = JSON.stringify({ topic, messageId, id: messageId, ...shownTitle });
    const json = toJson(await bytesOf(store, owner.workflow, payload));
    return `${head.slice(0, -1)},"payload":${json}}`;
  }

  async #show(events: readonly ShownEvent[]): Promise<string> {
    const shown = await Promise.all(events.map((event) => this.showOne(event)));
    return `[${shown.join(",")}]`;
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

function value(given: string | null): CallAnswer {
  return { kind: "value", value: given };
}
