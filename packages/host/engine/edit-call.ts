import {
  type Ask,
  type CallToRecord,
  decodeCanonical,
  type Instant,
  invariant,
  type MutationRow,
  type Policy,
  pinPayload,
  type Store,
  View,
} from "@holdfast/core";
import { askFor, isCovered, verdictOf } from "./judged-call.ts";
import { Permissions } from "./permissions.ts";
import type { OutsideWorld } from "./ports.ts";

type Parts = {
  readonly store: Store;
  readonly outside: Pick<OutsideWorld, "describe" | "riskOf">;
  readonly policy: Pick<Policy, "approvalMsMax">;
  readonly now: Instant;
};

/** What `edit_mutation` has to say besides who asks. */
export type EditedCall = Omit<CallToRecord, "connection" | "operation"> & {
  readonly mutationId: string;
  readonly editedHash: string;
  readonly ask: Ask;
};

/**
 * A call that waits for an approval, with other parameters: read by its connector and judged by
 * the grants in force, as the script's own was. A reason means that it may not be made.
 */
export async function editCall(
  { store, outside, policy, now }: Parts,
  workflow: string,
  {
    mutation,
    editedHash,
    params,
  }: { readonly mutation: MutationRow; readonly editedHash: string; readonly params: string },
): Promise<EditedCall | { readonly why: string }> {
  const { connection, operation, mutationId, runId } = mutation;
  const described = outside.describe({ connection, operation, params });
  if ("class" in described) return { why: described.message };
  const { preview, keyed, ...call } = described;
  const loaded = await store.load(workflow, [{ kind: "base" }]);
  invariant(loaded !== null, `${workflow} has a call that waits`);
  const view = View.fromLoaded(loaded);
  const permissions = new Permissions({ store, outside, clock: { now: () => now } });
  const sent = decodeCanonical(call.payload);
  const named = { connection, operation, params: sent, runId, mutationId };
  const judged = await permissions.judge(view, named);
  if (!isCovered(judged)) return { why: judged.why };
  const { amount, fourEyes } = judged;
  const { target, connectorVersion, payload } = call;
  const { hash: payloadHash } = pinPayload(payload).payload;
  const name = `${connection}.${operation}`;
  const previewed = { operation: name, target, connectorVersion, preview, payloadHash };
  const ask = askFor(previewed, { fourEyes, expiresAt: now + policy.approvalMsMax });
  const verdict = verdictOf(view, judged, keyed);
  return { ...call, mutationId, editedHash, verdict, amount, ask };
}
