import type { CanonicalValue, Instant, MutationRow, Policy, Store } from "@holdfast/core";
import {
  type AttentionDetail,
  type ConnectedWorld,
  diffValues,
  editCall,
  showAttention,
} from "@holdfast/host";
import { type EditAnswer, type EditRequest, editRequest } from "@holdfast/protocol";
import { Hono } from "hono";
import type { ApiContext, ApiEnv } from "./api-env.ts";
import { ask, askedBy, toldBefore } from "./asking.ts";
import { ApiProblem } from "./problem.ts";
import { readBody } from "./read-body.ts";

export type EditParts = {
  readonly store: Store;
  /** The outside of the version that is active; null = there is none. */
  readonly activeWorld: (workflow: string) => Promise<ConnectedWorld | null>;
  readonly policies: { of(workflow: string): Policy };
  readonly now: () => Instant;
};

type Edited = {
  readonly workflow: string;
  readonly mutation: MutationRow;
  readonly given: EditRequest;
};

/**
 * Other parameters for a call that waits for an approval. What a person writes is read and judged
 * like what a script says, and somebody has to agree to it all the same.
 */
export function edits(parts: EditParts): Hono<ApiEnv> {
  const app = new Hono<ApiEnv>();
  app.post("/:workflow/attention/:id/edit", async (context) => {
    const given = await readBody(context, editRequest);
    const answer = await edit(parts, context, given);
    return context.json(answer, answer.accepted === null && !given.preview ? 202 : 200);
  });
  return app;
}

async function edit(
  parts: EditParts,
  context: ApiContext,
  given: EditRequest,
): Promise<EditAnswer> {
  const { store } = parts;
  const { workflow = "", id: attentionId = "" } = context.req.param();
  const asked = askedBy(context, "edit_mutation");
  const told = await toldBefore(store, workflow, asked);
  if (told !== null) return { ...told, changes: [], question: null };
  const shown = await showAttention(store, workflow, attentionId);
  const mutation = await waitingCall(store, { workflow, attentionId, shown });
  const changes = diffValues(shown?.call?.params ?? null, given.params);
  const body = await editedBody(parts, { workflow, mutation, given });
  if (given.preview) {
    return { commandId: asked.commandId, accepted: null, note: "", changes, question: null };
  }
  const verdict = await ask(store, workflow, { ...asked, question: attentionId, body });
  return { ...verdict, changes, question: await questionAfter(store, workflow, mutation) };
}

async function editedBody(
  { store, activeWorld, policies, now }: EditParts,
  { workflow, mutation, given }: Edited,
): Promise<Readonly<Record<string, CanonicalValue>>> {
  const outside = await activeWorld(workflow);
  if (outside === null) throw refused("workflow_not_created", `${workflow} has no version.`);
  const policy = policies.of(workflow);
  const params = JSON.stringify(given.params);
  const editedHash = given.payloadHash;
  const edited = await editCall({ store, outside, policy, now: now() }, workflow, {
    mutation,
    editedHash,
    params,
  });
  if ("why" in edited) throw notMade(edited.why);
  return edited as unknown as Readonly<Record<string, CanonicalValue>>;
}

async function waitingCall(
  store: Store,
  {
    workflow,
    attentionId,
    shown,
  }: {
    readonly workflow: string;
    readonly attentionId: string;
    readonly shown: AttentionDetail | null;
  },
): Promise<MutationRow> {
  const isOpen = shown !== null && shown.closedAt === null && shown.kind === "approval";
  const key = [isOpen ? (shown.subject ?? "") : ""];
  const { rows } = await store.load(workflow, [{ kind: "row", table: "mutations", key }]);
  const found = rows.find((each) => each.table === "mutations");
  if (found?.table === "mutations") return found.row;
  throw refused("attention_not_found", `There is no open question ${attentionId} about a call.`);
}

/** What is asked now; null = the owner has not come to it. */
async function questionAfter(
  store: Store,
  workflow: string,
  { runId, mutationId }: MutationRow,
): Promise<string | null> {
  const { rows } = await store.load(workflow, [{ kind: "run", runId }, { kind: "base" }]);
  const next = rows.find(
    (each) => each.table === "mutations" && each.row.approval?.edited?.from === mutationId,
  );
  const asks = rows.find(
    (each) =>
      each.table === "attentions" &&
      next?.table === "mutations" &&
      each.row.subject === next.row.mutationId,
  );
  return asks?.table === "attentions" ? asks.row.attentionId : null;
}

function notMade(why: string): ApiProblem {
  return new ApiProblem(422, "REQUEST_INVALID", `The edited call cannot be made: ${why}.`, {
    remedy: "Nothing was changed; the call waits as it was.",
  });
}

function refused(refusal: string, text: string): ApiProblem {
  return new ApiProblem(409, "COMMAND_REFUSED", text, { refusal, remedy: "Nothing was changed." });
}
