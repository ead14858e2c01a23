import { type CanonicalValue, encodeCanonical } from "@holdfast/core";
import type { ReceiptStatus } from "@holdfast/core/machine";
import type { Data } from "@holdfast/sdk";

/** Which effect of the cell is answered. */
export type AnsweredEffect = {
  /** Of which params; where several of one effect are open, the oldest of these is meant. */
  readonly params?: Data;
  readonly issuerRef?: string;
};

/** What comes back for an effect, instead of an event. Made by `receipt`. */
export class StepReceipt {
  readonly effect: string;
  readonly status: ReceiptStatus;
  readonly payload: Uint8Array;
  readonly answers: AnsweredEffect;

  constructor(
    effect: string,
    { status, payload }: { readonly status: ReceiptStatus; readonly payload: Uint8Array },
    answers: AnsweredEffect,
  ) {
    this.effect = effect;
    this.status = status;
    this.payload = payload;
    this.answers = answers;
  }
}

type ErrorPayload = { readonly code: string; readonly message?: string };

/** Bytes that nobody can read: whatever an effect declares, they do not fit. */
const unreadable = new Uint8Array([0xff]);

function failed(status: "error" | "timeout", { message = "", ...more }: ErrorPayload) {
  return { status, payload: encodeCanonical({ message, ...more }) };
}

/** Receipts of a table, one for each way an effect can end. */
export const receipt = {
  ok: (effect: string, payload: Data, answers: AnsweredEffect = {}) => {
    const bytes = encodeCanonical(payload as CanonicalValue);
    return new StepReceipt(effect, { status: "ok", payload: bytes }, answers);
  },
  /** A definite failure: nothing came of it. */
  error: (effect: string, error: ErrorPayload, answers: AnsweredEffect = {}) => {
    return new StepReceipt(effect, failed("error", error), answers);
  },
  /** Of reads and timers only: what became of a mutation is found out, or a person says it. */
  timeout: (effect: string, answers: AnsweredEffect = {}) => {
    return new StepReceipt(effect, failed("timeout", { code: "deadline" }), answers);
  },
  /** A person gave it up. */
  skipped: (effect: string, answers: AnsweredEffect = {}) => {
    return new StepReceipt(effect, { status: "skipped", payload: encodeCanonical(null) }, answers);
  },
  /** An answer that does not fit: the step gets `continuation.rejected`, or the cell stops. */
  fault: (effect: string, answers: AnsweredEffect = {}) => {
    return new StepReceipt(effect, { status: "ok", payload: unreadable }, answers);
  },
} as const;
