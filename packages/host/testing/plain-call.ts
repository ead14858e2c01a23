import { type CanonicalValue, encodeCanonical, type TerminalCall } from "@holdfast/core";
import type { DescribedCall } from "../engine/ports.ts";

const timeoutMsDefault = 10_000;

/**
 * A call as a service describes it that knows nothing special: the parameters are its identity and
 * its payload, and nobody can find out later whether it happened.
 */
export function plainCall(
  { connection, operation, params }: TerminalCall,
  timeoutMs = timeoutMsDefault,
): DescribedCall {
  const payload = encodeCanonical(JSON.parse(params) as CanonicalValue);
  return {
    connector: connection,
    connectorVersion: "1",
    target: connection,
    identity: payload,
    payload,
    canReconcile: false,
    retentionMs: null,
    visibilityDelayMs: null,
    timeoutMs,
    preview: `${connection}.${operation} ${params}`,
  };
}
