import { type Draft, type Rule, refuse } from "../journal/decision.ts";
import { admitId, admitTitle } from "../policy/admit.ts";
import { comesOfOlder } from "../restore/restore-point.ts";
import { activeRunNamed, heldEvents, unsettledMutation } from "../run/find-runs.ts";
import { pause } from "../run/pause.ts";
import type { RunRow } from "../view/rows.ts";
import { isDone, isStale } from "./find-items.ts";
import type { ItemRow } from "./item-row.ts";

export type EnterItem = {
  readonly kind: "enter_item";
  readonly runId: string;
  readonly itemId: string;
  readonly title: string;
};

/**
 * The handler of a job begins with an item, for the first time or again. One that is done is not
 * touched; one that a person is asked about makes the run wait for their answer.
 */
export const enterItem: Rule<EnterItem> = (draft, { runId, itemId, title }) => {
  const run = activeRunNamed(draft, runId);
  if ("code" in run) return run;
  if (run.kind !== "job") return refuse("handler_not_job");
  if (unsettledMutation(draft.view, runId)) return refuse("run_waits_for_outcome");
  const { policy } = draft.view;
  const bad = admitId(policy, "item's id", itemId);
  if (bad) return bad;
  if (title.trim() === "") return refuse("item_title_missing", `Item ${itemId} has no title.`);
  const item = draft.view.find("items", itemId);
  const isAnew = item !== null && isStale(draft.view, item);
  if (item !== null && isDone(item) && !isAnew) {
    if (run.itemId !== null) draft.emit({ kind: "item_left", runId });
    return null;
  }
  enter(draft, run, { item, itemId, title: admitTitle(policy, title), isAnew });
  if (item?.status === "needs_attention" && !isAnew) waitForAnswer(draft, run, item);
  return null;
};

function enter(
  draft: Draft,
  run: RunRow,
  of: {
    readonly item: ItemRow | null;
    readonly itemId: string;
    readonly title: string;
    readonly isAnew: boolean;
  },
): void {
  const { item, itemId, title, isAnew } = of;
  const { runId, handler } = run;
  const how = item === null ? "new" : isAnew ? "anew" : "again";
  draft.emit({
    kind: "item_entered",
    runId,
    itemId,
    handler,
    title,
    how,
    attempt: (item?.attempt ?? 0) + (how === "again" ? 0 : 1),
    status: isAnew && item?.status !== "processing" ? "processing" : null,
    older: item?.older ?? isOlder(draft, run),
  });
}

/** Until it has caught up with a restore, a job may meet what it had worked off before. */
function isOlder(draft: Draft, run: RunRow): boolean {
  const events = heldEvents(draft.view, run.runId);
  return comesOfOlder(draft.view, run, { events, deliveries: [] });
}

/** The question is open already: whoever answers it lets the run go on. */
function waitForAnswer(draft: Draft, run: RunRow, { itemId, title }: ItemRow): void {
  const message = `a person is asked about the item ${itemId} (${title})`;
  const failure = { class: "precondition", message, location: run.handler } as const;
  pause(draft, run, { status: "paused:approval", reason: "precondition", failure });
}
