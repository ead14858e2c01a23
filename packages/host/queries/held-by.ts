import {
  type AttentionRow,
  brakeOn,
  type Instant,
  isAboutBrake,
  type MutationRow,
  type Store,
} from "@holdfast/core";
import { FoundRows } from "./found-rows.ts";

/** The brake that a question is about, and how many calls it holds. */
export type HeldBy = {
  /** `*` = all of the workflow, `**` = of every workflow. */
  readonly operation: string;
  readonly reason: string;
  readonly setBy: string;
  readonly setAt: Instant;
  readonly calls: number;
};

export type FindHeldBy = (question: AttentionRow, call: MutationRow | null) => HeldBy | null;

/** Looked for only where somebody is asked about a brake. */
export async function heldByBrakes(
  store: Store,
  workflow: string,
  questions: readonly AttentionRow[],
): Promise<FindHeldBy> {
  const isAsked = (row: AttentionRow) => row.closedAt === null && isAboutBrake(row);
  if (!questions.some(isAsked)) return () => null;
  const found = new FoundRows(store, workflow);
  await found.load([{ kind: "base" }]);
  const on = (call: MutationRow) => (call.state === "ready" ? brakeOn(found, call) : null);
  const held = found.rows("mutations").map((call) => on(call)?.operation);
  return (question, call) => {
    const brake = isAsked(question) && call !== null ? on(call) : null;
    if (brake === null) return null;
    const { operation, reason, setBy, setAt } = brake;
    const calls = held.filter((each) => each === operation).length;
    return { operation, reason, setBy, setAt, calls };
  };
}
