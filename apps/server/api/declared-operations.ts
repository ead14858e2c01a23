import type { Declared } from "@holdfast/connector-kit";
import type { Constraint, Grant } from "@holdfast/core";
import type { GrantsAnswer } from "@holdfast/protocol";
import type { Accounts } from "../accounts.ts";
import type { OpenedScript } from "../ports.ts";

type Parts = {
  readonly accounts: Accounts;
  readonly activeScript: (workflow: string) => Promise<OpenedScript | null>;
};

/** What a connector declares of `connection.operation`; null = there is none. */
export type FindDeclared = (operation: string) => Declared | null;

/** By the names that the active version has for its connections. */
export async function declaredIn(parts: Parts, workflow: string): Promise<FindDeclared> {
  const script = await parts.activeScript(workflow);
  const declared = parts.accounts.declaredOf(script?.manifest.connections ?? []);
  return (operation) => {
    const dot = operation.indexOf(".");
    const ofConnection = declared.get(operation.slice(0, dot)) ?? {};
    const name = operation.slice(dot + 1);
    return Object.hasOwn(ofConnection, name) ? (ofConnection[name] ?? null) : null;
  };
}

type About = GrantsAnswer["about"][number];

/** How far a grant narrows what its operation can be narrowed to: read from the grant itself. */
export function narrowedBy({ where }: Grant, declared: Declared | null): About {
  if (declared === null) return null;
  const { capability, risk, scopes } = declared;
  const namesOf = (isSo: (at: string | null) => boolean) => {
    return scopes.filter(({ at }) => isSo(at)).map(({ name }) => name);
  };
  const isHeld = (at: string | null) => at !== null && where.some((each) => holds(each, at));
  return {
    capability,
    risk,
    limited: namesOf(isHeld),
    open: namesOf((at) => at !== null && !isHeld(at)),
    unenforceable: namesOf((at) => at === null),
  };
}

/** The value itself, a part of it, or all that it is a part of. */
function holds(constraint: Constraint, at: string): boolean {
  if (constraint.at === at || constraint.at.startsWith(`${at}/`)) return true;
  const isExact = "equals" in constraint || "oneOf" in constraint;
  return isExact && at.startsWith(`${constraint.at}/`);
}
