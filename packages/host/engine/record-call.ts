import {
  type CoreCommand,
  decodeCanonical,
  type Instant,
  pinPayload,
  type RecordMutation,
  type RunFailure,
  type TerminalCall,
  type View,
} from "@holdfast/core";
import { askFor, isCovered, pauseFor, verdictOf } from "./judged-call.ts";
import type { Outcome } from "./outcome.ts";
import type { Permissions } from "./permissions.ts";
import type { DescribedCall, OutsideWorld } from "./ports.ts";
import type { Sender } from "./sender.ts";

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
  { preview, keyed, ...described }: DescribedCall,
): Promise<RecordMutation | Extract<CoreCommand, { kind: "pause_run" }>> {
  const { payload, target, connectorVersion } = described;
  const params = decodeCanonical(payload);
  const asked = { connection, operation, params, runId, mutationId: null };
  const judged = await permissions.judge(view, asked);
  const name = `${connection}.${operation}`;
  if (!isCovered(judged)) return pauseFor(runId, name, judged);
  const { amount, fourEyes } = judged;
  const verdict = verdictOf(view, judged, keyed);
  const call = { ...described, kind: "record_mutation", runId, connection, operation } as const;
  if (judged.says !== "ask") return { ...call, verdict, amount, ask: null, described: preview };
  const { hash: payloadHash } = pinPayload(payload).payload;
  const previewed = { operation: name, target, connectorVersion, preview, payloadHash };
  const expiresAt = now + view.policy.approvalMsMax;
  return { ...call, verdict, amount, ask: askFor(previewed, { fourEyes, expiresAt }) };
}

/** What a connector throws before anything was sent is its own mistake. */
export function describeCall(
  outside: OutsideWorld,
  call: TerminalCall,
): DescribedCall | RunFailure {
  try {
    return outside.describe(call);
  } catch (error) {
    const location = `${call.connection}.${call.operation}`;
    return { class: "internal", message: String(error), location };
  }
}

/**
 * The call is recorded and allowed to be sent in one change, where nothing stands in its way.
 * `alone` is what the change is without it.
 */
export function recordedOutcome(
  { sender, runId, now }: Pick<Parts, "runId" | "now"> & { readonly sender: Sender },
  judged: RecordMutation | Extract<CoreCommand, { kind: "pause_run" }>,
  alone: Outcome,
): Outcome {
  const recorded = { ...alone, commands: [...alone.commands, judged], now };
  const leftMs = sender.leftMs();
  if (judged.kind !== "record_mutation" || judged.ask !== null || leftMs === null) return recorded;
  const { timeoutMs, verdict, amount } = judged;
  const times = { now, leftMs, timeoutMs, verdict, amount };
  const send = (after: View) => sender.sendCommand(readyMutation(after, runId), times);
  return {
    ...recorded,
    commands: [...recorded.commands, send],
    // The brake, for instance: then it waits in the ledger.
    onRefused: (refusal) =>
      refusal.code === "brake_is_on" ? recorded : recorded.onRefused(refusal),
  };
}

function readyMutation(view: View, runId: string): string {
  for (const { runId: of, state, mutationId } of view.rows("mutations")) {
    if (of === runId && state === "ready") return mutationId;
  }
  throw new Error(`run ${runId} has a call that was just recorded`);
}
