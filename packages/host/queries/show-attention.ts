import { decodeCanonical, type MutationRow, type Store } from "@holdfast/core";
import { differingPaths } from "../engine/payload-difference.ts";
import { bytesOf } from "../engine/values.ts";
import type { ApprovedBefore, AttentionDetail, CallItem, EditedBefore } from "./answers.ts";
import { diffValues } from "./diff-values.ts";
import { FoundRows, row } from "./found-rows.ts";
import type { ProposedCall } from "./job-item-answers.ts";
import { findQuestion } from "./list-attention.ts";
import { plainPayload } from "./plain-value.ts";

/** Runs before the one that asks; further back nobody compares. */
const runsLookedAtMax = 20;

/** One question with everything it takes to answer it; null = there is none of that id. */
export async function showAttention(
  store: Store,
  workflow: string,
  attentionId: string,
): Promise<AttentionDetail | null> {
  const item = await findQuestion(store, workflow, attentionId);
  if (item === null) return null;
  const { call, kind } = item;
  const isAsked = kind === "approval" && call !== null;
  const approvedBefore = isAsked ? await findApprovedBefore(store, workflow, call) : null;
  const edited = call === null ? null : await findEditedBefore(store, workflow, call);
  const proposed = kind === "payload_differs" ? await findProposed(store, workflow, call) : null;
  return { ...item, edited, approvedBefore, proposed };
}

/** As it was before the last change, so that it can be compared. */
async function findEditedBefore(
  store: Store,
  workflow: string,
  { approval, params: after }: CallItem,
): Promise<EditedBefore | null> {
  const edited = approval?.edited;
  if (edited === undefined) return null;
  const found = new FoundRows(store, workflow);
  await found.load([row("mutations", edited.from)]);
  const before = found.find("mutations", edited.from);
  if (before === null) return null;
  const params = await plainPayload(store, workflow, before.payload);
  const { mutationId } = before;
  return { mutationId, params, by: edited.by, changes: diffValues(params, after) };
}

/** Both calls side by side: what was made, and what a replay would make now. */
async function findProposed(
  store: Store,
  workflow: string,
  call: { readonly mutationId: string } | null,
): Promise<ProposedCall | null> {
  if (call === null) return null;
  const found = new FoundRows(store, workflow);
  await found.load([row("mutations", call.mutationId)]);
  const made = found.find("mutations", call.mutationId);
  if (!made?.proposed) return null;
  const before = decodeCanonical(await bytesOf(store, workflow, made.payload));
  const after = decodeCanonical(await bytesOf(store, workflow, made.proposed));
  const params = await plainPayload(store, workflow, made.proposed);
  return { params, payloadHash: made.proposed.hash, differs: differingPaths(before, after) };
}

/** The last call for the same inputs that a person agreed to, if it was another one. */
async function findApprovedBefore(
  store: Store,
  workflow: string,
  asked: { readonly mutationId: string; readonly runId: string },
): Promise<ApprovedBefore | null> {
  const found = new FoundRows(store, workflow);
  let runId: string | null = asked.runId;
  for (let count = 0; runId !== null && count < runsLookedAtMax; count++) {
    await found.load([{ kind: "run", runId }]);
    const of: string = runId;
    const calls = found.rows("mutations").filter((each) => each.runId === of);
    const before = lastApproved(calls, asked.mutationId);
    if (before !== null) return shown(store, workflow, before);
    runId = found.find("runs", of)?.retryOf ?? null;
  }
  return null;
}

function lastApproved(calls: readonly MutationRow[], except: string): MutationRow | null {
  const asked = calls.find(({ mutationId }) => mutationId === except);
  const agreed = calls.filter(
    ({ mutationId, approval, payloadHash }) =>
      mutationId !== except &&
      typeof approval?.approvedAt === "number" &&
      payloadHash !== asked?.payloadHash,
  );
  return agreed.sort((a, b) => b.callNo - a.callNo)[0] ?? null;
}

async function shown(
  store: Store,
  workflow: string,
  { mutationId, payload, payloadHash, approval }: MutationRow,
): Promise<ApprovedBefore> {
  const params = await plainPayload(store, workflow, payload);
  const { actor = null, approvedAt = null, preview = "" } = approval ?? {};
  return { mutationId, params, payloadHash, preview, actor, approvedAt };
}
