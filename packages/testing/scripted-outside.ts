import {
  type CanonicalValue,
  type Connections,
  decodeCanonical,
  encodeCanonical,
  type Instant,
  type OperationName,
  type SendOutcome,
  type TerminalCall,
} from "@holdfast/core";
import type { OnFrame, OutsideWorld, ReadOutcome, SentCall } from "@holdfast/host";
import { plainCall } from "@holdfast/host/testing";
import type { Boundary } from "./crash-point.ts";
import { isoText } from "./duration.ts";
import type { HostLife } from "./host-life.ts";
import {
  type CallDetails,
  type ExactOperation,
  type Params,
  type ScriptedConnections,
  Trouble,
} from "./operations.ts";
import { TestError } from "./test-error.ts";

/** A call that reached a service. */
export type SeenCall = {
  /** `connection.operation` */
  readonly name: string;
  readonly params: Params;
  readonly at: string;
};

/** A mutation that reached a service. */
export type SentMutation = SeenCall & {
  /** The idempotency key that came with it: the same for the same call, however often sent. */
  readonly key: string;
  /** Whether it happened, whatever the host was told. */
  readonly applied: boolean;
  readonly answer: SendOutcome["says"];
};

/** A mutation that happened, and how often. */
type Applied = { readonly name: string; readonly result: Uint8Array; readonly count: number };

type Outcome = {
  readonly answer: SendOutcome;
  /** Null = it did not happen; the bytes are its result. */
  readonly applied: { readonly result: Uint8Array } | null;
};

/** The outside world of the test: services that answer what it says, and remember everything. */
export class ScriptedOutside {
  readonly sent: SentMutation[] = [];
  readonly reads: SeenCall[] = [];
  /** What happened, by key. */
  readonly applied = new Map<string, Applied>();
  readonly #connections: ScriptedConnections;
  readonly #now: () => Instant;
  readonly #calls = new Map<string, number>();

  constructor(connections: ScriptedConnections, now: () => Instant) {
    this.#connections = connections;
    this.#now = now;
  }

  get connections(): ScriptedConnections {
    return this.#connections;
  }

