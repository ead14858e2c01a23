import {
  type CanonicalValue,
  decodeCanonical,
  encodeCanonical,
  type OperationKind,
  type OperationName,
  type RiskTier,
  type RunFailure,
  type SendOutcome,
  type TerminalCall,
} from "@holdfast/core";
import type {
  DescribedCall,
  Finding,
  OnFrame,
  OutsideWorld,
  PayloadComparison,
  ReadOutcome,
  SentCall,
} from "@holdfast/host";
import { plainCall } from "@holdfast/host/testing";

/** Of a scripted request. */
const callTimeoutMs = 1_000;

type Params = Readonly<Record<string, unknown>>;

/** Says how far it has come. */
type SayFrame = (kind: string, payload: CanonicalValue) => void;

export type ScriptedOperation = {
  readonly kind: OperationKind;
  /** What a read answers, or what a send comes to; the default is that it works. */
  readonly answer?: (params: Params, frame: SayFrame) => unknown;
  /** What can be relied on when an answer is lost; nothing, if the test does not say. */
  readonly guarantee?: () => Partial<
    Pick<DescribedCall, "canReconcile" | "retentionMs" | "visibilityDelayMs" | "connectorVersion">
  >;
  /** Which of the parameters say what is changed; all of them, if the test does not say. */
  readonly identity?: (params: Params) => CanonicalValue;
  /** What other parameters for the same change amount to. */
  readonly compare?: (before: Params, after: Params) => PayloadComparison;
  /** What the service says when it is asked for a call that was sent. */
  readonly reconcile?: (params: Params, key: string) => Finding | Promise<Finding>;
};

/** Thrown by an answer to fail in a way of its own. */
export class Fails extends Error {
  readonly failure: RunFailure;
  readonly retryAt: number | null;

  constructor(kind: RunFailure["class"], message: string = kind, retryAt: number | null = null) {
    super(message);
    this.failure = { class: kind, message, location: "" };
    this.retryAt = retryAt;
  }
}

/** Thrown by an answer: the host dies while it waits for it. */
export class HostDies extends Error {}

type SentRequest = {
  readonly name: string;
  readonly params: Params;
  readonly key: string;
  readonly timeoutMs: number;
};

/** Services that answer what a test says, and count what reached them. */
export class ScriptedWorld implements OutsideWorld {
  readonly sent: SentRequest[] = [];
  readonly reads: string[] = [];
  /** Calls that the host asked about. */
  readonly asked: string[] = [];
  /** Of every call that reached them, in order. */
  readonly signals: AbortSignal[] = [];
  readonly denied = new Set<string>();
  /** Of every operation, as a connector would say it. */
  risk: RiskTier | null = null;
  /** Called when the host dies: nothing that it waits for happens any more. */
  onDeath = (): void => {};
  readonly #operations: Readonly<Record<string, Readonly<Record<string, ScriptedOperation>>>>;

  isMetered({ connection, operation }: OperationName): boolean {
    return this.#operations[connection]?.[operation]?.kind === "metered";
  }

  riskOf(): RiskTier | null {
    return this.risk;
  }

  constructor(operations: Readonly<Record<string, Readonly<Record<string, ScriptedOperation>>>>) {
    this.#operations = operations;
  }

  get connections() {
    return Object.fromEntries(
      Object.entries(this.#operations).map(([name, operations]) => [
        name,
        Object.fromEntries(Object.entries(operations).map(([each, { kind }]) => [each, kind])),
      ]),
    );
  }

  async read(
    { connection, operation, params }: TerminalCall,
    signal: AbortSignal,
    onFrame?: OnFrame,
  ): Promise<ReadOutcome> {
    this.signals.push(signal);
    this.reads.push(`${connection}.${operation}`);
    try {
      const name = { connection, operation };
      const value = await this.#answer(name, JSON.parse(params) as Params, onFrame);
      return { says: "value", value: value === undefined ? null : JSON.stringify(value) };
    } catch (error) {
      if (error instanceof HostDies) return this.#die();
      if (!(error instanceof Fails)) throw error;
      const failure = error.failure as Extract<ReadOutcome, { says: "failed" }>["failure"];
      return { says: "failed", failure, retryAt: error.retryAt };
    }
  }

  describe(call: TerminalCall): DescribedCall | RunFailure {
    const { connection, operation } = call;
    const name = `${connection}.${operation}`;
    if (this.denied.has(name)) {
      return { class: "permission", message: `${name} is not granted`, location: name };
    }
    const scripted = this.#operations[connection]?.[operation];
    const plain = { ...plainCall(call, callTimeoutMs), ...scripted?.guarantee?.() };
    if (scripted?.identity === undefined) return plain;
    const identity = encodeCanonical(scripted.identity(JSON.parse(call.params) as Params));
    return { ...plain, identity };
  }

  compare(
    { connection, operation }: OperationName,
    { before, after }: { readonly before: Uint8Array; readonly after: Uint8Array },
  ): PayloadComparison {
    const compare = this.#operations[connection]?.[operation]?.compare;
    if (compare === undefined) return "significant";
    return compare(decodeCanonical(before) as Params, decodeCanonical(after) as Params);
  }

  async reconcile(call: SentCall, signal: AbortSignal): Promise<Finding> {
    this.signals.push(signal);
    const { connection, operation, payload, providerKey: key } = call;
    this.asked.push(`${connection}.${operation}`);
    const scripted = this.#operations[connection]?.[operation];
    if (scripted?.reconcile === undefined) throw new Error("nobody said what it answers");
    try {
      return await scripted.reconcile(decodeCanonical(payload) as Params, key);
    } catch (error) {
      if (error instanceof HostDies) return this.#die();
      throw error;
    }
  }

  async send(
    { connection, operation, payload, providerKey: key, timeoutMs }: SentCall,
    mayGo: () => boolean,
    signal: AbortSignal,
    onFrame?: OnFrame,
  ): Promise<SendOutcome | { readonly says: "unsent" }> {
    if (!mayGo()) return { says: "unsent" };
    this.signals.push(signal);
    const params = decodeCanonical(payload) as Params;
    this.sent.push({ name: `${connection}.${operation}`, params, key, timeoutMs });
    try {
      const result = await this.#answer({ connection, operation }, params, onFrame);
      const bytes = result === undefined ? null : encodeCanonical(result as CanonicalValue);
      return { says: "applied", result: bytes };
    } catch (error) {
      if (error instanceof HostDies) return this.#die();
      if (!(error instanceof Fails)) throw error;
      if (error.failure.class === "indeterminate") return { says: "unknown", note: error.message };
      if (error.retryAt !== null) return { says: "rate_limited", until: error.retryAt };
      const failure = error.failure as Extract<SendOutcome, { says: "failed" }>["failure"];
      return { says: "failed", failure, jitter: 0 };
    }
  }

  #die(): Promise<never> {
    this.onDeath();
    return new Promise<never>(() => {});
  }

  #answer({ connection, operation }: OperationName, params: Params, onFrame?: OnFrame): unknown {
    const scripted = this.#operations[connection]?.[operation];
    if (scripted === undefined) throw new Error(`there is no ${connection}.${operation}`);
    return scripted.answer?.(params, (kind, payload) => onFrame?.({ kind, payload }));
  }
}
