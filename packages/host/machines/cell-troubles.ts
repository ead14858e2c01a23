import type { Store } from "@holdfast/core";
import { type FoundInstance, hex } from "@holdfast/core/machine";
import { recordsBefore } from "./recent-records.ts";
import { type RecordFields, timelineEntry } from "./show-records.ts";
import { Troubles } from "./troubles.ts";

type Parts = { readonly store: Store; readonly workflow: string };

/** Records after what a cell took last, or failed on: what came of it is among them. */
const lookedAtMax = 2_000;

/** What went wrong with what a cell took last, or failed on. */
export async function lastTroubles(parts: Parts, instance: FoundInstance): Promise<Troubles> {
  const { mailbox, failed, lastEventSeq } = instance;
  const from = (failed === "step" ? mailbox[0]?.stamp.height : undefined) ?? lastEventSeq;
  const records: (readonly [seq: number, fields: RecordFields])[] = [];
  const effects = new Map<string, string>();
  for await (const [seq, fields] of recordsBefore(parts, from + lookedAtMax)) {
    if (seq < from) break;
    if (timelineEntry(instance, seq, fields) === null) continue;
    records.push([seq, fields]);
    const { kind, effect, intent_hash: intent } = fields;
    if (kind === "effect_intent") effects.set(hex(intent as Uint8Array), String(effect));
  }
  const troubles = new Troubles();
  for (const [seq, fields] of records.reverse()) {
    const { intent_hash: intent } = fields;
    const effect = intent instanceof Uint8Array ? effects.get(hex(intent)) : undefined;
    troubles.add(seq, fields, effect ?? null);
  }
  return troubles;
}
