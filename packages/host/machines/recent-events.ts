import { decodeCanonical } from "@holdfast/core";
import type { Given, Input } from "@holdfast/core/machine";
import { bytesOf } from "../engine/values.ts";
import { decodeFrameBody } from "./frame-body.ts";
import { newestFirst } from "./kept-snapshots.ts";
import type { KernelParts } from "./open-kernel.ts";

type EventRecord = {
  readonly seq: number;
  readonly kind: string;
  readonly outside: boolean;
  readonly topic: string | null;
  readonly machine: string | null;
  readonly message_id: string | null;
  readonly ingress_key: Uint8Array | null;
  readonly value: Uint8Array;
  readonly stamp: { readonly now_ns: bigint | number; readonly entropy: Uint8Array };
};

/** The newest events that came from outside, the oldest of them first, as they came. */
export async function recentEvents(
  parts: KernelParts,
  count: number,
): Promise<readonly { readonly seq: number; readonly given: Given }[]> {
  const found: { seq: number; given: Given }[] = [];
  if (count === 0) return found;
  for await (const { body } of newestFirst(parts)) {
    const bytes = await bytesOf(parts.store, parts.workflow, body);
    for (const each of decodeFrameBody(bytes).records.toReversed()) {
      const record = decodeCanonical(each) as unknown as EventRecord;
      if (record.kind !== "domain_event" || !record.outside) continue;
      found.unshift({ seq: record.seq, given: givenOf(record) });
      if (found.length === count) return found;
    }
  }
  return found;
}

function givenOf(record: EventRecord): Given {
  const { topic, machine, message_id: messageId, ingress_key: key, value, stamp } = record;
  const input: Input =
    topic === null
      ? { kind: "direct", machine: machine ?? "", key, value }
      : { kind: "event", topic, value, key, messageId };
  return { input, sample: { nowNs: BigInt(stamp.now_ns), entropy: stamp.entropy } };
}
