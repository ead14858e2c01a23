import { admitId, admitSize } from "../policy/admit.ts";
import { policyDefaults } from "../policy/policy.ts";
import type { Command } from "../ports/store.ts";

/**
 * Why a command cannot be taken in, or null. Its verdict will record these texts, so a heading
 * that cannot be recorded would stand in the inbox for ever and hold up everything behind it.
 */
export function admitHeading(command: Command): string | null {
  const { commandId, workflow, actor, kind, body, at } = command;
  if (!Number.isSafeInteger(at)) return "The time is not a whole number of milliseconds.";
  const refusal =
    admitId(policyDefaults, "command id", commandId) ??
    admitId(policyDefaults, "workflow", workflow) ??
    admitId(policyDefaults, "actor", actor) ??
    admitId(policyDefaults, "kind", kind) ??
    admitSize("command body in bytes", body.length, policyDefaults.commandBytesMax);
  return refusal?.note ?? null;
}
