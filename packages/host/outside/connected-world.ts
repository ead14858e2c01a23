import {
  type AdmittedCall,
  type Connected,
  type ConnectedOperation,
  ConnectorError,
  type ExactForm,
  NotSent,
} from "@holdfast/connector-kit";
import {
  type CanonicalValue,
  type Connections,
  decodeCanonical,
  encodeCanonical,
  type Instant,
  type OperationName,
  policyDefaults,
  type RiskTier,
  type RunFailure,
  type SendOutcome,
  type SignedWord,
  type TerminalCall,
} from "@holdfast/core";
import type {
  DescribedCall,
  Finding,
  Keyed,
  OfIntent,
  OnFrame,
  OutsideWorld,
  PayloadComparison,
  ReadOutcome,
  SentCall,
  Unsent,
} from "../engine/ports.ts";
import { within } from "../engine/within.ts";
import { receiptOfResult } from "../machines/effect-call.ts";
import type { Timers } from "../membership/time.ts";
import { type AccountRests, leftAlone } from "./account-rests.ts";
import { type Admission, Admissions, targetOf } from "./admissions.ts";
import { definite, failureAt, failureOf, moved, nameOf, textOf } from "./call-failure.ts";
import { isKeyedOtherwise, keyedNow, provesNothing } from "./keyed-call.ts";
import { answered, doneWith, findingOf } from "./read-result.ts";
import { callElsewhere, resultOf } from "./remote-call.ts";
import { NotTaken, type RemoteAnswer, type RemoteDesk } from "./remote-desk.ts";
import { noSecrets, reveal, revealedCall, type Secrets } from "./secret-references.ts";

export type WorldParts = {
  /** By the names the script has for them. */
  readonly connections: ReadonlyMap<string, Connected>;
  /** Shared by all worlds of a host. */
  readonly rests: AccountRests;
  readonly now: () => Instant;
  readonly timers: Timers;
  readonly random: () => number;
  /** What the script's names for secrets stand for; absent = it has none. */
  readonly secrets?: Secrets;
  /** Where calls lie that other processes execute; absent = there are none. */
  readonly desk?: RemoteDesk;
};

type Sent = SendOutcome | Unsent;

/** Empty = it was not executed elsewhere. */
type SignedBy = { readonly signed?: SignedWord };

/** Who wants more than a day is called again after a day: it may have changed its mind. */
const restMsMax = policyDefaults.rateLimitMsMax;

/** Beyond its own time a read gets so much longer before nobody waits for it any more. */
const graceMs = 1_000;

/** The operations of a world by name, as the sandbox has to know them. */
export function operationKindsOf(connections: ReadonlyMap<string, Connected>): Connections {
  return Object.fromEntries(
    [...connections].map(([name, { operations }]) => [
      name,
      Object.fromEntries(Object.entries(operations).map(([each, { kind }]) => [each, kind])),
    ]),
  );
}

/**
 * The outside of one deployed version. What may be called is judged before it comes here; whatever
 * a connector throws that is not clear is unknown.
 */
export class ConnectedWorld implements OutsideWorld {
  readonly #parts: WorldParts;
  readonly #admissions: Admissions;

  constructor(parts: WorldParts) {
    this.#parts = parts;
    this.#admissions = new Admissions(parts.connections);
  }

