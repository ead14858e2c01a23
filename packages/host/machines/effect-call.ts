import {
  type CanonicalValue,
  decodeCanonical,
  encodeCanonical,
  type OperationName,
  type TerminalCall,
} from "@holdfast/core";
import type { OpenIntent } from "@holdfast/core/machine";
import type { OutsideWorld } from "../engine/ports.ts";

/** The operation of a connection that an intent is about. */
function operationOf({ params, executor }: OpenIntent): OperationName {
  const { connection } = paramsOf(params);
  return { connection: String(connection), operation: executor.entrypoint };
}

/** What the connector is asked to do, in its own terms. */
function callOfEffect(outside: OutsideWorld, intent: OpenIntent): TerminalCall {
  const { connection, operation } = operationOf(intent);
  const { connection: _, ...exact } = paramsOf(intent.params);
  const present = Object.entries(exact).filter(([, value]) => value !== null);
  const given = Object.fromEntries(present) as CanonicalValue;
  const params = outside.openExact?.({ connection, operation }, given) ?? given;
  return { connection, operation, params: JSON.stringify(params) };
}

/** What it answered, in the exact form that the effect declares. */
export function receiptOfResult(
  outside: OutsideWorld,
  call: OperationName,
  result: CanonicalValue,
): Uint8Array {
  try {
    return encodeCanonical(outside.closeExact?.(call, result) ?? result);
  } catch {
    // What has no exact form does not fit the receipt's schema either, and the kernel says so.
    return encodeCanonical(null);
  }
}

/** The call, or why the connector cannot read it: then nothing of it was sent. */
export function callOrFault(
  outside: OutsideWorld,
  intent: OpenIntent,
): TerminalCall | { readonly fault: string } {
  try {
    return callOfEffect(outside, intent);
  } catch (error) {
    return { fault: error instanceof Error ? error.message : String(error) };
  }
}

function paramsOf(params: Uint8Array): Readonly<Record<string, CanonicalValue>> {
  return decodeCanonical(params) as Readonly<Record<string, CanonicalValue>>;
}
