import { randomUUID } from "node:crypto";
import { type CanonicalValue, encodeCanonical, type Store, type VerdictRow } from "@holdfast/core";
import { actorHeader, idempotencyHeader, type VerdictAnswer, waitHeader } from "@holdfast/protocol";
import type { Context } from "hono";
import { ApiProblem } from "./problem.ts";

const waitMsDefault = 10_000;
const waitMsMax = 60_000;
const lookMsMin = 2;
const lookMsMax = 100;

export type Asked = {
  readonly commandId: string;
  readonly actor: string;
  readonly waitMs: number;
};

/** Who asks, under which name, and how long for. */
export function askedBy(context: Context): Asked {
  const waits = Number(context.req.header(waitHeader) ?? waitMsDefault);
  if (!Number.isFinite(waits))
    throw new ApiProblem(400, "REQUEST_INVALID", `${waitHeader}: no number`);
  const actor = context.req.header(actorHeader) ?? "operator";
  const commandId = context.req.header(idempotencyHeader) ?? randomUUID();
  return { commandId, actor, waitMs: Math.min(Math.max(0, waits), waitMsMax) };
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

/** Into the inbox, durably; then waits for what the workflow's owner says to it. */
export async function ask(
  store: Store,
  workflow: string,
  asked: Asked & { readonly kind: string; readonly body: CanonicalValue },
): Promise<VerdictAnswer> {
  const { commandId, actor, kind, waitMs } = asked;
  const body = encodeCanonical(asked.body);
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
  const remedy =
    refusal === "version_not_minor"
      ? "Nothing was changed; deploy it as a major version (--major)."
      : "Nothing was changed.";
  throw new ApiProblem(409, "COMMAND_REFUSED", note, { refusal, remedy });
}

async function waitForVerdict(
  store: Store,
  workflow: string,
  { commandId, waitMs }: Asked,
): Promise<VerdictRow | null> {
  const until = performance.now() + waitMs;
  for (let pauseMs = lookMsMin; ; pauseMs = Math.min(pauseMs * 2, lookMsMax)) {
    const verdict = await store.findVerdict(workflow, commandId);
    if (verdict !== null || performance.now() >= until) return verdict;
    await new Promise((resume) => setTimeout(resume, pauseMs));
  }
}
