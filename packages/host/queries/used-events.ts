import { type EventRef, isOfIntent, type RunRow, type Store } from "@holdfast/core";
import { type FoundRows, row } from "./found-rows.ts";

/** Enough to say why something is there; a stopped cell may hold thousands. */
export const usedNamedMax = 100;

/** What runs of intents came of, and what stopped cells hold, by the id of the run or question. */
export type UsedEvents = ReadonlyMap<string, readonly EventRef[]>;

/** The events are then among the found rows. */
export async function loadUsedEvents(
  store: Pick<Store, "listRows">,
  workflow: string,
  found: FoundRows,
  userIds: Iterable<string>,
): Promise<UsedEvents> {
  const used = new Map<string, readonly EventRef[]>();
  for (const userId of new Set(userIds)) {
    const asked = { workflow, list: "eventsUsedBy", of: [userId] } as const;
    used.set(
      userId,
      await store.listRows({ ...asked, after: null, downTo: null, limit: usedNamedMax }),
    );
  }
  const events = [...used.values()].flat();
  await found.load(events.map(({ topic, messageId }) => row("events", topic, messageId)));
  return used;
}

export function intentRunIds(runs: readonly RunRow[]): readonly string[] {
  return runs.filter(isOfIntent).map(({ runId }) => runId);
}

/** Inputs behind what a run held, or was made for. */
export function causesOfRun(found: FoundRows, used: UsedEvents, runId: string | null): string[] {
  const held = found.rows("reservations").filter((pin) => pin.runId === runId);
  const events = [...held, ...(runId === null ? [] : (used.get(runId) ?? []))];
  return events.flatMap(
    ({ topic, messageId }) => found.find("events", topic, messageId)?.causedBy ?? [],
  );
}
