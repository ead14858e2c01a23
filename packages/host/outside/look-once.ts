import type { MutationRow, Store } from "@holdfast/core";
import type { Finding, OutsideWorld } from "../engine/ports.ts";
import { callOf } from "../engine/sender.ts";
import { bytesOf } from "../engine/values.ts";
import { within } from "../engine/within.ts";
import type { Timers } from "../membership/time.ts";

/** A person waits for it. */
const lookMsMax = 8_000;

/**
 * One look at the service, for a person who says what became of a call. It decides nothing: what
 * it saw goes into the command that they give.
 */
export async function lookOnce(
  { store, timers }: { readonly store: Pick<Store, "loadBlob">; readonly timers: Timers },
  world: Pick<OutsideWorld, "reconcile">,
  { workflow, mutation }: { readonly workflow: string; readonly mutation: MutationRow },
): Promise<Finding> {
  const call = callOf(mutation, await bytesOf(store, workflow, mutation.payload));
  const waited = await within(timers, { ms: lookMsMax }, (signal) => world.reconcile(call, signal));
  if (waited.kind === "answer") return waited.value;
  return { says: "unreachable", note: `no answer within ${lookMsMax} ms` };
}
