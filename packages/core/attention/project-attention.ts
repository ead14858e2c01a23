import type { ProjectionsOf } from "../journal/projection.ts";
import { deleteRow, insertRow, updateRow } from "../view/row-change.ts";
import type { AttentionFact } from "./attention-facts.ts";

export const projectAttention: ProjectionsOf<AttentionFact> = {
  attention_opened: (fact, { at }) => [
    insertRow("attentions", {
      attentionId: fact.attentionId,
      kind: fact.attentionKind,
      subject: fact.subject,
      note: fact.note,
      answers: fact.answers,
      openedAt: at,
      closedAt: null,
      closedBy: null,
      answer: null,
    }),
  ],
  attention_closed: (fact, { at }) => [
    updateRow("attentions", [fact.attentionId], {
      closedAt: at,
      closedBy: fact.actor,
      answer: fact.answer,
    }),
  ],
  brake_set: (fact, { at }) => [
    insertRow("brakes", {
      operation: fact.operation,
      reason: fact.reason,
      setBy: fact.actor,
      setAt: at,
    }),
  ],
  brake_released: (fact) => [deleteRow("brakes", [fact.operation])],
};
