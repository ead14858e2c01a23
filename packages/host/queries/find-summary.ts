import type { Store, WorkflowSummary } from "@holdfast/core";

const summariesPerRead = 50;

/** Begins just before the name: the port lists workflows in order and has no look at one. */
export async function findSummary(
  store: Pick<Store, "listWorkflows">,
  workflow: string,
): Promise<WorkflowSummary | null> {
  const before = [...workflow].slice(0, -1).join("");
  let after: string | null = before === "" ? null : before;
  for (;;) {
    const read: readonly WorkflowSummary[] = await store.listWorkflows(after, summariesPerRead);
    const summary = read.find((each) => each.workflow === workflow);
    const last = read.at(-1);
    if (summary || !last || read.length < summariesPerRead) return summary ?? null;
    after = last.workflow;
  }
}
