import { randomUUID } from "node:crypto";
import { type CanonicalValue, encodeCanonical, type Store, type VerdictRow } from "@holdfast/core";
import { idempotencyHeader, type VerdictAnswer, waitHeader } from "@holdfast/protocol";
import type { ApiContext } from "./api-env.ts";
import { expectedOf, stale } from "./if-match.ts";
import { ApiProblem } from "./problem.ts";
import { requireCommandRole } from "./who-asks.ts";

const waitMsDefault = 10_000;
const waitMsMax = 60_000;
const lookMsMin = 2;
const lookMsMax = 100;

export type Asked = {
  readonly commandId: string;
  /** Of the command: who asks may ask for this one, and for no other. */
  readonly kind: string;
  readonly actor: string;
  /** The workflows that who asks may ask something of; null = every one. */
  readonly reach: readonly string[] | null;
  readonly waitMs: number;
  /** What the caller saw of what it asks about; null = it does not mind what is there now. */
  readonly expected: string | null;
  /** The question that is answered; absent = none is. */
  readonly question?: string;
};

/**
 * Who asks, under which name, and how long for. The actor is whoever the token or the visit says,
 * and never what the request says of itself; whether they may is asked here, for every command.
 */
export function askedBy(context: ApiContext, kind: string): Asked {
  const asker = context.get("asker");
  requireCommandRole(asker, kind);
  const waits = Number(context.req.header(waitHeader) ?? waitMsDefault);
  if (!Number.isFinite(waits))
    throw new ApiProblem(400, "REQUEST_INVALID", `${waitHeader}: no number`);
  const commandId = context.req.header(idempotencyHeader) ?? randomUUID();
  const waitMs = Math.min(Math.max(0, waits), waitMsMax);
  const expected = expectedOf(context);
  return { commandId, kind, actor: asker.name, reach: asker.workflows, waitMs, expected };
}

/** Null = nobody has answered a command of this name. */
export async function toldBefore(
  store: Store,
  workflow: string,
  { commandId }: Asked,
): Promise<VerdictAnswer | null> {
  const verdict = await store.findVerdict(workflow, commandId);
  return verdict === null ? null : answerOf(commandId, verdict);
}

/** Whichever way it came by, nothing is asked of a workflow that is not within reach. */
export function requireReachOf({ actor, reach }: Asked, workflow: string): void {
  if (reach === null || reach.includes(workflow)) return;
  throw new ApiProblem(403, "ROLE_TOO_LOW", `${workflow} is not within the reach of ${actor}.`, {
    remedy: "Ask with a token that reaches it: `holdfast token create`.",
  });
}

/** Into the inbox, durably; then waits for what the workflow's owner says to it. */
export async function ask(
  store: Store,
  workflow: string,
  asked: Asked & { readonly body: Readonly<Record<string, CanonicalValue>> },
): Promise<VerdictAnswer> {
  const { commandId, actor, kind, waitMs, expected, question = null } = asked;
  requireReachOf(asked, workflow);
  const isDeciding = expected !== null || question !== null;
  const deciding = isDeciding ? { decidedOn: { question, state: expected } } : {};
  const body = encodeCanonical({ ...asked.body, ...deciding });
  const command = { commandId, workflow, actor, kind, body, at: Date.now() };
  const { verdict } = await store.appendCommand(command);
  const answer = verdict ?? (await waitForVerdict(store, workflow, asked));
  if (answer === null) {
    const note = `taken in; its owner did not answer within ${waitMs} ms`;
    return { commandId, accepted: null, note };
  }
  return answerOf(commandId, answer);
}

function answerOf(commandId: string, { accepted, refusal: code, note }: VerdictRow): VerdictAnswer {
  if (accepted) return { commandId, accepted, note };
  const refusal = code ?? "refused";
  if (refusal === "revision_stale") throw stale(note);
  const remedy =
    refusal === "version_not_minor"
      ? "Nothing was changed; deploy it as a major version (--major)."
      : "Nothing was changed.";
  throw new ApiProblem(409, "COMMAND_REFUSED", note, { refusal, remedy });
}

/** Null = its owner has not answered within the time. */
export async function waitForVerdict(
  store: Store,
  workflow: string,
  { commandId, waitMs }: Pick<Asked, "commandId" | "waitMs">,
): Promise<VerdictRow | null> {
  const until = performance.now() + waitMs;
  for (let pauseMs = lookMsMin; ; pauseMs = Math.min(pauseMs * 2, lookMsMax)) {
    const verdict = await store.findVerdict(workflow, commandId);
    if (verdict !== null || performance.now() >= until) return verdict;
    await new Promise((resume) => setTimeout(resume, pauseMs));
  }
}
