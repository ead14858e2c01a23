/** What can be relied on when an answer was lost. Depends on the service, and on the account. */
export type Guarantee = {
  /** The service can be asked whether the change happened. */
  readonly canReconcile: boolean;
  /** The service tells repeats by their key, and remembers one for so long; null = it does not. */
  readonly idempotency: { readonly retentionMs: number } | null;
  /** From then on a change that happened can be found; null = nobody knows when. */
  readonly visibilityDelayMs: number | null;
};

/** What calls of an operation can rely on, before there is any. */
export type ForeseenGuarantee = {
  /** For which calls, in words; null = for all others. */
  readonly of: string | null;
  readonly guarantee: Guarantee;
};

export const noGuarantee: Guarantee = {
  canReconcile: false,
  idempotency: null,
  visibilityDelayMs: null,
};

export type GuaranteeLabel =
  | "exactly once by key"
  | "at most once, verified"
  | "at most once, asks you";

/** Shown wherever the operation appears. */
export function labelOf({ canReconcile, idempotency }: Guarantee): GuaranteeLabel {
  if (idempotency !== null) return "exactly once by key";
  return canReconcile ? "at most once, verified" : "at most once, asks you";
}

export type ForeseenLabel = { readonly of: string | null; readonly label: GuaranteeLabel };

/** Said once where it is the same for all. */
export function labelsOf(foreseen: readonly ForeseenGuarantee[]): readonly ForeseenLabel[] {
  const labels = foreseen.map(({ of, guarantee }) => ({ of, label: labelOf(guarantee) }));
  const [first] = labels;
  const isOne = first !== undefined && labels.every(({ label }) => label === first.label);
  return isOne ? [{ of: null, label: first.label }] : labels;
}
