import {
  brakeOnOperation,
  type InboxEntry,
  parseCommand,
  type RunFailure,
  type Store,
  sayHeld,
  type View,
} from "@holdfast/core";
import { inboxLookMax, isBrakedBy } from "./brake-watch.ts";
import type { FailedRead } from "./ports.ts";

/** A brake keeps a metered call from being made: its run waits until it is off. */
export class Braked {
  readonly failure: RunFailure;

  constructor(failure: RunFailure) {
    this.failure = failure;
  }
}

/**
 * What a metered call waits for, looked for before each, since it costs and carries data out, and
 * its phase may have begun long ago. `afresh` = others have asked for something since that may keep
 * it back: the phase is left, that is folded, and then it is judged anew. Null = nothing is known
 * against it.
 */
export async function holdOf(
  { store, view }: { readonly store: Store; readonly view: View },
  operation: string,
): Promise<Braked | FailedRead | "afresh" | null> {
  const brake = brakeOnOperation(view, operation);
  if (brake !== null) {
    const message = sayHeld(operation, brake);
    return new Braked({ class: "permission", message, location: operation });
  }
  const isAllBraked = (await store.findStoreBrake()) !== null;
  if (isAllBraked) await store.tellOfStoreBrake(view.workflow);
  const entries = await store.readInbox(view.workflow, inboxLookMax);
  if (isBrakedBy(entries, { operation }) || entries.some(setsGrants)) return "afresh";
  if (!isAllBraked) return null;
  // It is behind many others, or was told before: a little later it is known.
  const message = `${operation} is held by the brake on all sending`;
  const failure = { class: "transient", message, location: operation } as const;
  return { says: "failed", failure, retryAt: null };
}

function setsGrants(entry: InboxEntry): boolean {
  const command = parseCommand(entry);
  if ("code" in command) return false;
  if (command.kind === "activate_version") return (command.grants ?? null) !== null;
  return command.kind === "set_envelope";
}
