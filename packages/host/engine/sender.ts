import {
  actorOfHost,
  type CoreCommand,
  encodeCanonical,
  type Instant,
  invariant,
  isOfIntent,
  type MutationRow,
  type Refusal,
  type ReportUnsent,
  type SendMutation,
  type SendOutcome,
  type SettleMutation,
  type Verdict,
  type View,
} from "@holdfast/core";
import type { Executor } from "@holdfast/core/machine";
import type { LoopParts } from "./loop-parts.ts";
import type { Outcome } from "./outcome.ts";
import { handoutOf, type IntentRef, type OnFrame, type SentCall, type Unsent } from "./ports.ts";
import { bytesOf } from "./values.ts";
import { within } from "./within.ts";

/** Longest between the commit that allows a send and its first byte. */
const sendWithinMs = 5_000;
/** Beyond its own limits a connector gets so much longer before nobody waits for it any more. */
const graceMs = 1_000;

type SendTimes = {
  readonly now: Instant;
  readonly leftMs: number;
  readonly timeoutMs: number;
  /** What allows it. */
  readonly verdict: Verdict;
  /** What it counts as by the same grants; null = none is counted. */
  readonly amount: number | null;
};

type SendMoment = Pick<SendTimes, "now" | "verdict" | "amount">;

type Sent = SendOutcome | Unsent;

type Machines = {
  /** Who hears of the progress of an intent. */
  framesOf(intentId: string): OnFrame;
  /** Null = it is not known here. */
  executorOf(intentId: string): Executor | null;
};

/** What is known of a send. */
type SendReport = SettleMutation | ReportUnsent;

type Going = {
  readonly mayGo: () => boolean;
  readonly signal: AbortSignal;
  readonly onFrame: OnFrame | undefined;
};

/** Sends what the ledger says may be sent, and nothing that it does not say. */
export class Sender {
  readonly #parts: LoopParts;
  readonly #machines: () => Machines;
  /** On the monotonic clock: the last moment for the first byte, by mutation. */
  readonly #latest = new Map<string, number>();
  /** By how much the last check was asked too late, where that alone was why it said no. */
  readonly #lateMs = new Map<string, number>();
  /** Of the last send, until it is certain to be in the ledger: one is under way at a time. */
  #report: SendReport | null = null;

  constructor(parts: LoopParts, machines: () => Machines) {
    this.#parts = parts;
    this.#machines = machines;
  }

  /** Whether something is known here that the ledger may not know. */
  get owesReport(): boolean {
    return this.#report !== null;
  }

  /** Time for a first byte within the lease; null = there is none. */
  leftMs(): number | null {
    const { ownership, monotonicMs } = this.#parts;
    const left = Math.floor(Math.min(sendWithinMs, ownership.mayActUntil - monotonicMs()));
    return left > 0 ? left : null;
  }

  sendCommand(mutationId: string, times: SendTimes): SendMutation {
    const { now, leftMs, timeoutMs, verdict, amount } = times;
    const { ownership, incarnation, monotonicMs, clock } = this.#parts;
    this.#latest.set(mutationId, monotonicMs() + leftMs);
    const { epoch } = ownership;
    // From now on, and not from when the phase began, which may be minutes ago.
    const sentAt = Math.max(now, clock.now());
    const sending = { incarnation, epoch, sendBy: sentAt + leftMs, timeoutMs, sentAt };
    return { kind: "send_mutation", mutationId, ...sending, verdict, amount };
  }

  /** For a call that was recorded before and is ready; null = there is no time left for it. */
  outcomeToSend(view: View, mutationId: string, at: SendMoment): Outcome | null {
    const { now } = at;
    const send = this.#orderedSend(view, mutationId, at);
    if (send === null) return null;
    return outcomeOf(send, now, (refusal) => {
      // It was still in time when the work was chosen; the host may have stood still since.
      if (refusal.code !== "approval_expired") return cannotBeRefused(refusal);
      return outcomeOf({ kind: "expire_approval", mutationId }, now, cannotBeRefused);
    });
  }

