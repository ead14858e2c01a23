import {
  type AttentionPlace,
  type AttentionQuery,
  invariant,
  type ListedAttention,
} from "@holdfast/core";
import { compareText } from "../text-order.ts";
import { giveRow } from "./stored-value.ts";
import type { WorkflowState } from "./workflow-state.ts";

export function listAttentions(
  states: Iterable<WorkflowState>,
  { workflow, isOpen, after, limit }: AttentionQuery,
): readonly ListedAttention[] {
  invariant(workflow !== null || isOpen === true, "of every workflow only the open ones are kept");
  const found: (AttentionPlace & ListedAttention)[] = [];
  for (const state of states) {
    for (const row of state.tables.attentions.values()) {
      if (isOpen !== null && (row.closedAt === null) !== isOpen) continue;
      const { openedAt, attentionId } = row;
      found.push({ openedAt, workflow: state.workflow, attentionId, row });
    }
  }
  return found
    .filter((place) => after === null || compare(place, after) > 0)
    .sort(compare)
    .slice(0, limit)
    .map(({ workflow: owner, row }) => ({ workflow: owner, row: giveRow("attentions", row) }));
}

/** The newest first. */
function compare(left: AttentionPlace, right: AttentionPlace): number {
  return (
    right.openedAt - left.openedAt ||
    compareText(right.workflow, left.workflow) ||
    compareText(right.attentionId, left.attentionId)
  );
}
