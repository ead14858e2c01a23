import type { ProjectionsOf } from "../journal/projection.ts";
import { insertRow, updateRow } from "../view/row-change.ts";
import type { ScheduleFact } from "./schedule-facts.ts";

export const projectSchedule: ProjectionsOf<ScheduleFact> = {
  producer_reset: (fact) => [
    { op: "clear_kv", handler: fact.handler },
    updateRow("handlers", [fact.handler], { state: null, nextRunAt: fact.nextRunAt }),
  ],
  producers_called: (fact) =>
    fact.handlers.map((name) => updateRow("handlers", [name], { nextRunAt: fact.nextRunAt })),
  firing_skipped: (fact, { seq }) => [
    insertRow("skipped_firings", { handler: fact.handler, dueAt: fact.dueAt, seq }),
    updateRow("handlers", [fact.handler], { nextRunAt: fact.nextRunAt }),
  ],
};
