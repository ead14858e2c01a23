import { createHash } from "node:crypto";
import type { CanonicalValue } from "@holdfast/core";
import type { AdmittedCall, Reconciled } from "../connector.ts";
import { ConnectorError, NotSent } from "../connector-error.ts";
import { FaultyProxy, type SeenRequest } from "./faulty-proxy.ts";
import type { FaultCode } from "./report.ts";
import type { Scenario } from "./scenario.ts";
import { type Subject, type TestClock, type TestedService, VirtualClock } from "./subject.ts";

/** Ample on a busy machine; nothing waits for it unless something is wrong. */
const patienceMs = 10_000;
/** Beyond its time a call has so long to end by itself. */
const graceMs = 2_000;

export type Sent =
  | { readonly says: "applied"; readonly result: CanonicalValue }
  | { readonly says: "failed"; readonly note: string }
  | { readonly says: "unknown"; readonly note: string }
  | { readonly says: "unsent" };

export type OnFault = (code: FaultCode, note: string) => void;

/** One trial: a fresh service behind a fresh proxy, and the call as the host would make it. */
export class TrialSetup {
  readonly proxy: FaultyProxy;
  readonly service: TestedService;
  readonly clock: TestClock;
  readonly admitted: AdmittedCall;
  readonly #scenario: Scenario;
  readonly #timeoutMs: number;
  readonly #key: string;
  readonly #onFault: OnFault;
  /** By `reconcile`, which should make none. */
  #changesByAsking = 0;

  private constructor(parts: {
    readonly timeoutMs: number;
    readonly proxy: FaultyProxy;
    readonly service: TestedService;
    readonly clock: TestClock;
    readonly admitted: AdmittedCall;
    readonly scenario: Scenario;
    readonly onFault: OnFault;
  }) {
    this.proxy = parts.proxy;
    this.service = parts.service;
    this.clock = parts.clock;
    this.admitted = parts.admitted;
    this.#scenario = parts.scenario;
    this.#timeoutMs = parts.timeoutMs;
    this.#key = createHash("sha256").update(parts.scenario.name).digest("hex");
    this.#onFault = parts.onFault;
  }

