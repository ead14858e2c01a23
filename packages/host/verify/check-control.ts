import {
  dueAt,
  type EventRow,
  factVersion,
  type Store,
  type View,
  type WorkflowSummary,
} from "@holdfast/core";
import type { Problem } from "./verify-report.ts";

const workflowsPerRead = 100;

/**
 * What makes work happen, beside the rows themselves: when the workflow is due, what peek shows
 * of each topic, and that no command before or behind another has gone from the inbox.
 */
export async function checkControl(store: Store, view: View): Promise<Problem[]> {
  const { workflow, head } = view;
  const problems: Problem[] = [];
  const report = (note: string) =>
    problems.push({ code: "TABLES_DIFFER", workflow, position: head.seq, note });
  await checkWorkflow(store, view, report);
  for (const { name } of view.rows("topics")) await checkPeek(store, view, name, report);
  return problems;
}

type Report = (note: string) => void;

async function checkWorkflow(store: Store, view: View, report: Report): Promise<void> {
  const { workflow, head } = view;
  const found = await findSummary(store, workflow);
  if (!found) return report("the workflow is not listed");
  const expected = head.seq === 0 ? found.dueAt : dueAt(view, head.at);
  if (found.dueAt !== expected) report(`due at ${found.dueAt}, the journal says ${expected}`);
  if (found.head.at !== head.at) report(`head at ${found.head.at}, the journal says ${head.at}`);
  if (found.factVersion !== (head.seq === 0 ? 0 : factVersion)) {
    report(`fact version ${found.factVersion}, the journal says ${factVersion}`);
  }
  await checkInbox(store, view, found.inboxTail, report);
}

/** Names are listed in order: starts at the longest shorter name and stops at the workflow. */
async function findSummary(store: Store, workflow: string): Promise<WorkflowSummary | null> {
  let after: string | null = workflow.slice(0, -1);
  for (;;) {
    const page: readonly WorkflowSummary[] = await store.listWorkflows(after, workflowsPerRead);
    const found = page.find((one) => one.workflow === workflow);
    const last = page.at(-1);
    if (found || !last) return found ?? null;
    after = last.workflow;
  }
}

/**
 * `tail` = before the inbox is read: others may append meanwhile, and then the tail grows too.
 * Reads what should wait and one more: that one is there only if the tail has grown, or is false.
 */
async function checkInbox(store: Store, view: View, tail: number, report: Report): Promise<void> {
  const through = view.find("workflows")?.inboxThrough ?? 0;
  const limit = Math.max(tail - through, 0) + 1;
  const positions = (await store.readInbox(view.workflow, limit)).map((one) => one.position);
  const gap = positions.findIndex((position, index) => position !== through + 1 + index);
  const end = through + positions.length;
  const tailAfter = end > tail ? (await findSummary(store, view.workflow))?.inboxTail : tail;
  if (gap >= 0 || end < tail || end > (tailAfter ?? tail)) {
    report(`the inbox ends at ${tail}, but of what waits after ${through} something is missing`);
  }
}

async function checkPeek(store: Store, view: View, topic: string, report: Report): Promise<void> {
  const { events } = await store.peek(view.workflow, topic, 1);
  const shown = events[0]?.messageId ?? null;
  const oldest = oldestPending(view, topic)?.messageId ?? null;
  if (shown !== oldest) report(`peek of ${topic} shows ${shown}, the journal says ${oldest}`);
}

function oldestPending(view: View, topic: string): EventRow | null {
  let oldest: EventRow | null = null;
  for (const event of view.rows("events")) {
    if (event.topic !== topic || event.status !== "pending") continue;
    if (!oldest || event.position < oldest.position) oldest = event;
  }
  return oldest;
}
