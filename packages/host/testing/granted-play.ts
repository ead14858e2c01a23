import { type Change, decodeCanonical, type Store } from "@holdfast/core";
import { KnownTimes } from "../engine/known-times.ts";
import type { OutsideWorld, SentCall } from "../engine/ports.ts";
import { QuietTimes } from "../engine/quiet-times.ts";
import { WorkflowLoop } from "../engine/workflow-loop.ts";
import { realTimers } from "../membership/real-time.ts";
import { WorkflowOwner } from "../workflow-owner.ts";
import { type BookedParams, bookingScript } from "./booking-script.ts";
import { type DeskParts, GrantedDesk } from "./granted-desk.ts";
import { plainCall } from "./plain-call.ts";
import { takeVersion } from "./take-version.ts";

/** What a send comes to. */
export type Mood = "works" | "refuses" | "is wrong" | "is lost" | "is busy";

type Claim = { readonly workflow: string; readonly epoch: number; readonly unclean: boolean };
type Work = (claim: Claim, incarnation: string) => Promise<void>;

const workflows = ["orders", "returns"];

/** Real loops on a real store, for two workflows at once, with a service of this process. */
export class GrantedPlay {
  readonly store: Store;
  readonly desks: readonly GrantedDesk[];
  now = 1_700_000_000_000;
  mood: Mood = "works";
  scale = 1;
  connectorVersion = "1";
  /** Told once it is durable that a call may have been sent, in that order. */
  onInFlight: (workflow: string, mutationId: string) => void = () => {};
  onSend: (workflow: string, call: SentCall) => Promise<void> = async () => {};
  /** Nothing is left to do. */
  onRest: () => void = () => {};
  readonly #clock: { now: number };
  #count = 0;

  private constructor(store: Store, clock: { now: number }) {
    this.store = this.#watched(store);
    this.#clock = clock;
    this.desks = workflows.map((name) => new GrantedDesk(this.#deskParts(), name));
  }

  static async open(openStore: (clock: () => number) => Store): Promise<GrantedPlay> {
    const clock = { now: 0 };
    const play = new GrantedPlay(
      openStore(() => clock.now),
      clock,
    );
    for (const desk of play.desks) {
      await play.store.createWorkflow(desk.workflow);
      await desk.deploy("ada");
    }
    return play;
  }

  #deskParts(): DeskParts {
    const play = this;
    return {
      store: this.store,
      get now() {
        return play.now;
      },
      outside: (workflow) => this.#outside(workflow),
      nextNumber: () => ++this.#count,
      takeVersion: (workflow, actor) => this.#takeVersion(workflow, actor),
    };
  }

  /** Whoever has looked at a budget lets the others look too, before it says what it does. */
  #watched(store: Store): Store {
    const own: Partial<Store> = {
      sumBudget: async (of) => {
        const seen = await store.sumBudget(of);
        await new Promise((resolve) => setImmediate(resolve));
        return seen;
      },
      commit: async (changes) => {
        const answers = await store.commit(changes);
        for (const [at, { kind }] of answers.entries()) {
          const change = changes[at];
          if (kind === "committed" && change !== undefined) this.#tellInFlight(change);
        }
        return answers;
      },
    };
    return withCalls(store, own);
  }

  #tellInFlight({ workflow, rows }: Change): void {
    for (const each of rows) {
      if (!("table" in each) || each.table !== "mutations" || each.op === "delete") continue;
      const [state, id] =
        each.op === "insert"
          ? [each.row.state, each.row.mutationId]
          : [each.set.state, String(each.key[0])];
      if (state === "in_flight") this.onInFlight(workflow, id);
    }
  }

  /** A new host takes over and works until there is nothing to do. */
  async live(): Promise<void> {
    await this.#host((claim, incarnation) => this.#work(claim, incarnation));
    this.onRest();
  }

  async #takeVersion(workflow: string, actor: string): Promise<boolean> {
    let isActive = false;
    await this.#host(async (claim) => {
      if (claim.workflow !== workflow) return;
      const owner = new WorkflowOwner(this.store, claim);
      isActive = await takeVersion({ store: this.store, owner, now: this.now }, actor);
    });
    return isActive;
  }

  async #host(work: Work): Promise<void> {
    this.#clock.now = this.now;
    const { store } = this;
    const incarnation = `host-${++this.#count}`;
    await store.openHost({ incarnation, leaseMs: 60_000 });
    const { claims } = await store.claim(incarnation, workflows.length);
    await Promise.all(claims.map((claim) => work(claim, incarnation)));
    await store.closeHost(incarnation);
  }

  async #work(claim: Claim, incarnation: string): Promise<void> {
    const { store } = this;
    const loop = new WorkflowLoop({
      store,
      ownership: { ...claim, mayAct: () => true, mayActUntil: Number.POSITIVE_INFINITY },
      owner: new WorkflowOwner(store, claim),
      scripts: { load: async (_, hash) => bookingScript(hash, () => this.scale) },
      outside: this.#outside(claim.workflow),
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

  #outside(workflow: string): OutsideWorld {
    return {
      read: async () => ({ says: "value", value: null }),
      describe: (call) => ({
        ...plainCall(call),
        connectorVersion: this.connectorVersion,
        retentionMs: 3_600_000,
      }),
      send: async (call, mayGo) => {
        if (!mayGo()) return { says: "unsent" };
        await this.onSend(workflow, call);
        return this.#outcome();
      },
      reconcile: async () => ({ says: "retry", note: "nobody knows" }),
    };
  }

  #outcome(): Awaited<ReturnType<OutsideWorld["send"]>> {
    switch (this.mood) {
      case "works":
        return { says: "applied", result: null };
      case "refuses":
      case "is wrong": {
        const because = this.mood === "refuses" ? "precondition" : "logic";
        const failure = { class: because, message: "no", location: "shop" } as const;
        return { says: "failed", failure, jitter: 0 };
      }
      case "is lost":
        return { says: "unknown", note: "no answer" };
      case "is busy":
        return { says: "rate_limited", until: this.now + 1_000 };
    }
  }
}

/** The store, but for these. */
export function withCalls(store: Store, calls: Partial<Store>): Store {
  return new Proxy(store, {
    get: (of, name) => {
      const own: unknown = Reflect.get(calls, name);
      const value: unknown = own ?? Reflect.get(of, name, of);
      return own === undefined && typeof value === "function" ? value.bind(of) : value;
    },
  });
}

export function paramsOf(call: SentCall): BookedParams {
  return decodeCanonical(call.payload) as unknown as BookedParams;
}
