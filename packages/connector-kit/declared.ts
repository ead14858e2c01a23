import type { OperationKind, RiskTier } from "@holdfast/core";

/** What a call can be narrowed to: where to, about what, with which content. */
export type Scope = {
  readonly name: string;
  /**
   * Where it stands in the parameters, so that a grant can hold it. Null = no grant can: the
   * account says it, or the service.
   */
  readonly at: string | null;
};

/** What an operation is for whoever grants it. */
export type Declared = {
  /** What it gives power over, such as `mail:send`. */
  readonly capability: string;
  readonly risk: RiskTier;
  readonly scopes: readonly Scope[];
};

/** Nobody has looked: a change may do anything. */
const riskUnsaid: Readonly<Record<OperationKind, RiskTier>> = {
  "read:list": "low",
  "read:byId": "low",
  "read:byKey": "low",
  metered: "medium",
  mutation: "high",
};

type Given = Partial<Declared> & { readonly kind: OperationKind };

export function declaredOf(
  connector: string,
  operation: string,
  { kind, capability, risk, scopes }: Given,
): Declared {
  return {
    capability: capability ?? `${connector}:${operation}`,
    risk: risk ?? riskUnsaid[kind],
    scopes: scopes ?? [],
  };
}
