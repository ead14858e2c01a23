import { openAttention } from "../attention/attend.ts";
import { type Rule, refuse } from "../journal/decision.ts";
import { operationOf } from "../mutation/find-mutations.ts";
import { admitSize } from "../policy/admit.ts";
import { activeRunNamed, unsettledMutation } from "../run/find-runs.ts";
import { pause } from "../run/pause.ts";
import { pinPayload } from "../view/payload.ts";
import { isDone, itemOfRun } from "./find-items.ts";

export type ComparePayload = {
  readonly kind: "compare_payload";
  readonly runId: string;
  readonly mutationId: string;
  /** Canonical bytes of the call that the handler makes now. */
  readonly payload: Uint8Array;
  /** What the connector makes of the difference. */
  readonly says: "minor" | "significant";
  /** In what they differ. */
  readonly note: string;
};

/**
 * A replay asks for other bytes than were applied. Those are never sent: a minor difference is
 * noted, and a significant one is a question to a person.
 */
export const comparePayload: Rule<ComparePayload> = (draft, command) => {
  const { runId, mutationId, says, note } = command;
  const run = activeRunNamed(draft, runId);
  if ("code" in run) return run;
  const mutation = draft.view.find("mutations", mutationId);
  if (!mutation) return refuse("mutation_not_found");
  const item = itemOfRun(draft.view, run);
  const isOf = mutation.itemId === item?.itemId && mutation.attempt === item?.attempt;
  if (item === null || !isOf) return refuse("item_not_open");
  if (isDone(item)) return refuse("item_is_done", `Item ${item.itemId} is ${item.status}.`);
  if (item.status === "needs_attention") return refuse("item_is_processing", "A person is asked.");
  if (mutation.state !== "applied") return refuse("mutation_not_applied");
  if (unsettledMutation(draft.view, runId)) return refuse("run_waits_for_outcome");
  const { policy } = draft.view;
  const bad = admitSize("call payload in bytes", command.payload.length, policy.payloadBytesMax);
  if (bad) return bad;
  const { payload: proposed, blob } = pinPayload(command.payload);
  const isKnown = proposed.hash === mutation.payloadHash || proposed.hash === mutation.acceptedHash;
  if (isKnown) return refuse("payload_is_the_same");
  if (says === "minor") {
    const { hash: payloadHash } = proposed;
    draft.emit({ kind: "payload_accepted", mutationId, payloadHash, actor: "host" });
    return null;
  }
  draft.store(blob);
  draft.emit({ kind: "payload_questioned", mutationId, proposed });
  const message = `${operationOf(mutation)} was made with other parameters before: ${note}`;
  const failure = { class: "precondition", message, location: run.handler } as const;
  draft.emit({ kind: "item_questioned", itemId: item.itemId, mutationId });
  pause(draft, run, { status: "paused:approval", reason: "precondition", failure });
  openAttention(draft, "payload_differs", mutationId, `${item.title}: ${message}`);
  return null;
};
