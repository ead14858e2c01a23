import {
  type CoreCommand,
  decodeCanonical,
  type Instant,
  pinPayload,
  type RecordMutation,
  type TerminalCall,
  type View,
} from "@holdfast/core";
import { askFor, isCovered, pauseFor, verdictOf } from "./judged-call.ts";
import type { Permissions } from "./permissions.ts";
import type { DescribedCall } from "./ports.ts";

type Parts = {
  readonly view: View;
  readonly permissions: Permissions;
  readonly runId: string;
  readonly now: Instant;
};

/**
 * What becomes of a call that a script makes: it is recorded, to be sent or to be asked about, or
 * its run waits. Judged by the bytes that would be sent, not by what the script said.
 */
export async function recordOf(
  { view, permissions, runId, now }: Parts,
  { connection, operation }: TerminalCall,
  { preview, ...described }: DescribedCall,
): Promise<RecordMutation | Extract<CoreCommand, { kind: "pause_run" }>> {
  const { payload, target, connectorVersion } = described;
  const params = decodeCanonical(payload);
  const call = { connection, operation, params, runId, mutationId: null };
  const judged = await permissions.judge(view, call);
  const name = `${connection}.${operation}`;
  if (!isCovered(judged)) return pauseFor(runId, name, judged);
  const { amount, fourEyes } = judged;
  const { hash: payloadHash } = pinPayload(payload).payload;
  const previewed = { operation: name, target, connectorVersion, preview, payloadHash };
  const expiresAt = now + view.policy.approvalMsMax;
  return {
    kind: "record_mutation",
    runId,
    connection,
    operation,
    ...described,
    verdict: verdictOf(view, judged),
    amount,
    ask: judged.says === "ask" ? askFor(previewed, { fourEyes, expiresAt }) : null,
  };
}
