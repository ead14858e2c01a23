import { type Grant, ledElsewhere, type WorkflowRow } from "@holdfast/core";
import type { Accounts } from "../accounts.ts";
import { ApiProblem } from "./problem.ts";

/**
 * Connections that would lead to another account, though grants in force name them, a line each:
 * what a person lent of one account is not lent of another.
 */
export function grantedElsewhere(
  accounts: Accounts,
  active: WorkflowRow | null,
  after: { readonly connections: readonly string[]; readonly grants: readonly Grant[] },
): readonly string[] {
  if (active === null) return [];
  const led = ledElsewhere(active.connections ?? [], after.connections);
  return led.flatMap(({ connection, was, is }) => {
    const isDeclared = after.connections.some((text) => text.startsWith(`${connection} (`));
    const leadsNowhere = !isDeclared && accounts.named(connection) === null;
    const named = after.grants
      .filter(({ operation, say }) => say !== "deny" && operation.startsWith(`${connection}.`))
      .map(({ operation }) => operation);
    if (leadsNowhere || named.length === 0) return [];
    const list = [...new Set(named)].join(", ");
    return [`${connection} leads to ${is}, not ${was}; granted are ${list}`];
  });
}

export function notGranted(version: string, elsewhere: readonly string[]): ApiProblem {
  const detail = `Version ${version} would use grants for other accounts: ${elsewhere.join("; ")}.`;
  const remedy =
    "Nothing was changed. Name them anew (--allow, --ask), or keep them knowingly (--keep-grants).";
  const refusal = "grants_for_another_account";
  return new ApiProblem(409, "COMMAND_REFUSED", detail, { refusal, remedy });
}
