import {
  type AttentionPlace,
  type AttentionRow,
  actorOfHost,
  type CanonicalValue,
  encodeCanonical,
  HostError,
  inputStatus,
  isAboutStale,
  type Policy,
  type Store,
  View,
} from "@holdfast/core";
import type { Timers } from "../membership/time.ts";
import { findStale } from "./find-stale.ts";
import type { EngineClock } from "./ports.ts";

type Parts = {
  readonly store: Store;
  readonly incarnation: string;
  readonly clock: EngineClock;
  readonly timers: Timers;
  readonly policyOf: (workflow: string) => Policy;
  /** Of the host: where inputs are stale sooner than it would look, it looks sooner. */
  readonly policy: Pick<Policy, "staleInputMs">;
  /** False = the host is lost: others look. */
  readonly mayAct: () => boolean;
  readonly onTrouble: (cause: unknown) => void;
};

/** A host that has just started has other things to do. */
const firstMs = 300_000;
/** An input is stale after days: an hour is soon enough. */
const everyMs = 3_600_000;
/** However soon they are. */
const leastMs = 1_000;
/** At once, and then again after a pause: the work of others comes in between. */
const workflowsAtOnce = 20;
const questionsPerRead = 100;
const pauseMs = 100;
/** Those that were refused: what a host had seen was over by then. */
const refusedMax = 50;

/**
 * Looks through all workflows now and then for inputs that are stale, and tells their owners,
 * through the inbox: no due time stands for them, and a workflow that is paused has nobody who
 * would look. Every host looks; what they say of the same state has the same name, and counts once.
 */
export class StaleSweep {
  readonly #parts: Parts;
  #underWay: Promise<void> = Promise.resolve();
  #isStopping = false;
  #cancel: () => void = () => {};
  #endPause: () => void = () => {};

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  begin(): void {
    this.#later(firstMs);
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#cancel();
    this.#endPause();
    await this.#underWay;
  }

  #later(mostMs: number): void {
    if (this.#isStopping) return;
    const { policy, timers } = this.#parts;
    const ms = Math.min(mostMs, Math.max(policy.staleInputMs, leastMs));
    this.#cancel = timers.setTimer(ms, () => {
      const { mayAct, onTrouble } = this.#parts;
      if (!mayAct()) return;
      // What could not be looked at now is so next time.
      const sweep = this.sweep().catch(onTrouble);
      this.#underWay = sweep.then(() => this.#later(everyMs));
    });
  }

  /** All workflows, once. One that cannot be read does not keep the others from being looked at. */
  async sweep(): Promise<void> {
    const { store, onTrouble } = this.#parts;
    const asked = await this.#openQuestions();
    let trouble: { readonly cause: unknown } | null = null;
    for (let after: string | null = null; !this.#isStopping; ) {
      const page = await store.listWorkflows(after, workflowsAtOnce);
      for (const { workflow } of page) {
        if (this.#isStopping) return;
        await this.#look(workflow, asked.get(workflow) ?? null).catch((cause: unknown) => {
          trouble ??= { cause };
        });
      }
      const last = page.at(-1);
      if (last === undefined || page.length < workflowsAtOnce) break;
      after = last.workflow;
      await this.#pause();
    }
    const { cause = null } = (trouble ?? {}) as { readonly cause?: unknown };
    if (cause !== null) onTrouble(cause);
  }

  /** While one is asked about that is still pending, no other is. */
  async #look(workflow: string, asked: AttentionRow | null): Promise<void> {
    const { store, clock, policyOf } = this.#parts;
    const policy = policyOf(workflow);
    if (asked !== null) {
      const { attentionId, subject: inputId } = asked;
      if (inputId === null || (await this.#isPending(workflow, inputId, policy))) return;
      const body = { inputId, count: 0, isMore: false };
      await this.#say(workflow, `not stale ${attentionId}`, body);
    }
    const found = await findStale(store, workflow, { now: clock.now(), policy });
    if (found === null) return;
    const { input, attempt, count, isMore } = found;
    const { inputId } = input;
    await this.#say(workflow, `stale ${inputId} ${attempt}`, { inputId, count, isMore });
  }

  async #isPending(workflow: string, inputId: string, policy: Policy): Promise<boolean> {
    const loaded = await this.#parts.store.load(workflow, [{ kind: "input", inputId }]);
    return inputStatus(View.fromLoaded(loaded, policy), inputId) === "pending";
  }

  /**
   * What was taken under this name is not said again: so a person who has taken note of an input is
   * asked about it once for each attempt. What was refused is said again under the next name.
   */
  async #say(workflow: string, name: string, body: CanonicalValue): Promise<void> {
    const { store, incarnation, clock } = this.#parts;
    for (let number = 1; number <= refusedMax; number++) {
      const commandId = `${name} ${number}`;
      const verdict = await store.findVerdict(workflow, commandId);
      if (verdict?.accepted === true) return;
      if (verdict !== null) continue;
      const actor = actorOfHost(incarnation);
      const heading = { commandId, workflow, actor, kind: "note_stale", at: clock.now() };
      await store.appendCommand({ ...heading, body: encodeCanonical(body) }).catch(saidByAnother);
      return;
    }
  }

  async #openQuestions(): Promise<ReadonlyMap<string, AttentionRow>> {
    const open = new Map<string, AttentionRow>();
    const query = { workflow: null, isOpen: true, limit: questionsPerRead };
    for (let after: AttentionPlace | null = null; ; ) {
      const page = await this.#parts.store.listAttentions({ ...query, after });
      for (const { workflow, row } of page) if (isAboutStale(row)) open.set(workflow, row);
      const last = page.at(-1);
      if (last === undefined || page.length < questionsPerRead) return open;
      const { openedAt, attentionId } = last.row;
      after = { openedAt, attentionId, workflow: last.workflow };
    }
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#parts.timers.setTimer(pauseMs, resolve);
      this.#endPause = () => {
        cancel();
        resolve();
      };
    });
  }
}

/** Another host has counted differently: the owner hears of the input all the same. */
function saidByAnother(error: unknown): void {
  if (!(error instanceof HostError && error.code === "COMMAND_ID_REUSED")) throw error;
}
