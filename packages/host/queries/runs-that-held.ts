import { type EventRow, keyText, type ListPlace, type Store } from "@holdfast/core";

type Named = Pick<EventRow, "topic" | "messageId">;
type Lists = Pick<Store, "listRows">;

export const eventKey = ({ topic, messageId }: Named): string => keyText([topic, messageId]);

/** An event that was tried often is asked for page by page. */
const holdersPerPage = 100;
/** An input may have caused many events. */
const eventsAtOnce = 32;

/** Every run that ever pinned one of the events: found by the events, not among all runs. */
export async function runsThatHeld(
  store: Lists,
  workflow: string,
  events: readonly EventRow[],
): Promise<string[]> {
  const held = events.filter(({ deliveryCount }) => deliveryCount > 0);
  const runIds = new Set<string>();
  for (let from = 0; from < held.length; from += eventsAtOnce) {
    const some = held.slice(from, from + eventsAtOnce);
    const found = await Promise.all(some.map((event) => holdersOf(store, workflow, event)));
    for (const runId of found.flat()) runIds.add(runId);
  }
  return [...runIds];
}

async function holdersOf(store: Lists, workflow: string, event: Named): Promise<string[]> {
  const runIds: string[] = [];
  const list = { workflow, list: "holdersOfEvent", downTo: null, limit: holdersPerPage } as const;
  for (let after: ListPlace | null = null; ; ) {
    const page: readonly { readonly runId: string }[] = await store.listRows({
      ...list,
      of: [event.topic, event.messageId],
      after,
    });
    runIds.push(...page.map(({ runId }) => runId));
    const last = page.at(-1);
    if (last === undefined || page.length < holdersPerPage) return runIds;
    after = [last.runId];
  }
}