  async read(
    call: TerminalCall & OfIntent,
    signal: AbortSignal,
    onFrame?: OnFrame,
  ): Promise<ReadOutcome> {
    const found = this.#admissions.ofText(call);
    if ("class" in found) return { says: "failed", failure: definite(found), retryAt: null };
    const { connected, operation } = found;
    if (operation.kind === "mutation") {
      const message = `${nameOf(call)} changes something, and only the ledger may send it`;
      const failure = { class: "logic", message, location: nameOf(call) } as const;
      return { says: "failed", failure, retryAt: null };
    }
    const restsUntil = this.#restsUntil(connected);
    if (restsUntil !== null) {
      const message = leftAlone(connected);
      const failure = { class: "transient", message, location: nameOf(call) } as const;
      return { says: "failed", failure, retryAt: restsUntil };
    }
    let signed: SignedBy = {};
    try {
      const desk = this.#deskFor(found);
      if (desk !== null) {
        const going = { key: null, signal, go: () => {} };
        const answer = await this.#elsewhere({ ...found, desk }, call, going);
        signed = { signed: answer.signed };
        return { says: "value", value: JSON.stringify(resultOf(answer)), ...signed };
      }
      const admitted = this.#revealed(found);
      const value = await this.#readWithin(operation, { admitted, onFrame }, signal);
      return { says: "value", value: JSON.stringify(value) };
    } catch (error) {
      const failure = definite(failureAt(connected, error, nameOf(call)));
      return { says: "failed", failure, retryAt: this.#noteRest(connected, error), ...signed };
    }
  }

  /** Null = this process executes it. */
  #deskFor({ connected }: Pick<Admission, "connected">): RemoteDesk | null {
    const { desk } = this.#parts;
    return desk?.serves(connected.connector) === true ? desk : null;
  }

