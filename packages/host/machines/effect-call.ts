import {
  type CanonicalValue,
  decodeCanonical,
  encodeCanonical,
  type OperationName,
  type TerminalCall,
} from "@holdfast/core";
import type { OpenIntent } from "@holdfast/core/machine";
import type { OutsideWorld } from "../engine/ports.ts";

/** What an intent was asked with. */
export type Params = Readonly<Record<string, CanonicalValue>>;

export function paramsOf({ params }: Pick<OpenIntent, "params">): Params {
  return decodeCanonical(params) as Params;
}

/** What the connector is asked to do, in its own terms. */
function callOfEffect(outside: OutsideWorld, intent: OpenIntent, params: Params): TerminalCall {
  const { connection: named, ...exact } = params;
  const [connection, operation] = [String(named), intent.executor.entrypoint];
  const present = Object.entries(exact).filter(([, value]) => value !== null);
  const given = Object.fromEntries(present) as CanonicalValue;
  const opened = outside.openExact?.({ connection, operation }, given) ?? given;
  return { connection, operation, params: JSON.stringify(opened) };
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
  params: Params = paramsOf(intent),
): TerminalCall | { readonly fault: string } {
  try {
    return callOfEffect(outside, intent, params);
  } catch (error) {
    return { fault: error instanceof Error ? error.message : String(error) };
  }
}
