import {
  type CanonicalValue,
  decodeCanonical,
  encodeCanonical,
  encodeGrants,
  type Grant,
  type HostedHandler,
  type HostedScript,
  type MutationRow,
  type PhaseOutcome,
  policyDefaults,
  type Rows,
  type Store,
  type TableName,
} from "@holdfast/core";
import { editCall } from "../engine/edit-call.ts";
import { KnownTimes } from "../engine/known-times.ts";
import type { OutsideWorld, SentCall } from "../engine/ports.ts";
import { QuietTimes } from "../engine/quiet-times.ts";
import { WorkflowLoop } from "../engine/workflow-loop.ts";
import { realTimers } from "../membership/real-time.ts";
import { WorkflowOwner } from "../workflow-owner.ts";
import { plainCall } from "./plain-call.ts";

const workflow = "orders";

const book: HostedHandler = {
  name: "book",
  kind: "consumer",
  subscribe: ["orders"],
  publishes: [],
  hasMutate: true,
  hasNext: false,
  mutateReads: "none",
  nextRunAt: () => null,
};

type Event = { readonly messageId: string; readonly payload: CanonicalValue };

/** Books every event as it is, one by one; `scale` is what a script does to the sum by then. */
function bookingScript(scale: () => number): HostedScript {
  const ended = (result: PhaseOutcome["result"]): PhaseOutcome => {
    return {
      result,
      record: { logs: [], inputs: [], publications: [], kvWrites: [] },
      trace: [],
      activeMs: 0,
    };
  };
  const returned = (value: unknown) => ended({ kind: "returned", value: JSON.stringify(value) });
  const mutate = (prepared: string): PhaseOutcome => {
    const { data } = JSON.parse(prepared) as { data: { sum: number; to: string } };
    const params = JSON.stringify({ ...data, sum: data.sum * scale() });
    return ended({ kind: "mutation", call: { connection: "shop", operation: "book", params } });
  };
  return {
    handlers: new Map([["book", book]]),
    connections: { shop: { book: "mutation" } },
    run: async (call) => mutate(call.given.prepared ?? ""),
    runConsumer: async ({ prepare: _ }, { perform }) => {
      const peek = {
        callId: 1,
        name: "ctx.peek",
        kind: "context",
        params: '["orders",{"limit":1}]',
      };
      const answer = await perform(peek as Parameters<typeof perform>[0], 0);
      const text = answer.kind === "value" ? (answer.value ?? "[]") : "[]";
      const [event] = JSON.parse(text) as Event[];
      if (event === undefined) return { prepare: returned({ reservations: [] }), mutate: null };
      const reservations = [{ topic: "orders", ids: [event.messageId] }];
      const prepared = { reservations, data: event.payload };
      return { prepare: returned(prepared), mutate: mutate(JSON.stringify(prepared)) };
    },
  };
}

/** What a send comes to. */
export type Mood = "works" | "refuses" | "is lost" | "is busy";

/** A real loop on a real store, with a script and a service of this process. */
export class GrantedPlay {
  readonly store: Store;
  now = 1_700_000_000_000;
  mood: Mood = "works";
  scale = 1;
  connectorVersion = "1";
  /** Calls to which a person has said yes as they were shown. */
  readonly agreedTo = new Set<string>();
  onSend: (call: SentCall) => Promise<void> = async () => {};
  readonly #clock: { now: number };
  #count = 0;

  private constructor(store: Store, clock: { now: number }) {
    this.store = store;
    this.#clock = clock;
  }

  static async open(openStore: (clock: () => number) => Store): Promise<GrantedPlay> {
    const clock = { now: 0 };
    const play = new GrantedPlay(
      openStore(() => clock.now),
      clock,
    );
    await play.store.createWorkflow(workflow);
    await play.command("activate_version", firstVersion);
    await play.live();
    return play;
  }

  async command(kind: string, body: CanonicalValue, actor = "ada"): Promise<void> {
    const commandId = `c${++this.#count}`;
    const command = { commandId, workflow, actor, kind, body: encodeCanonical(body), at: this.now };
    await this.store.appendCommand(command);
  }

