import { ConnectorError, type ConnectorErrorClass, NotSent } from "@holdfast/connector-kit";
import type { CanonicalValue, SignedWord } from "@holdfast/core";
import { type Executor, receiptLeaf, unhex } from "@holdfast/core/machine";
import type { DeskWatcher, WorkDesk } from "../engine/work-desk.ts";
import { judgeWord, type WordVerdict } from "../machines/executor-keys.ts";
import type { Timers } from "../membership/time.ts";
import { Askers } from "./askers.ts";

/** How long a call is there to be taken; then it waits where it was, in the ledger. */
const offeredMsMax = 5_000;
/** Handouts that are remembered after their end, for whoever says the same once more. */
const rememberedMax = 10_000;

/** One call, as it is handed to an executor in another process. */
export type RemoteWork = {
  readonly handout: string;
  readonly workflow: string;
  readonly intentId: string;
  readonly kind: "read" | "mutation";
  readonly executor: Executor;
  readonly account: string;
  readonly operation: string;
  readonly params: CanonicalValue;
  /** For a service that tells repeats by it; null in reads. */
  readonly key: string | null;
  readonly timeoutMs: number;
};

/** What an executor says came of it: done, or that nothing was done and why. */
export type RemoteResult =
  | { readonly status: "ok"; readonly result: CanonicalValue }
  | {
      readonly status: "error";
      readonly class: ConnectorErrorClass;
      readonly message: string;
    };

export type RemoteAnswer = RemoteResult & { readonly signed: SignedWord };

export type RemoteReceipt = Pick<RemoteWork, "handout" | "workflow" | "intentId"> & RemoteAnswer;

export type ReceiptVerdict =
  | Exclude<WordVerdict, "good">
  /** Whoever waits for it has it, now or before. */
  | "received"
  | "intent_unknown"
  | "instance_wrong"
  | "conflict"
  /** Nobody here waits for it: the ledger may know more. */
  | "nobody_waits";

export type Offer = {
  readonly work: RemoteWork;
  /** The bytes that stand for it in a receipt. */
  readonly payloadOf: (result: RemoteResult) => Uint8Array;
  /** The last thing before it is handed out; throws NotSent. */
  readonly go: () => void;
  readonly signal: AbortSignal;
};

type Waiting = Offer & {
  readonly end: (answer: RemoteAnswer | Error) => void;
};

type Taker = {
  readonly executor: string;
  readonly reaches: (workflow: string) => boolean;
  readonly give: (work: RemoteWork | null) => void;
};

/** Nobody has taken it from the desk: not a byte has left. */
export class NotTaken extends NotSent {
  readonly executor: string;

  constructor(executor: string) {
    super(`no executor of ${executor} has asked for work`);
    this.executor = executor;
  }
}

export function moduleOf(executor: string): string {
  return `connector/${executor}@1`;
}

function connectorOf(module: string): string {
  return module.slice("connector/".length, module.lastIndexOf("@"));
}

/**
 * Where calls lie for executors in other processes, and where they bring what came of them. What
 * is handed out is durable in the ledger as being sent, and is never handed out again: who took it
 * and falls silent leaves an unknown outcome.
 */
export class RemoteDesk implements WorkDesk {
  readonly #timers: Timers;
  readonly #executors: ReadonlySet<string>;
  readonly #offered = new Set<Waiting>();
  readonly #taken = new Map<string, Waiting>();
  readonly #answered = new Map<string, string>();
  readonly #takers = new Set<Taker>();
  readonly #askers: Askers;
  #watcher: DeskWatcher | null = null;
  #isClosed = false;

  constructor(timers: Timers, executors: readonly string[]) {
    this.#timers = timers;
    this.#executors = new Set(executors);
    this.#askers = new Askers(timers);
  }

  serves(connector: string): boolean {
    return this.#executors.has(connector);
  }

  isWaitedAt(executor: string): boolean {
    return this.#askers.isWaitedAt(executor);
  }

  hasFree(executor: string): boolean {
    return !this.serves(executor) || this.#askers.hasFree(executor);
  }

  asks(executor: string, workflow: string): boolean {
    return !this.serves(executor) || this.#askers.areFree(executor, workflow);
  }

  isPresent(executor: string, workflow: string): boolean {
    return this.asks(executor, workflow) || this.#askers.werePresent(executor, workflow);
  }

  expect(executor: string, workflow: string): Promise<void> {
    return this.serves(executor) ? this.#askers.expect(executor, workflow) : Promise.resolve();
  }

  forget(workflow: string): void {
    this.#askers.forget(workflow);
  }

  watch(watcher: DeskWatcher): () => void {
    this.#watcher = watcher;
    return () => {
      this.#watcher = null;
    };
  }

