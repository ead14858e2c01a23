import {
  type AskedCell,
  type AttentionRow,
  askedCell,
  type CanonicalValue,
  heldIntent,
  isAboutStale,
  type Store,
} from "@holdfast/core";
import { showAttention } from "@holdfast/host";
import type { AnswerRequest } from "@holdfast/protocol";
import { ApiProblem } from "./problem.ts";

type Command = {
  readonly kind: string;
  readonly body: Readonly<Record<string, CanonicalValue>>;
};

/** Who agreed to another call than the one that would be made is shown both. */
export async function withBothCalls(
  store: Store,
  workflow: string,
  { attentionId, given, error }: { attentionId: string; given: AnswerRequest; error: unknown },
): Promise<unknown> {
  const differs = error instanceof ApiProblem && error.more.refusal === "payload_differs";
  if (!differs) return error;
  const shown = await showAttention(store, workflow, attentionId);
  const before = shown?.approvedBefore ?? null;
  const isKnown = before !== null && before.payloadHash === given.payloadHash;
  const asked = JSON.stringify(shown?.call?.params ?? null);
  const agreed = isKnown ? JSON.stringify(before.params) : given.payloadHash;
  const detail = `The question is about ${asked}; agreed to was ${agreed}.`;
  return new ApiProblem(error.status, error.code, detail, error.more);
}

/** The command that a person's answer to an open question stands for. */
export async function commandOfAnswer(
  store: Store,
  workflow: string,
  { attentionId, given }: { readonly attentionId: string; readonly given: AnswerRequest },
): Promise<Command> {
  const question = await load(store, workflow, attentionId);
  if (question === null || question.closedAt !== null) {
    throw refused("attention_not_found", `There is no open question ${attentionId}.`);
  }
  if (!question.answers.includes(given.answer)) {
    const answers = question.answers.join(", ");
    throw refused("command_malformed", `${attentionId} can be answered with: ${answers}.`);
  }
  if (question.kind === "approval") {
    return approval(question.subject ?? "", given);
  }
  if (question.kind === "ledger_may_be_older_than_world") {
    return { kind: "continue_restored", body: { attentionId } };
  }
  if (question.kind === "payload_differs") {
    return commandOfItem(store, workflow, question.subject ?? "", given);
  }
  if (isAboutStale(question)) return { kind: "acknowledge", body: { attentionId } };
  const cell = askedCell(question);
  if (cell !== null) return restartOf(cell, given);
  const held = heldIntent(question);
  if (held !== null && given.answer === "resume") {
    return { kind: "acknowledge", body: { attentionId } };
  }
  if (held !== null) return { kind: "cancel_intent", body: { intentId: held.intentId } };
  if (question.subject === null) return commandOfWorkflow(store, workflow, given);
  if (given.answer === "cancel") return cancelOf(store, workflow, question.subject);
  return commandOf(question, question.subject, given);
}

/** A question about the workflow itself: it goes on, or gives up the run that stands there. */
async function commandOfWorkflow(
  store: Store,
  workflow: string,
  { answer }: AnswerRequest,
): Promise<Command> {
  if (answer !== "stop") return { kind: "resume_workflow", body: {} };
  const { rows } = await store.load(workflow, [{ kind: "base" }]);
  const open = rows.find((each) => each.table === "runs" && each.row.open);
  if (open?.table !== "runs") throw refused("run_not_found", "No run is open.");
  return { kind: "stop_run", body: { runId: open.row.runId } };
}

function restartOf({ machine, key }: AskedCell, { answer }: AnswerRequest): Command {
  const bytes = key === null ? null : new Uint8Array(Buffer.from(key, "hex"));
  const poison = answer === "drop" ? "drop" : "redeliver";
  return { kind: "restart_cell", body: { machine, key: bytes, poison } };
}

/** Of a machine's call: the run of an intent has it as its item. */
async function cancelOf(store: Store, workflow: string, runId: string): Promise<Command> {
  const { rows } = await store.load(workflow, [{ kind: "row", table: "runs", key: [runId] }]);
  const [run] = rows.flatMap((each) => (each.table === "runs" ? [each.row] : []));
  return { kind: "cancel_intent", body: { intentId: run?.itemId ?? "" } };
}

/** A replay of an item wants other parameters; whoever accepts them names those they were shown. */
async function commandOfItem(
  store: Store,
  workflow: string,
  mutationId: string,
  { answer, payloadHash }: AnswerRequest,
): Promise<Command> {
  const { rows } = await store.load(workflow, [
    { kind: "row", table: "mutations", key: [mutationId] },
  ]);
  const [call] = rows.flatMap((each) => (each.table === "mutations" ? [each.row] : []));
  const itemId = call?.itemId ?? "";
  if (answer === "skip") return { kind: "skip_item", body: { itemId } };
  if (answer === "reprocess") return { kind: "reprocess_items", body: { itemIds: [itemId] } };
  if (payloadHash === undefined) {
    throw incomplete("payloadHash", "accepting names the parameters that were shown");
  }
  return { kind: "accept_payload", body: { itemId, payloadHash } };
}

function commandOf(
  { attentionId, kind }: AttentionRow,
  subject: string,
  given: AnswerRequest,
): Command {
  if (kind === "happened_after_all") return { kind: "acknowledge", body: { attentionId } };
  if (kind === "outcome_unknown" || kind === "may_have_happened") {
    const { answer: says, reason: _, payloadHash: __, previewHash: ___, ...more } = given;
    const said: Record<string, CanonicalValue> = { says };
    for (const [name, value] of Object.entries(more)) {
      if (value !== undefined) said[name] = value;
    }
    return { kind: "resolve_mutation", body: { mutationId: subject, answer: said } };
  }
  return { kind: runCommands[given.answer] ?? "stop_run", body: { runId: subject } };
}

const runCommands: Readonly<Record<string, string>> = { resume: "resume_run", retry: "retry_run" };

/** Of exactly the bytes and the preview that the person was shown. */
function approval(mutationId: string, given: AnswerRequest): Command {
  if (given.answer === "reject") {
    const { reason = "", then } = given;
    if (then !== "skip" && then !== "stop") {
      throw incomplete("then", "say what is to be done instead: skip or stop");
    }
    return { kind: "reject_mutation", body: { mutationId, reason, then } };
  }
  if (given.answer === "edit") {
    throw incomplete("answer", "an edit has parameters, and goes to the question's own /edit");
  }
  const { payloadHash, previewHash } = given;
  if (payloadHash === undefined || previewHash === undefined) {
    throw incomplete("payloadHash", "an approval names the bytes and the preview that were shown");
  }
  return { kind: "approve_mutation", body: { mutationId, payloadHash, previewHash } };
}

function refused(refusal: string, text: string): ApiProblem {
  return new ApiProblem(409, "COMMAND_REFUSED", text, { refusal, remedy: "Nothing was changed." });
}

function incomplete(field: string, why: string): ApiProblem {
  const remedy = "Look at it first: holdfast approve, holdfast edit, holdfast reject.";
  return new ApiProblem(422, "REQUEST_INVALID", `${field}: ${why}.`, { remedy });
}

async function load(store: Store, workflow: string, id: string): Promise<AttentionRow | null> {
  const need = { kind: "row", table: "attentions", key: [id] } as const;
  const { rows } = await store.load(workflow, [need]);
  const found = rows.find((each) => each.table === "attentions");
  return found?.table === "attentions" ? found.row : null;
}
