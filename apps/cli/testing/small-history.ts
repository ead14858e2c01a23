import { encodeCanonical, type Store } from "@holdfast/core";
import { WorkflowOwner } from "@holdfast/host";

/** Head 1, owned by nobody; the answer may act with the epoch it has. */
export async function createWorkflow(store: Store, workflow: string): Promise<WorkflowOwner> {
  await store.createWorkflow(workflow);
  const { epoch } = await store.load(workflow, []);
  const owner = new WorkflowOwner(store, { workflow, epoch });
  await owner.execute([{ kind: "create_workflow", name: workflow }], 1);
  return owner;
}

export async function appendPause(store: Store, workflow: string): Promise<void> {
  const command = { commandId: "1", workflow, actor: "ann", kind: "pause_workflow", at: 2 };
  await store.appendCommand({ ...command, body: encodeCanonical({}) });
}
