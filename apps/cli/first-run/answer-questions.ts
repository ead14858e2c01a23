import { setTimeout as wait } from "node:timers/promises";
import type { QuestionsAnswer, VerdictAnswer } from "@holdfast/protocol";
import { questionPath } from "../commands/approve.ts";
import { type HostClient, HostProblem } from "../host-client.ts";
import { example } from "./deploy-example.ts";
import { ignoreAbort } from "./ignore-abort.ts";

type Question = QuestionsAnswer["items"][number];

/** Agrees to every call, lets go on what stopped because of the kills; how many it were. */
export async function answerQuestions(client: HostClient, gone: AbortSignal): Promise<number> {
  try {
    const path = `/workflows/${example}/attention`;
    const { items } = await client.get<QuestionsAnswer>(path, { status: "open" });
    const known = items.flatMap((question) => answerTo(question) ?? []);
    for (const { question, body } of known) {
      await client.post<VerdictAnswer>(questionPath(example, question), body);
    }
    return known.length;
  } catch (error) {
    if (await isPassing(error, gone)) return 0;
    throw error;
  }
}

/** By then a host that was killed is known to be gone. */
const goneMsMax = 2_000;

/** Null = what is asked there nobody can know who does not look. */
function answerTo({ attentionId: question, kind, call }: Question) {
  if (kind === "crash_loop") return { question, body: { answer: "resume" } };
  if (kind !== "approval" || call?.approval == null) return null;
  const { payloadHash, previewHash } = call.approval;
  return { question, body: { answer: "approve", payloadHash, previewHash } };
}

/** The host is not that far, somebody answered before, or it was killed while it was asked. */
async function isPassing(error: unknown, gone: AbortSignal): Promise<boolean> {
  const code = error instanceof HostProblem ? error.problem.code : "";
  if (code === "WORKFLOW_UNKNOWN" || code === "COMMAND_REFUSED") return true;
  await wait(goneMsMax, undefined, { signal: gone }).catch(ignoreAbort);
  return gone.aborted;
}