  /** The same bytes under the same key, while the service remembers it. */
  outcomeToResend(view: View, mutationId: string, at: SendMoment): Outcome | null {
    const { now } = at;
    const send = this.#orderedSend(view, mutationId, at);
    if (send === null) return null;
    const { knownTimes, owner, monotonicMs } = this.#parts;
    const latestMs = this.#latest.get(mutationId) ?? monotonicMs();
    const knownSendBy = knownTimes.atLeast(owner.workflow, latestMs);
    const resend = { ...send, kind: "resend_mutation", knownSendBy } as const;
    return outcomeOf(resend, now, (refusal) => {
      const isOver = refusal.code === "retention_over" || refusal.code === "approval_expired";
      if (!isOver) return cannotBeRefused(refusal);
      const answer = { says: "retry", note: "too late to send it again" } as const;
      const jitter = this.#parts.random();
      const giveUp = { kind: "answer_reconcile", mutationId, answer, jitter } as const;
      return outcomeOf(giveUp, now, cannotBeRefused);
    });
  }

  #orderedSend(view: View, mutationId: string, at: SendMoment): SendMutation | null {
    const leftMs = this.leftMs();
    if (leftMs === null) return null;
    const { timeoutMs } = view.load("mutations", mutationId);
    invariant(timeoutMs !== null, "a recorded call has a timeout");
    return this.sendCommand(mutationId, { ...at, leftMs, timeoutMs });
  }

  /** After the commit. */
  async send(mutationId: string): Promise<SendReport> {
    const { owner, store, stop } = this.#parts;
    if (stop?.overdue.aborted === true) return this.#keep(this.#unsent(mutationId, "it stops"));
    const view = await owner.loadView();
    const row = view.load("mutations", mutationId);
    const recorded = callOf(row, await bytesOf(store, owner.workflow, row.payload));
    const run = view.find("runs", row.runId);
    const ofIntent = run !== null && isOfIntent(run) ? run.itemId : null;
    const onFrame = ofIntent === null ? undefined : this.#machines().framesOf(ofIntent);
    const call = ofIntent === null ? recorded : { ...recorded, intent: this.#refOf(row, ofIntent) };
    const outcome = await this.#outcomeOf(row, call, onFrame);
    this.#latest.delete(mutationId);
    const lateMs = this.#lateMs.get(mutationId);
    this.#lateMs.delete(mutationId);
    if (outcome.says !== "unsent") {
      const known = this.#withWhoeverHasIt(row, outcome);
      return this.#keep({ kind: "settle_mutation", mutationId, outcome: known });
    }
    const { awaitsExecutor } = outcome;
    if (awaitsExecutor !== undefined) {
      const unsent = this.#unsent(mutationId, "whoever asked for it was gone again");
      return this.#keep({ ...unsent, awaitsExecutor });
    }
    if (lateMs !== undefined) return this.#keep(this.#tooSlow(mutationId, lateMs));
    return this.#keep(this.#unsent(mutationId, "the last check before sending said no"));
  }

  /** That nobody waits for it here any more does not end what another process does. */
  #withWhoeverHasIt(row: MutationRow, outcome: SendOutcome): SendOutcome {
    const isOpen = outcome.says === "unknown" && outcome.answered !== true;
    const mayGoOn = isOpen && (this.#parts.outside.executorOf?.(row) ?? null) !== null;
    return mayGoOn ? { ...outcome, mayGoOn } : outcome;
  }

  #refOf({ mutationId, sendCount }: MutationRow, intentId: string): IntentRef {
    const { workflow } = this.#parts.owner;
    const executor = this.#machines().executorOf(intentId);
    return { workflow, intentId, handout: handoutOf({ mutationId, sendCount }), executor };
  }

  #keep(report: SendReport): SendReport {
    this.#report = report;
    return report;
  }

  /** A connector that throws, or never ends, has said nothing about whether it happened. */
  async #outcomeOf(row: MutationRow, call: SentCall, onFrame?: OnFrame): Promise<Sent> {
    const { timers, quietTimes, owner, stop } = this.#parts;
    const ms = sendWithinMs + call.timeoutMs + graceMs;
    const brake = await this.#parts.watchBrake?.(`${row.connection}.${row.operation}`);
    const waited = await within(timers, { ms, until: stop?.overdue }, (signal) => {
      // What has not begun by then never may: the same call may be sent again under the same name.
      const mayGo = () => !signal.aborted && !brake?.isBraked() && this.#mayGo(row.mutationId);
      return this.#send(call, { mayGo, signal, onFrame });
    }).finally(() => brake?.end());
    if (waited.kind === "answer") return waited.value;
    quietTimes.waitFor(owner.workflow, row, waited.work);
    void waited.work.then((late) => this.#tellLate(row, late));
    if (waited.kind === "given_up") return { says: "unknown", note: "the host had to stop" };
    return { says: "unknown", note: `the connector did not end within ${ms} ms` };
  }

  async #send(call: SentCall, { mayGo, signal, onFrame }: Going): Promise<Sent> {
    try {
      return await this.#parts.outside.send(call, mayGo, signal, onFrame);
    } catch (error) {
      return { says: "unknown", note: `the connector threw: ${String(error)}` };
    }
  }

  /** By then somebody else may own the workflow: it is told through the inbox. */
  async #tellLate({ mutationId, sendCount }: MutationRow, late: Sent): Promise<void> {
    // Broken off, as it was told to: that is known already.
    if (late.says === "unknown") return;
    const { store, owner, incarnation, clock, observer } = this.#parts;
    const command = {
      commandId: `late ${owner.workflow} ${mutationId} ${sendCount}`,
      workflow: owner.workflow,
      actor: actorOfHost(incarnation),
      kind: "record_late_answer",
      body: encodeCanonical({ mutationId, ...lateAnswerOf(late) }),
      at: clock.now(),
    };
    // Without it the host finds out in another way, or a person does.
    await store.appendCommand(command).catch((error: unknown) => {
      observer.onLateAnswerLost?.({ workflow: owner.workflow, mutationId, error });
    });
  }

  /**
   * What has to be said of the call that this owner was allowed to send and whose outcome is not
   * in the ledger; null = there is none. If nothing is known of it, it was never begun: the answer
   * to the commit that allowed it was lost.
   */
  reportFor(view: View): SendReport | null {
    const { incarnation, ownership } = this.#parts;
    const mine = [...view.rows("mutations")].find(
      ({ state, senderIncarnation, senderEpoch }) =>
        state === "in_flight" &&
        senderIncarnation === incarnation &&
        senderEpoch === ownership.epoch,
    );
    if (mine === undefined || this.#report?.mutationId !== mine.mutationId) this.#report = null;
    if (mine === undefined) return null;
    const unheard = "the commit that allowed it was heard of too late";
    return this.#report ?? this.#unsent(mine.mutationId, unheard);
  }

  /** The ledger has it. */
  reported(): void {
    this.#report = null;
  }

  #unsent(mutationId: string, note: string): ReportUnsent {
    return { kind: "report_unsent", mutationId, incarnation: this.#parts.incarnation, note };
  }

  #tooSlow(mutationId: string, lateMs: number): ReportUnsent {
    const note =
      "it could not be sent in time, and was not: what comes before the first byte (sign-in, " +
      `name, connection, TLS) took ${lateMs} ms longer than it may, ${sendWithinMs} ms at most`;
    return { ...this.#unsent(mutationId, note), tooSlow: { jitter: this.#parts.random() } };
  }

  #mayGo(mutationId: string): boolean {
    const { ownership, monotonicMs } = this.#parts;
    const latest = this.#latest.get(mutationId);
    if (latest === undefined || !ownership.mayAct()) return false;
    const lateMs = Math.ceil(monotonicMs() - latest);
    if (lateMs >= 0) this.#lateMs.set(mutationId, lateMs);
    return lateMs < 0;
  }
}

function outcomeOf(command: CoreCommand, now: Instant, onRefused: Outcome["onRefused"]): Outcome {
  return { commands: [command], now, trace: null, onRefused };
}

function cannotBeRefused({ code, note }: Refusal): never {
  throw new Error(`a send that the core ordered was refused: ${code}: ${note}`);
}

/** What it says of this one send. */
function lateAnswerOf(late: Exclude<Sent, { says: "unknown" }>) {
  const said = { result: null, note: "the answer came late" };
  switch (late.says) {
    case "applied":
      return { ...said, says: "applied", result: late.result };
    case "failed":
      return { ...said, says: "failed", note: late.failure.message.toWellFormed() };
    case "rate_limited":
    case "unsent":
      return { ...said, says: "failed" };
  }
}

export function callOf(row: MutationRow, payload: Uint8Array): SentCall {
  const { connection, operation, target, providerKey, timeoutMs, verdict } = row;
  invariant(timeoutMs !== null, "a call that was sent has a timeout");
  const keyed = verdict?.keyed === undefined ? {} : { keyed: verdict.keyed };
  return { connection, operation, target, payload, providerKey, timeoutMs, ...keyed };
}