  /** Throws what a connector would: NotSent, or an error that says whether anything was done. */
  async offer(offer: Offer): Promise<RemoteAnswer> {
    const { promise, resolve, reject } = Promise.withResolvers<RemoteAnswer>();
    let cancel = () => {};
    const onAbort = () => waiting.end(this.#silence(waiting));
    const waiting: Waiting = {
      ...offer,
      end: (answer) => {
        this.#offered.delete(waiting);
        this.#taken.delete(offer.work.handout);
        if (answer instanceof Error) reject(answer);
        else resolve(answer);
      },
      go: () => {
        offer.go();
        cancel();
        cancel = this.#timers.setTimer(offer.work.timeoutMs, onAbort);
      },
    };
    this.#offered.add(waiting);
    this.#askers.forget(offer.work.workflow);
    cancel = this.#timers.setTimer(offeredMsMax, onAbort);
    offer.signal.addEventListener("abort", onAbort, { once: true });
    if (offer.signal.aborted) onAbort();
    else this.#match();
    try {
      return await promise;
    } finally {
      cancel();
      offer.signal.removeEventListener("abort", onAbort);
    }
  }

  /** What is known when nobody has answered. */
  #silence({ work }: Waiting): Error {
    const { handout, timeoutMs, executor } = work;
    if (!this.#taken.has(handout)) return new NotTaken(connectorOf(executor.module));
    const silent = `the executor took it, and did not answer within ${timeoutMs} ms`;
    return new ConnectorError("transient", "unknown", silent);
  }

  /**
   * The oldest that is there, or the first that comes; null = none came in time. However short
   * that is, it is looked for in the ledger: who never stays would otherwise never be given any.
   */
  async take(
    asked: Pick<Taker, "executor" | "reaches"> & {
      readonly waitMs: number;
      readonly signal: AbortSignal;
    },
  ): Promise<RemoteWork | null> {
    const { promise, resolve } = Promise.withResolvers<RemoteWork | null>();
    const { executor, reaches, waitMs, signal } = asked;
    const taker = { executor, reaches, give: resolve };
    const leave = () => resolve(null);
    this.#takers.add(taker);
    const asker = { executor, reaches };
    const endAsking = this.#askers.add(asker);
    let looked: Promise<void> = Promise.resolve();
    const leaveInTime = () => looked.then(() => this.#askers.whatComes(asker)).then(leave);
    const cancel = this.#timers.setTimer(waitMs, () => void leaveInTime());
    signal.addEventListener("abort", leave, { once: true });
    if (signal.aborted || this.#isClosed) leave();
    else this.#match();
    if (this.#takers.has(taker)) looked = this.#watcher?.onAsked(executor) ?? looked;
    try {
      return await promise;
    } finally {
      this.#takers.delete(taker);
      endAsking();
      cancel();
      signal.removeEventListener("abort", leave);
    }
  }

  /** Whoever waits for work has nothing to wait for here any more. */
  close(): void {
    this.#isClosed = true;
    this.#askers.close();
    for (const { give } of this.#takers) give(null);
  }

  #match(): void {
    for (const taker of [...this.#takers]) {
      const work = this.#handOut(taker);
      if (work === null) continue;
      this.#takers.delete(taker);
      taker.give(work);
    }
  }

  #handOut({ executor, reaches }: Taker): RemoteWork | null {
    for (const waiting of [...this.#offered]) {
      const { work } = waiting;
      const isMeant = work.executor.module === moduleOf(executor) && reaches(work.workflow);
      if (!isMeant) continue;
      try {
        waiting.go();
      } catch (error) {
        waiting.end(error instanceof Error ? error : new NotSent(String(error)));
        continue;
      }
      this.#offered.delete(waiting);
      this.#taken.set(work.handout, waiting);
      this.#watcher?.onHandedOut(work.workflow);
      return work;
    }
    return null;
  }

  /** Judged by who brings it, what for, and what was signed; what is not good changes nothing. */
  receive(executor: string, receipt: RemoteReceipt): ReceiptVerdict {
    const waiting = this.#taken.get(receipt.handout);
    const content = JSON.stringify({ ...receipt, signed: receipt.signed.keyId });
    const known = this.#answered.get(receipt.handout);
    if (known !== undefined) return known === content ? "received" : "conflict";
    if (waiting === undefined) return "nobody_waits";
    const { work, payloadOf } = waiting;
    if (work.workflow !== receipt.workflow) return "instance_wrong";
    if (work.intentId !== receipt.intentId) return "intent_unknown";
    if (work.executor.module !== moduleOf(executor)) return "key_of_another";
    const leaf = leafOf(work, receipt.status, payloadOf(receipt));
    const verdict = judgeWord(work.executor.module, leaf, receipt.signed);
    if (verdict !== "good") return verdict;
    this.#remember(receipt.handout, content);
    waiting.end(receipt);
    return "received";
  }

  #remember(handout: string, content: string): void {
    this.#answered.set(handout, content);
    const [oldest] = this.#answered.keys();
    if (this.#answered.size > rememberedMax && oldest !== undefined) this.#answered.delete(oldest);
  }
}

/** What an executor signs of one call. */
export function leafOf(
  { intentId, executor }: Pick<RemoteWork, "intentId" | "executor">,
  status: RemoteResult["status"],
  payload: Uint8Array,
): Uint8Array {
  const intentHash = unhex(intentId);
  return receiptLeaf({ intentHash, status, payload, costCents: null, ...executor });
}
