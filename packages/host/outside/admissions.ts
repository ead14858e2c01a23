import type { AdmittedCall, Connected, ConnectedOperation } from "@holdfast/connector-kit";
import {
  type CanonicalValue,
  decodeCanonical,
  encodeCanonical,
  type OperationName,
  type RunFailure,
  type TerminalCall,
} from "@holdfast/core";
import type { SentCall } from "../engine/ports.ts";
import { failureOf, nameOf } from "./call-failure.ts";

/** A call as its connector has read it. */
export type Admission = {
  readonly connected: Connected;
  readonly operation: ConnectedOperation;
  readonly admitted: AdmittedCall;
  readonly params: CanonicalValue;
  readonly payload: Uint8Array;
};

/** Two accounts of one service are two targets. */
export function targetOf({ connected, admitted }: Admission): string {
  return `${admitted.target} (${connected.account})`;
}

/** Calls as the connectors of one world read them. */
export class Admissions {
  readonly #connections: ReadonlyMap<string, Connected>;
  /** Null = nothing is expected. */
  #expected: Admission | null = null;

  constructor(connections: ReadonlyMap<string, Connected>) {
    this.#connections = connections;
  }

  /** Read back from its bytes, so that it is the same when it is recorded and when it is sent. */
  ofText(call: TerminalCall): Admission | RunFailure {
    try {
      return this.of(call, encodeCanonical(JSON.parse(call.params)));
    } catch (error) {
      return failureOf(error, nameOf(call));
    }
  }

  /** What was described is mostly sent next, and need not be read again then. */
  expect(described: Admission): void {
    this.#expected = described;
  }

  ofSent(call: SentCall): Admission | RunFailure {
    const expected = this.#expected;
    if (expected?.payload !== call.payload) return this.of(call, call.payload);
    this.#expected = null;
    const { connected, operation } = expected;
    const isSame =
      this.#connections.get(call.connection) === connected &&
      connected.operations[call.operation] === operation;
    return isSame ? expected : this.of(call, call.payload);
  }

  of(call: OperationName, payload: Uint8Array): Admission | RunFailure {
    const name = nameOf(call);
    const connected = this.#connections.get(call.connection);
    if (connected === undefined) {
      const message = `there is no connection ${call.connection} on this host; see its accounts`;
      return { class: "precondition", message, location: name };
    }
    const operation = Object.hasOwn(connected.operations, call.operation)
      ? connected.operations[call.operation]
      : undefined;
    if (operation === undefined) {
      const message = `${connected.connector} has no operation ${call.operation}`;
      return { class: "logic", message, location: name };
    }
    try {
      const params = decodeCanonical(payload);
      return { connected, operation, admitted: operation.admit(params), params, payload };
    } catch (error) {
      return failureOf(error, name);
    }
  }
}
