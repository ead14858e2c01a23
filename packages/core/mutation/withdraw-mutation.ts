import type { Draft } from "../journal/decision.ts";
import type { MutationRow, Resolution } from "../view/rows.ts";
import { inputsOf } from "./find-mutations.ts";

/** Takes back a call that was recorded and never sent: the one failure that needs no answer. */
export function withdrawMutation(
  draft: Draft,
  mutation: MutationRow,
  by: {
    readonly actor: string;
    readonly note: string;
    readonly kind?: Resolution["kind"];
  },
): void {
  const { mutationId, handler, state } = mutation;
  draft.emit({
    kind: "mutation_failed",
    mutationId,
    handler,
    failure: { class: "permission", message: by.note, location: handler },
    evidence: { kind: "answer", says: "not_sent", note: by.note, body: null },
    resolution: { kind: by.kind ?? "withdrawn", actor: by.actor, at: draft.now },
    inputs: state === "ready" ? inputsOf(draft.view, mutation.runId) : [],
  });
}