  get kinds(): Connections {
    return Object.fromEntries(
      Object.entries(this.#connections).map(([name, operations]) => [
        name,
        Object.fromEntries(Object.entries(operations).map(([each, { kind }]) => [each, kind])),
      ]),
    );
  }

  /** The way of one host to them. They go on when it dies. */
  asSeenBy(life: HostLife): OutsideWorld {
    return {
      read: async (call, _signal, onFrame) => {
        const pass = passing(life, "read", nameOf(call));
        pass("before");
        const outcome = await this.#read(call, onFrame).catch((error: unknown) => life.fail(error));
        pass("after");
        return outcome;
      },
      describe: (call) => {
        const canReconcile = this.#connections[call.connection]?.[call.operation]?.canReconcile;
        if (canReconcile !== true) return plainCall(call);
        return { ...plainCall(call), canReconcile, visibilityDelayMs: 0 };
      },
      openExact: (call, given) => {
        const fields = given as Readonly<Record<string, CanonicalValue>>;
        return this.#exactOf(call)?.open?.(fields) ?? given;
      },
      closeExact: (call, result) => this.#exactOf(call)?.close?.(result) ?? result,
      send: async (call, mayGo, _signal, onFrame) => {
        const pass = passing(life, "send", nameOf(call));
        pass("before");
        if (!mayGo()) return { says: "unsent" };
        const outcome = await this.#send(call, onFrame).catch((error: unknown) => life.fail(error));
        pass("after");
        return outcome;
      },
      reconcile: async (call) => {
        const pass = passing(life, "reconcile", nameOf(call));
        pass("before");
        const found = this.applied.get(call.providerKey);
        pass("after");
        if (found === undefined) return { says: "not_found", note: "it is not there" };
        return { says: "applied", result: found.result };
      },
    };
  }

  #exactOf({ connection, operation }: OperationName): ExactOperation | undefined {
    return this.#connections[connection]?.[operation]?.exact;
  }

  async #read(call: TerminalCall, onFrame?: OnFrame): Promise<ReadOutcome> {
    const name = nameOf(call);
    const params = JSON.parse(call.params) as Params;
    this.reads.push({ name, params, at: isoText(this.#now()) });
    const given = await this.#answer(call, params, { key: null, onFrame });
    if (!(given instanceof Trouble)) return { says: "value", value: jsonOf(name, given) };
    const { fate } = given;
    const retryAt = fate.says === "rate_limited" ? this.#now() + fate.afterMs : null;
    const kind = fate.says === "failed" ? fate.class : "transient";
    const failure = { class: kind, message: given.message, location: name };
    return { says: "failed", failure, retryAt };
  }

  async #send(call: SentCall, onFrame?: OnFrame): Promise<SendOutcome> {
    const { payload, providerKey: key } = call;
    const name = nameOf(call);
    const params = decodeCanonical(payload) as Params;
    const at = isoText(this.#now());
    const given = await this.#answer(call, params, { key, onFrame });
    const { answer, applied } = this.#outcome(name, given);
    this.sent.push({ name, params, at, key, applied: applied !== null, answer: answer.says });
    if (applied !== null) {
      const count = (this.applied.get(key)?.count ?? 0) + 1;
      this.applied.set(key, { name, ...applied, count });
    }
    return answer;
  }

  #outcome(name: string, given: unknown): Outcome {
    if (!(given instanceof Trouble)) {
      const result = bytesOf(name, given);
      return { answer: { says: "applied", result }, applied: { result } };
    }
    const { fate, message } = given;
    switch (fate.says) {
      case "failed": {
        const failure = { class: fate.class, message, location: name };
        return { answer: { says: "failed", failure, jitter: 0 }, applied: null };
      }
      case "rate_limited": {
        const until = this.#now() + fate.afterMs;
        return { answer: { says: "rate_limited", until }, applied: null };
      }
      case "unknown": {
        const applied = fate.applied ? { result: bytesOf(name, fate.result) } : null;
        return { answer: { says: "unknown", note: message }, applied };
      }
    }
  }

  async #answer(
    { connection, operation }: OperationName,
    params: Params,
    { key, onFrame }: { readonly key: string | null; readonly onFrame: OnFrame | undefined },
  ): Promise<unknown> {
    const name = nameOf({ connection, operation });
    const scripted = this.#connections[connection]?.[operation];
    if (scripted === undefined) {
      throw new TestError("operations_not_scripted", `${name} was called and is not scripted`);
    }
    const callsBefore = this.#calls.get(name) ?? 0;
    this.#calls.set(name, callsBefore + 1);
    try {
      const frame: CallDetails["frame"] = (kind, payload) =>
        onFrame?.({ kind, payload: payload as CanonicalValue });
      const details = { callsBefore, at: isoText(this.#now()), key, frame };
      return await scripted.answer(params, details);
    } catch (error) {
      if (error instanceof Trouble) return error;
      const why = `the scripted ${name} threw: ${String(error)}; return fails(…) to fail a call`;
      throw new TestError("test_invalid", why, { cause: error });
    }
  }
}

function nameOf({ connection, operation }: Pick<TerminalCall, "connection" | "operation">): string {
  return `${connection}.${operation}`;
}

function passing(life: HostLife, what: Boundary["what"], name: string) {
  return (when: Boundary["when"]) => life.pass({ when, what, names: [name] });
}

/** As a service would send it: what JSON leaves out is left out. */
function jsonOf(name: string, value: unknown): string | null {
  try {
    return JSON.stringify(value) ?? null;
  } catch (error) {
    const why = `the scripted ${name} answered what is no JSON: ${String(error)}`;
    throw new TestError("test_invalid", why, { cause: error });
  }
}

function bytesOf(name: string, value: unknown): Uint8Array {
  return encodeCanonical(JSON.parse(jsonOf(name, value) ?? "null") as CanonicalValue);
}
