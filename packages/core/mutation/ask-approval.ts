import type { Verdict } from "../grant/grant.ts";
import { type Rule, refuse } from "../journal/decision.ts";
import { askAgain } from "./ask-again.ts";
import { runOf } from "./find-mutations.ts";
import { isSettled } from "./ledger-state.ts";
import type { Ask } from "./mutation-facts.ts";
import { whyOtherEnvelope } from "./send-mutation.ts";

export type AskApproval = {
  readonly kind: "ask_approval";
  readonly mutationId: string;
  readonly verdict: Verdict;
  /** Of the call, by the grants in force; null or absent = what its row says stays. */
  readonly amount?: number | null;
  readonly ask: Ask;
  /** Of the connector that will send it: an approval is for that one, too. */
  readonly connectorVersion: string;
};

/** A recorded call that was allowed when it was made, and by now a person has to agree to. */
export const askApproval: Rule<AskApproval> = (draft, command) => {
  const { mutationId, verdict, amount = null, ask, connectorVersion } = command;
  const mutation = draft.view.find("mutations", mutationId);
  if (!mutation) return refuse("mutation_not_found");
  if (isSettled(mutation.state)) return refuse("mutation_settled");
  if (mutation.state === "awaiting_approval") return refuse("mutation_awaits_approval");
  if (mutation.state !== "ready") return refuse("mutation_not_ready");
  const run = runOf(draft, mutation);
  if (run.status !== "active") return refuse("run_not_active", `The run is ${run.status}.`);
  const bad = whyOtherEnvelope(draft.view, verdict);
  if (bad) return bad;
  const note =
    connectorVersion === mutation.connectorVersion
      ? "the grants have changed"
      : `it would be sent by version ${connectorVersion} of the connector`;
  const judged = { verdict, amount, connectorVersion };
  askAgain(draft, mutation, { ask, ...judged, note, answer: "withdrawn" });
  return null;
};
