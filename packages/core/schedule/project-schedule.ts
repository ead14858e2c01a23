import type { ProjectionsOf } from "../journal/projection.ts";
import { insertRow, updateRow } from "../view/row-change.ts";
import type { ScheduleFact } from "./schedule-facts.ts";

export const projectSchedule: ProjectionsOf<ScheduleFact> = {
  producer_reset: (fact) => [
    { op: "clear_kv", handler: fact.handler },
    updateRow("handlers", [fact.handler], { state: null, nextRunAt: fact.nextRunAt }),
  ],
  producers_called: (fact, { at }) =>
    fact.handlers.map((name) => updateRow("handlers", [name], { calledAt: at })),
  firing_skipped: ({ kind: _, nextRunAt, ...firing }, { seq }) => [
    insertRow("skipped_firings", { ...firing, seq }),
    updateRow("handlers", [firing.handler], { nextRunAt }),
  ],
};
