import type { Store } from "@holdfast/core";
import { FoundRows } from "./found-rows.ts";

/** Beyond this it makes no difference to a person how many wait. */
const countedMax = 100;

/** Events that nobody works off before the question is answered. */
export type Waiting = {
  readonly events: number;
  /** There are more than were counted. */
  readonly isMore: boolean;
};

/** A workflow does one thing at a time: a question holds up everything that is pending in it. */
export async function waitingBehind(store: Store, workflow: string): Promise<Waiting> {
  const found = new FoundRows(store, workflow);
  await found.load([{ kind: "base" }]);
  const topics = found.rows("topics").filter(({ subscriber }) => subscriber !== null);
  let events = 0;
  for (const { name } of topics) {
    events += (await store.peek(workflow, name, countedMax + 1)).events.length;
    if (events > countedMax) return { events: countedMax, isMore: true };
  }
  return { events, isMore: false };
}
