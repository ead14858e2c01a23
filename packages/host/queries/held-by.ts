import {
  type AttentionRow,
  brakeOn,
  brakeOnOperation,
  heldMetered,
  type Instant,
  isAboutBrake,
  type MutationRow,
  type RunRow,
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
  const onRun = (run: RunRow) => {
    const metered = heldMetered(run);
    return metered === null ? null : brakeOnOperation(found, metered);
  };
  const runs = found.rows("runs");
  const held = [...found.rows("mutations").map(on), ...runs.map(onRun)].map(
    (brake) => brake?.operation,
  );
  return (question, call) => {
    const run = runs.find(({ runId }) => runId === question.subject);
    const onIt = () => (call === null ? run && onRun(run) : on(call));
    const brake = (isAsked(question) ? onIt() : null) ?? null;
    if (brake === null) return null;
    const { operation, reason, setBy, setAt } = brake;
    const calls = held.filter((each) => each === operation).length;
    return { operation, reason, setBy, setAt, calls };
  };
}
