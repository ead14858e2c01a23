import type { EventRef } from "../topic/topic-facts.ts";
import type { Payload } from "../view/payload.ts";

/**
 * A machine's intent is about to change something outside. It gets a run and an item of its own,
 * so that the ledger, its guards and everything people see of calls hold for it as for others. The
 * run is never open: it holds up nothing else of its workflow.
 */
export type IntentOpened = {
  readonly kind: "intent_opened";
  readonly runId: string;
  /** The intent's hash in hexadecimal digits; the item has it as its id. */
  readonly intentId: string;
  readonly machine: string;
  readonly title: string;
  readonly version: string;
  readonly scriptHash: string | null;
  /** Of its version; absent = it was not written down. */
  readonly deployers?: readonly string[] | null;
  readonly older: boolean;
  /** The run whose call has the key it asked for: what comes of that comes of this one too. */
  readonly joins?: string;
  /** The event of a topic that led to it in the end; absent = none that is known did. */
  readonly event?: EventRef;
};

/** The ledger has nothing more to say of it; the machine hears of it in its turn. */
export type IntentSettled = {
  readonly kind: "intent_settled";
  readonly runId: string;
  readonly intentId: string;
  readonly outcome: "applied" | "skipped" | "none";
  /** Null = it stays as it is. */
  readonly itemStatus: "done" | "failed" | null;
  /** Of the input, as `machine_input_received` has it. */
  readonly body: Payload;
};

export type IntentFact = IntentOpened | IntentSettled;
