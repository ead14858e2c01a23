import type { CanonicalValue } from "../canonical/index.ts";
import type { Instant } from "../view/rows.ts";
import type { RiskTier } from "./risk.ts";

/**
 * What one value of a call must be. A pointer that leads nowhere never fulfills it; what cannot be
 * told, such as a text where a number is meant, fulfills it for a denial only.
 */
export type Constraint = { readonly at: string } & (
  | { readonly equals: CanonicalValue }
  | { readonly oneOf: readonly CanonicalValue[] }
  | { readonly prefix: string }
  /** In the language of pattern.ts; of the whole text. */
  | { readonly pattern: string }
  /** One of the two may be missing. */
  | { readonly min?: number; readonly max?: number }
  /** A record with these names in it, and no others. */
  | { readonly keys: readonly string[] }
);

export const periods = ["run", "hour", "day", "week"] as const;
export type Period = (typeof periods)[number];

/** Windows that move with the time; `run` ends with its run. */
export const periodMs = {
  hour: 3_600_000,
  day: 86_400_000,
  week: 604_800_000,
} as const satisfies Record<Exclude<Period, "run">, number>;

export type Limit = {
  readonly per: Period;
  /** Calls; null = as many as there are. */
  readonly count: number | null;
  /** Sum of the declared amounts; null = whatever it comes to. */
  readonly amount: number | null;
  /** How long the workflow's code may have run; absent = for as long as it does. */
  readonly activeMs?: number;
  /**
   * A budget: all calls of all workflows that are charged to it count, whatever their operation;
   * per run those of the run. Absent = only those of the operation.
   */
  readonly of?: string;
};

/** The budget that a grant's calls are charged to; null = none. */
export function budgetOf({ limits }: Grant): string | null {
  return limits.find(({ of }) => of !== undefined)?.of ?? null;
}

export const grantWords = ["allow", "ask", "deny"] as const;

/** Permission of one workflow to use one operation, under constraints, or its refusal. */
export type Grant = {
  /** `connection.operation`. */
  readonly operation: string;
  readonly say: (typeof grantWords)[number];
  /** All of them must hold. */
  readonly where: readonly Constraint[];
  readonly limits: readonly Limit[];
  /** Where the amount of a call stands; null = it has none. */
  readonly amount: string | null;
  /** Where the result says what it really came to; absent = it is what the call said. */
  readonly spent?: string;
  /** Only while its connector says that it is no riskier; absent = however risky it is. */
  readonly riskMax?: RiskTier;
  /** The approver must not be who deployed or proposed the version. */
  readonly fourEyes: boolean;
  readonly expiresAt: Instant | null;
};

/** What a call was judged by, kept with it. */
export type Verdict = {
  readonly envelope: number;
  /** Its place in the envelope, from 0. */
  readonly grant: number;
  readonly says: "allow" | "ask";
  /** What it is charged to, and how that stood when it was judged; absent = to nothing shared. */
  readonly budget?: BudgetVersion;
  /** Of its grant: where the result says what it came to. */
  readonly spent?: string;
  /** It asks, and whoever had a say in the call may not approve it; absent = anybody may. */
  readonly fourEyes?: boolean;
  /**
   * Hash of how the account that it was judged with has its service tell it from others, and find
   * it. Null = that has changed since it was recorded; absent = nobody could tell.
   */
  readonly keyed?: string | null;
};

/** Moves on with every call that is charged to it: who saw another one has to look again. */
export type BudgetVersion = { readonly name: string; readonly version: number };

/** The shorthand: these operations, whatever their parameters. */
export function plainGrants(say: "allow" | "ask", operations: readonly string[]): Grant[] {
  const plain = { where: [], limits: [], amount: null, fourEyes: false, expiresAt: null };
  return [...new Set(operations)].sort().map((operation) => ({ operation, say, ...plain }));
}
