import type { CanonicalValue, FailureClass, OperationKind } from "@holdfast/core";
import type { Schema } from "@holdfast/core/canonical";
import type { Json } from "@holdfast/sdk";
import { durationMs } from "./duration.ts";

/** Parameters of a call, as the script gave them. */
export type Params = { readonly [name: string]: Json };

/** What a service sees of a call beside its parameters. */
export type CallDetails = {
  /** How often this operation was called before in this test. */
  readonly callsBefore: number;
  /** The virtual clock, ISO text. */
  readonly at: string;
  /** The idempotency key of a mutation; null for reads. */
  readonly key: string | null;
  /** Says how far it has come; a machine that asked hears of it. */
  readonly frame: (kind: string, payload: Json) => void;
};

/** How machines may ask for an operation: a connector's own `exact`, or schemas alone. */
export type ExactOperation = {
  /** Of the parameters, without the connection. */
  readonly params: Readonly<Record<string, Schema>>;
  readonly result: Schema;
  /** To what the service takes, and from what it answers; absent = as they are. */
  readonly open?: (given: Readonly<Record<string, CanonicalValue>>) => CanonicalValue;
  readonly close?: (result: CanonicalValue) => CanonicalValue;
};

type ForMachines = { readonly exact?: ExactOperation };

type Answering<P> = (params: P, call: CallDetails) => unknown;

/** One operation of a service that the test plays. */
export type ScriptedOperation = {
  readonly kind: OperationKind;
  readonly answer: Answering<Params>;
  /** The service can be asked whether a mutation happened. */
  readonly canReconcile?: boolean;
  /** Absent = machines cannot ask for it. */
  readonly exact?: ExactOperation;
};

/** Services as the script names them: `ctx.<connection>.<operation>`. */
export type ScriptedConnections = Readonly<
  Record<string, Readonly<Record<string, ScriptedOperation>>>
>;

/** A value, a `Trouble`, or a function that gives (or throws) one for each call. */
export type Given<P> = Answering<P> | Json | Trouble;

function operation<P>(kind: OperationKind, given: Given<P> | undefined): ScriptedOperation {
  const answer = typeof given === "function" ? (given as Answering<Params>) : () => given;
  return { kind, answer };
}

/**
 * A change of the outside world; what the function returns is its result. With `canReconcile` the
 * host asks the service after an unknown outcome, and the service knows what has happened.
 */
export function mutation<P = Params>(
  given?: Given<P>,
  { canReconcile = false, ...more }: ForMachines & { readonly canReconcile?: boolean } = {},
): ScriptedOperation {
  return { ...operation("mutation", given), canReconcile, ...more };
}

/** Changes nothing and costs money: a language model, for example. */
export function metered<P = Params>(given?: Given<P>): ScriptedOperation {
  return operation("metered", given);
}

/** Reads, by how they find what they read. */
export const read = {
  list: <P = Params>(given?: Given<P>, more: ForMachines = {}) => {
    return { ...operation("read:list", given), ...more };
  },
  byId: <P = Params>(given?: Given<P>, more: ForMachines = {}) => {
    return { ...operation("read:byId", given), ...more };
  },
  byKey: <P = Params>(given?: Given<P>, more: ForMachines = {}) => {
    return { ...operation("read:byKey", given), ...more };
  },
} as const;

/** One answer after the other; the last one stays. */
export function inTurn<P = Params>(...given: readonly Given<P>[]): Answering<P> {
  if (given.length === 0) throw new TypeError("inTurn needs at least one answer.");
  return (params, call) => {
    const each = given[Math.min(call.callsBefore, given.length - 1)];
    return typeof each === "function" ? each(params, call) : each;
  };
}

type Fate =
  | { readonly says: "failed"; readonly class: ScriptedFailure; readonly message: string }
  | { readonly says: "rate_limited"; readonly afterMs: number }
  /** Nobody knows whether it happened; `applied` says whether it did. */
  | {
      readonly says: "unknown";
      readonly message: string;
      readonly applied: boolean;
      readonly result: unknown;
    };

/** What a service does instead of answering; returned or thrown. */
export class Trouble extends Error {
  override readonly name = "Trouble";
  readonly fate: Fate;

  constructor(fate: Fate) {
    super(fate.says === "rate_limited" ? "rate limited" : fate.message);
    this.fate = fate;
  }
}

export type ScriptedFailure = Exclude<FailureClass, "indeterminate" | "internal">;

/**
 * Fails in a class. `committed: "no"`, the default, is proof that nothing happened; with
 * `"unknown"` the caller cannot tell, and nothing happened all the same.
 */
export function fails(
  kind: ScriptedFailure,
  options: { readonly message?: string; readonly committed?: "no" | "unknown" } = {},
): Trouble {
  const { message = `the service failed (${kind})`, committed = "no" } = options;
  if (committed === "no") return new Trouble({ says: "failed", class: kind, message });
  return new Trouble({ says: "unknown", message, applied: false, result: null });
}

/** No answer, and nothing happened: the request was lost. The caller cannot know that. */
export function timesOut(): Trouble {
  const message = "the service did not answer in time";
  return new Trouble({ says: "unknown", message, applied: false, result: null });
}

/** It happens, and the answer is lost. The caller cannot tell this from `timesOut`. */
export function losesAnswer(result: Json = null): Trouble {
  const message = "the service did not answer in time";
  return new Trouble({ says: "unknown", message, applied: true, result });
}

/** Refused for now, and nothing happened: come back after that time. */
export function rateLimited(after: string | number): Trouble {
  return new Trouble({ says: "rate_limited", afterMs: durationMs(after) });
}
