import type { EventRow, MutationRow, Store } from "@holdfast/core";
import { FoundRows, row } from "./found-rows.ts";
import { eventKey } from "./runs-that-held.ts";

/** Born consumed: nobody in the workflow works it off, it is there to be seen. */
function isOutputEvent({ status, deliveryCount }: EventRow): boolean {
  return status === "consumed" && deliveryCount === 0;
}

export function isOutputMutation({ state }: MutationRow): boolean {
  return state === "applied";
}

/** How much was done for the events of each input, by the input's id. */
export async function countOutputs(
  store: Store,
  workflow: string,
  eventsByInput: ReadonlyMap<string, readonly EventRow[]>,
): Promise<ReadonlyMap<string, number>> {
  const events = new Map(
    [...eventsByInput.values()].flat().map((event) => [eventKey(event), event] as const),
  );
  const applied = await appliedByEvent(store, workflow, [...events.values()]);
  const counts = new Map<string, number>();
  for (const [inputId, own] of eventsByInput) {
    const mutations = new Set(own.flatMap((event) => [...(applied.get(eventKey(event)) ?? [])]));
    counts.set(inputId, own.filter(isOutputEvent).length + mutations.size);
  }
  return counts;
}

/** Through the rows that keep an event from being behind two mutations of one attempt. */
async function appliedByEvent(
  store: Store,
  workflow: string,
  events: readonly EventRow[],
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const worked = events.filter(({ deliveryCount }) => deliveryCount > 0);
  const links = (await Promise.all(worked.map((event) => linksOf(store, workflow, event)))).flat();
  const found = new FoundRows(store, workflow);
  await found.load(links.map(({ mutationId }) => row("mutations", mutationId)));
  const applied = new Map<string, Set<string>>();
  for (const link of links) {
    const mutation = found.find("mutations", link.mutationId);
    if (!mutation || !isOutputMutation(mutation)) continue;
    const key = eventKey(link);
    applied.set(key, (applied.get(key) ?? new Set()).add(link.mutationId));
  }
  return applied;
}

/** One for each attempt, and few are ever worked off again. */
async function linksOf(store: Store, workflow: string, { topic, messageId }: EventRow) {
  const asked = { workflow, list: "mutationsOfEvent", of: [topic, messageId] } as const;
  return store.listRows({ ...asked, after: null, downTo: null, limit: attemptsLookedAtMax });
}

const attemptsLookedAtMax = 1_000;
