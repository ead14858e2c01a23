import {
  type CoreCommand,
  encodeCanonical,
  type Instant,
  invariant,
  type ProposalRow,
  type Store,
} from "@holdfast/core";
import { bytesOf } from "../engine/values.ts";
import type { WorkflowOwner } from "../workflow-owner.ts";

type Turn = { readonly store: Store; readonly owner: WorkflowOwner; readonly now: Instant };

/**
 * What a host with machines would do for a version that was deployed or proposed: the inbox is
 * answered, its machines hear of it, and a proposal is tried, agreed to and applied by `actor`.
 * False = it was refused.
 */
export async function takeVersion(turn: Turn, actor: string): Promise<boolean> {
  const { store, owner, now } = turn;
  const { workflow } = owner;
  if ((await store.load(workflow, [])).head.seq === 0) {
    await owner.execute([{ kind: "create_workflow", name: workflow }], now);
  }
  const answers = await owner.foldInbox(now, 100);
  if (answers.some(({ kind }) => kind !== "done")) return false;
  for await (const proposal of store.scan(workflow, "proposals")) {
    if (proposal.status === "submitted") await applyProposal(turn, proposal, actor);
  }
  const waiting: number[] = [];
  for await (const { position } of store.scan(workflow, "machine_inputs")) waiting.push(position);
  const told = await owner.execute([servedOnly(waiting)], now);
  invariant(told.kind === "done", `${workflow} has served its machines`);
  return true;
}

async function applyProposal(turn: Turn, proposal: ProposalRow, actor: string): Promise<void> {
  const { store, owner, now } = turn;
  const { number, body } = proposal;
  const patchHash = body.hash;
  const bytes = await bytesOf(store, owner.workflow, body);
  const all: readonly CoreCommand[] = [
    { kind: "shadow_version", number, patchHash, report: encodeCanonical("fine"), actor },
    { kind: "decide_version", number, patchHash, says: "approve", reason: null, actor },
    { kind: "apply_version", number, waits: false, actor },
    { kind: "swap_version", number, body: bytes },
  ];
  const applied = await owner.execute(all, now);
  invariant(applied.kind === "done", `proposal ${number} of ${owner.workflow} is applied`);
}

/** A turn in which nothing came of what was served. */
function servedOnly(served: readonly number[]): CoreCommand {
  return {
    kind: "commit_frame",
    frame: null,
    served,
    refused: [],
    publishes: [],
    cells: [],
    blobs: [],
    parts: [],
    dueAt: null,
  };
}
