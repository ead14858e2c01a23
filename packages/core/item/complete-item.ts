import { type Rule, refuse } from "../journal/decision.ts";
import { comesOfOlder } from "../restore/restore-point.ts";
import { activeRunNamed, heldEvents, unsettledMutation } from "../run/find-runs.ts";
import { publishAll } from "../run/publish-all.ts";
import { type PublishedEvent, whyPublishingIsWrong } from "../run/run-publications.ts";
import { isDone } from "./find-items.ts";

export type CompleteItem = {
  readonly kind: "complete_item";
  readonly runId: string;
  readonly itemId: string;
  readonly attempt: number;
  /** What its handler published: visible from now on. */
  readonly publishes: readonly PublishedEvent[];
};

/** The item's handler has come to its end: the checkpoint that a replay finds. */
export const completeItem: Rule<CompleteItem> = (draft, command) => {
  const { runId, itemId, attempt, publishes } = command;
  const run = activeRunNamed(draft, runId);
  if ("code" in run) return run;
  if (run.kind !== "job") return refuse("handler_not_job");
  const item = draft.view.find("items", itemId);
  const isOpen = run.itemId === itemId;
  const isMeant = item?.attempt === attempt && (isOpen || isDone(item));
  if (!item || !isMeant) return refuse("item_not_open");
  if (item.status === "needs_attention") return refuse("item_not_open", "A person is asked.");
  if (unsettledMutation(draft.view, runId)) return refuse("run_waits_for_outcome");
  const given = { inputs: [], publishes };
  const bad = whyPublishingIsWrong(draft, run, given);
  if (bad) return bad;
  const events = heldEvents(draft.view, runId);
  const older = item.older || comesOfOlder(draft.view, run, { events, deliveries: [] });
  const failed = publishAll(draft, run, { ...given, older, item });
  if (failed) return failed;
  if (!isOpen || isDone(item)) return null;
  const { crashCount } = draft.view.load("handlers", run.handler);
  const forgetsCrashes = crashCount > 0;
  draft.emit({ kind: "item_completed", runId, itemId, handler: run.handler, forgetsCrashes });
  return null;
};
