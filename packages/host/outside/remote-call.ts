/** Calls that an executor in another process makes, as the world of a workflow meets them. */
import { type Connected, ConnectorError } from "@holdfast/connector-kit";
import {
  type CanonicalValue,
  contentHash,
  decodeCanonical,
  type OperationKind,
  type OperationName,
} from "@holdfast/core";
import type { Executor } from "@holdfast/core/machine";
import type { OfIntent } from "../engine/ports.ts";
import { errorOf } from "../machines/receipts.ts";
import {
  moduleOf,
  NotTaken,
  type RemoteAnswer,
  type RemoteDesk,
  type RemoteResult,
} from "./remote-desk.ts";

/** A read that was taken and not answered is handed out once more: it changes nothing. */
const readHandoutsMax = 2;
/** It may have been paid for. */
const meteredHandoutsMax = 1;

export type RemoteCall = { readonly intent: OfIntent["intent"] } & OperationName & {
    readonly connected: Connected;
    /** A read may be made twice, if it costs nothing. */
    readonly kind: OperationKind;
    /** Canonical bytes; secrets stand in it by their names. */
    readonly payload: Uint8Array;
    readonly key: string | null;
    readonly timeoutMs: number;
  };

type Going = { readonly go: () => void; readonly signal: AbortSignal };

/** What it answered in the exact form of machines, or why not in that of every effect's error. */
export function payloadOfResult(
  given: RemoteResult,
  close: (result: CanonicalValue) => Uint8Array,
): Uint8Array {
  if (given.status === "ok") return close(given.result);
  return errorOf(given.class, given.message).payload;
}

/** Throws what a connector would. */
export async function callElsewhere(
  desk: RemoteDesk,
  call: RemoteCall,
  { go, signal, close }: Going & { readonly close: (result: CanonicalValue) => Uint8Array },
): Promise<RemoteAnswer> {
  const { connected, intent, operation, payload, key, timeoutMs } = call;
  const isChange = call.kind === "mutation";
  if (intent === undefined) {
    const message = `${connected.connector} is executed elsewhere, and for machines only`;
    throw new ConnectorError("precondition", "no", message);
  }
  const { workflow, intentId, handout } = intent;
  const work = {
    ...{ handout, workflow, intentId, operation, key, timeoutMs },
    kind: isChange ? ("mutation" as const) : ("read" as const),
    executor: intent.executor ?? executorNow(connected, operation),
    account: connected.account,
    params: decodeCanonical(payload),
  };
  const payloadOf = (given: RemoteResult) => payloadOfResult(given, close);
  if (isChange) return desk.offer({ work, payloadOf, go, signal });
  const handoutsMax = call.kind === "metered" ? meteredHandoutsMax : readHandoutsMax;
  // A read is in no ledger where it could wait: its step hears that nobody came, and decides.
  for (let count = 1; ; count += 1) {
    const once = { ...work, handout: `${handout}/${count}` };
    try {
      return await desk.offer({ work: once, payloadOf, go, signal });
    } catch (error) {
      if (error instanceof NotTaken) throw new ConnectorError("transient", "no", error.message);
      const isSilent = error instanceof ConnectorError && error.committed === "unknown";
      if (!isSilent || signal.aborted || count === handoutsMax) throw error;
    }
  }
}

/** As a version that is deployed now would have it. */
function executorNow(connected: Connected, entrypoint: string): Executor {
  const { connector, connectorVersion } = connected;
  const moduleHash = contentHash([connector, connectorVersion]);
  return { module: moduleOf(connector), moduleHash, entrypoint };
}

/** What the answer is to whoever waits for it. */
export function resultOf(answer: RemoteAnswer): CanonicalValue {
  if (answer.status === "ok") return answer.result;
  throw new ConnectorError(answer.class, "no", answer.message);
}
