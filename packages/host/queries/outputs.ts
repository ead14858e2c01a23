import {
  callsOfUses,
  type EventRow,
  type MutationRow,
  type Store,
  type View,
} from "@holdfast/core";
import { FoundRows, row } from "./found-rows.ts";
import { eventKey } from "./runs-that-held.ts";

/** Which topics machines take events from: what is said there is not only there to be seen. */
export async function topicsOfMachines(
  store: Pick<Store, "load">,
  workflow: string,
): Promise<ReadonlySet<string>> {
  const found = new FoundRows(store, workflow);
  await found.load([{ kind: "base" }]);
  const taken = found.rows("topics").filter(({ machines }) => machines);
  return new Set(taken.map(({ name }) => name));
}

/** Born consumed: nobody in the workflow works it off, it is there to be seen. */
function isOutputEvent(
  { status, deliveryCount, topic }: EventRow,
  ofMachines: ReadonlySet<string>,
): boolean {
  return status === "consumed" && deliveryCount === 0 && !ofMachines.has(topic);
}

export function isOutputMutation({ state }: MutationRow): boolean {
  return state === "applied";
}

/** How much was done for the events of each input, by the input's id; the view has them all. */
export async function countOutputs(
  store: Store,
  view: View,
  eventsByInput: ReadonlyMap<string, readonly EventRow[]>,
): Promise<ReadonlyMap<string, number>> {
  const { workflow } = view;
  const events = new Map(
    [...eventsByInput.values()].flat().map((event) => [eventKey(event), event] as const),
  );
  const applied = await appliedByEvent(store, workflow, [...events.values()]);
  const ofMachines = await topicsOfMachines(store, workflow);
  const counts = new Map<string, number>();
  for (const [inputId, own] of eventsByInput) {
    const mutations = new Set(own.flatMap((event) => [...(applied.get(eventKey(event)) ?? [])]));
    for (const call of callsOfUses(view, own)) {
      if (isOutputMutation(call)) mutations.add(call.mutationId);
    }
    const seen = own.filter((event) => isOutputEvent(event, ofMachines));
    counts.set(inputId, seen.length + mutations.size);
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
