import type { ConnectedOperation, Reconciled } from "@holdfast/connector-kit";
import { type CanonicalValue, encodeCanonical, type SendOutcome } from "@holdfast/core";
import type { Finding } from "../engine/ports.ts";

/** One that ends without an answer has not said what came of it; of a change that is unknown. */
export function answered(value: CanonicalValue | undefined): CanonicalValue {
  if (value === undefined) throw new Error("it ended without an answer");
  return value;
}

/**
 * It was made, and has answered. If that is not what the operation declares, nobody can go on with
 * it, and it is no proof that nothing was done: a person has to look.
 */
export function doneWith(
  operation: ConnectedOperation,
  value: CanonicalValue | undefined,
  name: string,
): SendOutcome {
  const read = readResult(operation, value);
  if ("result" in read) return { says: "applied", result: read.result };
  const note = `${name} was made, and its result is not what it declares: ${read.fault}`;
  return { says: "unknown", note, answered: true };
}

function readResult(
  operation: ConnectedOperation,
  value: CanonicalValue | undefined,
): { readonly result: Uint8Array } | { readonly fault: string } {
  try {
    const given = answered(value);
    const result = encodeCanonical(given);
    operation.checkResult(given);
    return { result };
  } catch (error) {
    return { fault: error instanceof Error ? error.message : String(error) };
  }
}

/** Throws at anything that is not an answer. */
export function findingOf(
  operation: ConnectedOperation,
  answer: Reconciled,
  name: string,
): Finding {
  switch (answer.says) {
    case "applied": {
      const read = readResult(operation, answer.result);
      if ("result" in read) return { says: "applied", result: read.result };
      const note = `${name} was found, and its result is not what it declares: ${read.fault}`;
      return { says: "retry", note };
    }
    case "not_found":
    case "retry":
      return { says: answer.says, note: String(answer.note) };
    default:
      throw new Error(`reconcile answered ${JSON.stringify(answer)}`);
  }
}
