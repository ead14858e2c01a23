import { contentHash, type Hash } from "../canonical/index.ts";

export type ScopedEvent = {
  readonly topic: string;
  readonly messageId: string;
  readonly attempt: number;
};

/**
 * What a consumer's mutation belongs to: exactly these inputs, whichever run works on them. The
 * workflow is part of it, because keys made from this leave the house: two workflows that send the
 * same bytes for inputs of the same names are two changes, and no provider may take them for one.
 */
export function consumerScope(
  workflow: string,
  consumer: string,
  events: readonly ScopedEvent[],
): Hash {
  const sorted = events
    .toSorted(
      (a, b) =>
        compare(a.topic, b.topic) || compare(a.messageId, b.messageId) || a.attempt - b.attempt,
    )
    .map(({ topic, messageId, attempt }) => [topic, messageId, attempt]);
  return contentHash([workflow, consumer, sorted]);
}

/** What a job's mutation belongs to; two workflows may have items of the same name. */
export function itemScope(workflow: string, itemId: string): Hash {
  return contentHash([workflow, "item", itemId]);
}

/** What a machine's mutation belongs to: the cell that wanted it. */
export function machineScope(workflow: string, machine: string, key: Uint8Array | null): Hash {
  return contentHash([workflow, "machine", machine, key]);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

export type KeyParts = {
  readonly scopeId: string;
  readonly attempt: number;
  readonly connector: string;
  readonly target: string;
  readonly operation: string;
  readonly identityHash: string;
  readonly subkey: string | null;
};

/** Says "the same change" without looking at the payload. */
export function mutationKeyOf(parts: KeyParts): Hash {
  return contentHash(parts);
}

/** Belongs to the exact bytes: equal for a byte-equal re-send, new for a changed payload. */
export function providerKeyOf(mutationKey: string, payloadHash: string): Hash {
  return contentHash([mutationKey, payloadHash]);
}

export function intentHashOf(intent: {
  readonly mutationKey: string;
  readonly payloadHash: string;
  readonly connection: string;
  readonly connectorVersion: string;
}): Hash {
  return contentHash(intent);
}