  #elsewhere(
    found: Admission & { readonly desk: RemoteDesk },
    { connection, operation, intent }: OperationName & OfIntent,
    { key, ...going }: { key: string | null; signal: AbortSignal; go: () => void },
  ): Promise<RemoteAnswer> {
    const { connected, payload, desk } = found;
    const { kind, timeoutMs } = found.operation;
    const close = (result: CanonicalValue) =>
      receiptOfResult(this, { connection, operation }, result);
    const call = { connection, operation, intent, connected, payload, key, timeoutMs, kind };
    return callElsewhere(desk, call, { ...going, close });
  }

  executorOf({ connection }: OperationName): string | null {
    const connector = this.connectorOf(connection);
    return connector !== null && this.#parts.desk?.serves(connector) === true ? connector : null;
  }

  /** Of a connection by the script's name for it; null = there is none. */
  connectorOf(connection: string): string | null {
    return this.#parts.connections.get(connection)?.connector ?? null;
  }

  /** Its time is for connecting, and again for the answer. */
  async #readWithin(
    { timeoutMs }: ConnectedOperation,
    { admitted, onFrame }: { admitted: AdmittedCall; onFrame: OnFrame | undefined },
    until: AbortSignal,
  ): Promise<CanonicalValue> {
    const ms = 2 * timeoutMs + graceMs;
    const waited = await within(this.#parts.timers, { ms, until }, (signal) =>
      admitted.execute({ key: null, timeoutMs, signal, go: () => {}, ...framing(onFrame) }),
    );
    if (waited.kind === "answer") return answered(waited.value);
    // What it says now, nobody hears; that it rejects is nobody's trouble either.
    waited.work.catch(() => {});
    throw new ConnectorError("transient", "no", `no answer within ${ms} ms`);
  }

  goesTo(call: TerminalCall): string | null {
    const found = this.#admissions.ofText(call);
    return "class" in found ? null : targetOf(found);
  }

  describe(call: TerminalCall): DescribedCall | RunFailure {
    const found = this.#admissions.ofText(call);
    if ("class" in found) return found;
    const { connected, admitted, operation, payload } = found;
    if (operation.kind !== "mutation") {
      return { class: "logic", message: `${nameOf(call)} changes nothing`, location: nameOf(call) };
    }
    try {
      this.#revealed(found);
    } catch (error) {
      return failureOf(error, nameOf(call));
    }
    const { connector, connectorVersion } = connected;
    const { timeoutMs } = operation;
    const { canReconcile, idempotency, visibilityDelayMs } = admitted.guarantee;
    const { hash: keyed, remembers } = this.#keyed(found);
    this.#admissions.expect(found);
    return {
      connector,
      connectorVersion,
      target: targetOf(found),
      identity: encodeCanonical(admitted.identity),
      payload,
      canReconcile,
      // What was handed to another process once is not handed out again, whatever the key allows.
      retentionMs: remembers ? (idempotency?.retentionMs ?? null) : null,
      visibilityDelayMs,
      timeoutMs,
      preview: admitted.description,
      keyed,
    };
  }

  keyedOf(call: TerminalCall): Keyed | null {
    const found = this.#admissions.ofText(call);
    return "class" in found ? null : this.#keyed(found);
  }

  #keyed({ connected, admitted }: Admission): Keyed {
    return keyedNow(connected, admitted, { isElsewhere: this.#deskFor({ connected }) !== null });
  }

  isMetered({ connection, operation }: OperationName): boolean {
    const operations = this.#parts.connections.get(connection)?.operations ?? {};
    return Object.hasOwn(operations, operation) && operations[operation]?.kind === "metered";
  }

  riskOf({ connection, operation }: OperationName): RiskTier | null {
    const connected = this.#parts.connections.get(connection);
    const known = connected !== undefined && Object.hasOwn(connected.operations, operation);
    return known ? (connected.operations[operation]?.declared.risk ?? null) : null;
  }

  async send(
    call: SentCall,
    mayGo: () => boolean,
    signal: AbortSignal,
    onFrame?: OnFrame,
  ): Promise<Sent> {
    const found = this.#admissions.ofSent(call);
    if ("class" in found) return this.#failed(found);
    const target = targetOf(found);
    if (target !== call.target) return this.#failed(moved(call, target));
    // The account was changed a moment ago: the ledger has to judge it anew.
    if (call.keyed !== null && isKeyedOtherwise(call, () => this.#keyed(found)))
      return { says: "unsent" };
    const restsUntil = this.#restsUntil(found.connected);
    // Not a byte has left: it waits in the ledger, as after an answer that says so.
    if (restsUntil !== null) return { says: "rate_limited", until: restsUntil };
    let went = false;
    const go = () => {
      if (!mayGo()) throw new NotSent("the last check before sending said no");
      went = true;
    };
    const { providerKey: key, timeoutMs } = call;
    let signed: SignedBy = {};
    try {
      const desk = this.#deskFor(found);
      if (desk !== null) {
        const answer = await this.#elsewhere({ ...found, desk }, call, { key, signal, go });
        signed = { signed: answer.signed };
        return { ...doneWith(found.operation, resultOf(answer), nameOf(call)), ...signed };
      }
      const given = { key, timeoutMs, signal, go, ...framing(onFrame) };
      return doneWith(found.operation, await this.#revealed(found).execute(given), nameOf(call));
    } catch (error) {
      // Whatever the connector makes of it: what was broken off on its way may have arrived.
      if (signal.aborted && went) return { says: "unknown", note: `${nameOf(call)}: broken off` };
      // Held back before its second request, the first is on its way.
      if (error instanceof NotTaken) return { says: "unsent", awaitsExecutor: error.executor };
      if (error instanceof NotSent && !went) return { says: "unsent" };
      return { ...this.#sendFailure(error, call, found.connected), ...signed };
    }
  }

  #restsUntil({ account }: Connected): Instant | null {
    return this.#parts.rests.until(account, this.#parts.now());
  }

  /** When the service wants to be called again; null = it did not say. */
  #noteRest({ account }: Connected, error: unknown): Instant | null {
    if (!(error instanceof ConnectorError) || error.retryAfterMs === null) return null;
    const now = this.#parts.now();
    this.#parts.rests.note(account, now + Math.min(error.retryAfterMs, restMsMax));
    return now + error.retryAfterMs;
  }

  #sendFailure(error: unknown, call: SentCall, connected: Connected): Sent {
    const restsUntil = this.#noteRest(connected, error);
    // Only what a connector says is proven counts as not done.
    if (!(error instanceof ConnectorError) || error.committed === "unknown") {
      return { says: "unknown", note: `${nameOf(call)}: ${textOf(error)}` };
    }
    if (error.class === "transient" && restsUntil !== null) {
      return { says: "rate_limited", until: restsUntil };
    }
    return this.#failed(failureAt(connected, error, nameOf(call)));
  }

  /** What a connector throws, or answers that is no answer, says nothing. */
  async reconcile(call: SentCall, signal: AbortSignal): Promise<Finding> {
    const found = this.#admissions.of(call, call.payload);
    if ("class" in found) return { says: "retry", note: found.message };
    const target = targetOf(found);
    if (target !== call.target) return { says: "retry", note: moved(call, target).message };
    const restsUntil = this.#restsUntil(found.connected);
    if (restsUntil !== null) return { says: "unreachable", note: leftAlone(found.connected) };
    const { providerKey: key, timeoutMs } = call;
    try {
      const answer = await this.#revealed(found).reconcile({ key, timeoutMs, signal });
      const finding = findingOf(found.operation, answer, nameOf(call));
      return isKeyedOtherwise(call, () => this.#keyed(found)) ? provesNothing(finding) : finding;
    } catch (error) {
      this.#noteRest(found.connected, error);
      const isAway =
        error instanceof ConnectorError && error.class === "transient" && error.committed === "no";
      return { says: isAway ? "unreachable" : "retry", note: `${nameOf(call)}: ${textOf(error)}` };
    }
  }

  /** The copy for whoever makes the call; nothing of it is kept. Throws ConnectorError. */
  #revealed({ connected, operation, admitted, params }: Admission): AdmittedCall {
    const { secrets = noSecrets } = this.#parts;
    const revealed = reveal({ operation, params, account: connected.account, secrets });
    return revealed === null ? admitted : revealedCall(operation, revealed);
  }

  openExact(call: OperationName, given: CanonicalValue): CanonicalValue {
    const exact = this.#exactOf(call);
    if (exact === null)
      throw new ConnectorError("logic", "no", `${nameOf(call)} is not for machines`);
    return exact.open(given as Readonly<Record<string, CanonicalValue>>);
  }

  /** What was done is told, also by an operation that is not there any more. */
  closeExact(call: OperationName, result: CanonicalValue): CanonicalValue {
    return this.#exactOf(call)?.close(result) ?? result;
  }

  #exactOf({ connection, operation }: OperationName): ExactForm | null {
    const operations = this.#parts.connections.get(connection)?.operations ?? {};
    return Object.hasOwn(operations, operation) ? (operations[operation]?.exact ?? null) : null;
  }

  /** A connector that is gone, or has another idea of its parameters by now, cannot tell. */
  compare(
    { connection, operation }: OperationName,
    { before, after }: { readonly before: Uint8Array; readonly after: Uint8Array },
  ): PayloadComparison {
    const operations = this.#parts.connections.get(connection)?.operations ?? {};
    const found = Object.hasOwn(operations, operation) ? operations[operation] : undefined;
    return found?.compare(decodeCanonical(before), decodeCanonical(after)) ?? "significant";
  }

  /** What the operation would never have answered, with its path; null = it might have. */
  faultOfResult(call: OperationName, result: CanonicalValue): string | null {
    const operations = this.#parts.connections.get(call.connection)?.operations ?? {};
    if (!Object.hasOwn(operations, call.operation)) return null;
    try {
      operations[call.operation]?.checkResult(result);
      return null;
    } catch (error) {
      return textOf(error);
    }
  }

  #failed(failure: RunFailure): SendOutcome {
    return { says: "failed", failure: definite(failure), jitter: this.#parts.random() };
  }
}

function framing(onFrame: OnFrame | undefined) {
  if (onFrame === undefined) return {};
  return { frame: (kind: string, payload: CanonicalValue) => onFrame({ kind, payload }) };
}
