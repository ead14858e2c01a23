import type { ItemRow } from "../item/item-row.ts";
import type { Draft } from "../journal/decision.ts";
import type { Refusal } from "../journal/refusal.ts";
import { publish, registerInput } from "../topic/publish.ts";
import type { RunRow } from "../view/rows.ts";
import { type NewInput, type PublishedEvent, publicationsOf } from "./run-publications.ts";

type Given = {
  readonly inputs: readonly NewInput[];
  readonly publishes: readonly PublishedEvent[];
  readonly older: boolean;
  /** Of a job: the item it was published in. */
  readonly item?: ItemRow;
};

export function publishAll(draft: Draft, run: RunRow, given: Given): Refusal | null {
  for (const input of given.inputs) {
    const bad = registerInput(draft, input);
    if (bad) return bad;
  }
  for (const publication of publicationsOf(draft, run, given.publishes, given.item ?? null)) {
    const bad = publication.input ? registerInput(draft, publication.input) : null;
    const refused = bad ?? publish(draft, { ...publication.event, older: given.older });
    if (refused) return refused;
  }
  return null;
}