  /** `shortMs` is the connector's patience where time is the subject. */
  static async open(
    subject: Subject,
    scenario: Scenario,
    { onFault, shortMs }: { readonly onFault: OnFault; readonly shortMs: number },
  ): Promise<TrialSetup> {
    const clock = subject.clock ?? new VirtualClock();
    const service = await subject.openService(clock);
    const proxy = await FaultyProxy.open(() => service.port);
    try {
      if (scenario.isStale) service.delayReads(subject.showsAfterMs);
      proxy.plan(scenario.plan);
      const operation = subject.connect(proxy.baseUrl).operations[subject.operation];
      if (operation === undefined) throw new Error(`there is no operation ${subject.operation}`);
      const admitted = operation.admit(subject.params);
      const timeoutMs = scenario.isSlow ? shortMs : (subject.timeoutMs ?? patienceMs);
      return new TrialSetup({ timeoutMs, proxy, service, clock, admitted, scenario, onFault });
    } catch (error) {
      await proxy.close();
      await service.close();
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.proxy.close();
    await this.service.close();
  }

  changesBySending(): number {
    return this.service.changeCount() - this.#changesByAsking;
  }

  /** Once more with the same call: what was sent has to be the same, or hold the same key. */
  async sendAgain(): Promise<Sent> {
    const [first] = this.proxy.requests;
    const before = this.proxy.requests.length;
    const sent = await this.send();
    const repeat = this.proxy.requests[before];
    if (first !== undefined && repeat !== undefined && !this.#isRepeat(first, repeat)) {
      this.#onFault("key_changes", "what is sent again is not the same, and not under one key");
    }
    return sent;
  }

  #isRepeat(first: SeenRequest, repeat: SeenRequest): boolean {
    const [one, other] = [JSON.stringify(first), JSON.stringify(repeat)];
    return one === other || (one.includes(this.#key) && other.includes(this.#key));
  }

  async send(): Promise<Sent> {
    const before = this.proxy.requests.length;
    let went = false;
    let wasLetGo = false;
    const go = () => {
      went = true;
      if (this.#scenario.isHeldBack) throw new NotSent("the last check said no");
      wasLetGo = true;
    };
    const timeoutMs = this.#timeoutMs;
    const sent = await this.#settled(async () => {
      return this.admitted.execute({ key: this.#key, timeoutMs, signal: this.#signal(), go });
    });
    const count = this.proxy.requests.length - before;
    if (count > 1) this.#onFault("several_requests", `one execute made ${count} requests`);
    if (count > 0 && !went) this.#onFault("sent_without_leave", "it never asked before it sent");
    if (count > 0 && this.#scenario.isHeldBack && went) {
      this.#onFault("sent_without_leave", "it was told not to send, and sent");
    }
    if ("value" in sent) return { says: "applied", result: sent.value };
    return sentOf(sent.error, { wasLetGo });
  }

  /** Null = it said nothing, which is allowed. */
  async ask(): Promise<Reconciled | null> {
    const before = this.service.changeCount();
    const heardBefore = this.#heard();
    const timeoutMs = this.#timeoutMs;
    const { signal } = new AbortController();
    const answered = await this.#settled(async () => {
      return this.admitted.reconcile({ key: this.#key, timeoutMs, signal });
    });
    const made = this.service.changeCount() - before;
    this.#changesByAsking += made;
    if (made > 0) this.#onFault("reconcile_mutates", `asking made ${made} changes`);
    if (!("value" in answered)) return null;
    const { value } = answered;
    const heard = this.#heard();
    const isMisled = heard.sick > heardBefore.sick && heard.well === heardBefore.well;
    if (isReconciled(value) && value.says !== "retry" && isMisled) {
      this.#onFault("error_as_proof", `all it heard was an error, and it says ${value.says}`);
      return value;
    }
    // At this moment: what comes to be true later was untrue all the same.
    if (isReconciled(value) && value.says === "applied" && before === 0) {
      this.#onFault("applied_untrue", "said by reconcile, and nothing was done");
    }
    if (isReconciled(value)) return value;
    this.#onFault("answers_nonsense", `it answered ${JSON.stringify(value)}`);
    return null;
  }

  #heard(): { readonly sick: number; readonly well: number } {
    const { sickCount, requests } = this.proxy;
    return { sick: sickCount, well: requests.length - sickCount };
  }

  /** Of the first send, where the host is to give up on it once the service has it. */
  #signal(): AbortSignal {
    const giveUp = new AbortController();
    const isFirst = this.proxy.requests.length === 0;
    this.proxy.onRequest = () => {
      if (this.#scenario.isGivenUp && isFirst) giveUp.abort();
    };
    return giveUp.signal;
  }

  async #settled<Value>(
    call: () => Promise<Value>,
  ): Promise<{ readonly value: Value } | { readonly error: unknown }> {
    const { promise: over, resolve } = Promise.withResolvers<{ readonly error: unknown }>();
    const isGivenUp = this.#scenario.isGivenUp === true;
    const limitMs = isGivenUp ? graceMs : this.#timeoutMs + graceMs;
    const timer = setTimeout(() => {
      const code = isGivenUp ? "ignores_signal" : "never_settles";
      this.#onFault(code, `no answer and no error after ${limitMs} ms`);
      resolve({ error: "it does not end" });
    }, limitMs);
    const settled = call().then(
      (value) => ({ value }),
      (error: unknown) => ({ error }),
    );
    return await Promise.race([settled, over]).finally(() => clearTimeout(timer));
  }
}

/** As the host reads it: only what a ConnectorError says is proven counts as not done. */
function sentOf(error: unknown, { wasLetGo }: { readonly wasLetGo: boolean }): Sent {
  if (error instanceof NotSent && !wasLetGo) return { says: "unsent" };
  const note = error instanceof Error ? error.message : String(error);
  const isProof = error instanceof ConnectorError && error.committed === "no";
  return { says: isProof ? "failed" : "unknown", note };
}

function isReconciled(given: unknown): boolean {
  const { says } = (given ?? {}) as { readonly says?: unknown };
  return says === "applied" || says === "not_found" || says === "retry";
}