  publish(params: CanonicalValue): Promise<void> {
    const messageId = `o-${this.#count}`;
    const event = { topic: "orders", messageId, payload: encodeCanonical(params), title: null };
    return this.command("publish_event", event);
  }

  setGrants(grants: readonly Grant[]): Promise<void> {
    return this.command("set_envelope", { grants: encodeGrants(grants) });
  }

  async rows<T extends TableName>(table: T): Promise<readonly Rows[T][]> {
    const rows: Rows[T][] = [];
    for await (const row of this.store.scan(workflow, table)) rows.push(row);
    return rows;
  }

  async asked(): Promise<MutationRow | undefined> {
    return (await this.rows("mutations")).find(({ state }) => state === "awaiting_approval");
  }

  /** Other parameters for the call that waits, if that could be made. */
  async edit(params: CanonicalValue): Promise<void> {
    const mutation = await this.asked();
    if (mutation === undefined) return;
    const parts = { store: this.store, outside: this.#outside(), policy: policyDefaults };
    const edited = await editCall({ ...parts, now: this.now }, workflow, {
      mutation,
      editedHash: mutation.payloadHash,
      params: JSON.stringify(params),
    });
    if ("why" in edited) return;
    await this.command("edit_mutation", { ...edited } as unknown as CanonicalValue);
  }

  /** A new host takes over and works until there is nothing to do. */
  async live(): Promise<void> {
    this.#clock.now = this.now;
    const { store } = this;
    const incarnation = `host-${++this.#count}`;
    await store.openHost({ incarnation, leaseMs: 60_000 });
    const { claims } = await store.claim(incarnation, 1);
    const [claim] = claims;
    if (claim !== undefined) await this.#work(claim, incarnation);
    await store.closeHost(incarnation);
  }

  async #work(claim: { workflow: string; epoch: number; unclean: boolean }, incarnation: string) {
    const { store } = this;
    const script = bookingScript(() => this.scale);
    const loop = new WorkflowLoop({
      store,
      ownership: { ...claim, mayAct: () => true, mayActUntil: Number.POSITIVE_INFINITY },
      owner: new WorkflowOwner(store, claim),
      scripts: { load: async () => script },
      outside: this.#outside(),
      clock: { now: () => this.now },
      monotonicMs: () => this.now,
      timers: realTimers,
      quietTimes: new QuietTimes(),
      knownTimes: new KnownTimes(),
      random: () => 0.5,
      incarnation,
      observer: {},
    });
    const end = await loop.work();
    if (end.kind === "broken") throw new Error(end.note);
  }

  #outside(): OutsideWorld {
    return {
      read: async () => ({ says: "value", value: null }),
      describe: (call) => ({
        ...plainCall(call),
        connectorVersion: this.connectorVersion,
        retentionMs: 3_600_000,
      }),
      send: async (call, mayGo) => {
        if (!mayGo()) return { says: "unsent" };
        await this.onSend(call);
        return this.#outcome();
      },
      reconcile: async () => ({ says: "retry", note: "nobody knows" }),
    };
  }

  #outcome(): Awaited<ReturnType<OutsideWorld["send"]>> {
    switch (this.mood) {
      case "works":
        return { says: "applied", result: null };
      case "refuses": {
        const failure = { class: "precondition", message: "no", location: "shop" } as const;
        return { says: "failed", failure, jitter: 0 };
      }
      case "is lost":
        return { says: "unknown", note: "no answer" };
      case "is busy":
        return { says: "rate_limited", until: this.now + 1_000 };
    }
  }
}

export function paramsOf(call: SentCall): CanonicalValue {
  return decodeCanonical(call.payload);
}

const firstVersion = {
  major: 1,
  minor: 0,
  scriptHash: "script",
  script: null,
  connections: [],
  grants: null,
  progress: "keep",
  topics: [{ name: "orders", subscriber: "book", observed: false, schema: null }],
  handlers: [
    {
      name: "book",
      kind: "consumer",
      subscribe: ["orders"],
      publishes: [],
      onMutationFailed: "prepare",
      catchUp: "once",
      webhook: false,
      start: "manual",
      scheduled: false,
    },
  ],
};
