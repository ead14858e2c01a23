import type { ProjectionsOf } from "../journal/projection.ts";
import { insertRow, updateRow } from "../view/row-change.ts";
import type { InboxFact } from "./inbox-facts.ts";

export const projectInbox: ProjectionsOf<InboxFact> = {
  command_answered: ({ commandKind, kind: _, ...fact }, { at }) => [
    insertRow("verdicts", { ...fact, kind: commandKind, answeredAt: at }),
    updateRow("workflows", [], { inboxThrough: fact.position }),
  ],
};
