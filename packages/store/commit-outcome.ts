import type { CommitAnswer } from "@holdfast/core";

/** What became of one change, once its transaction is settled. */
export type CommitOutcome =
  | { readonly kind: "answered"; readonly answer: CommitAnswer }
  /** Surely not written, and no fault of the change. */
  | { readonly kind: "failed"; readonly error: unknown };

/**
 * Throws when nothing of the whole call was written. If it was cut into several groups and only
 * some of them failed, their changes are `unknown`, so that the answers of the others get through.
 */
export function answersOf(outcomes: readonly CommitOutcome[]): readonly CommitAnswer[] {
  const [first] = outcomes;
  if (first?.kind === "failed" && outcomes.every(({ kind }) => kind === "failed")) {
    throw first.error;
  }
  return outcomes.map((outcome) =>
    outcome.kind === "answered" ? outcome.answer : { kind: "unknown", cause: outcome.error },
  );
}
