import type { Store } from "@holdfast/core";
import type { MembershipPolicy } from "./membership-policy.ts";
import type { Ownership } from "./ownership.ts";
import type { MonotonicClock, Timers } from "./time.ts";

export type MembershipOptions = {
  readonly store: MembershipStore;
  /** Never used before: the caller puts a random part into it. */
  readonly incarnation: string;
  readonly leaseMs: number;
  /** Workflows this host owns at most at once. */
  readonly capacity: number;
  readonly clock: MonotonicClock;
  readonly timers: Timers;
  readonly policy?: MembershipPolicy;
  readonly listener: MembershipListener;
};

/** The part of the store's port that is about hosts. */
export type MembershipStore = Pick<
  Store,
  | "openHost"
  | "heartbeat"
  | "closeHost"
  | "claim"
  | "claimOne"
  | "release"
  | "nextDueAt"
  | "census"
  | "watch"
  | "listWorkflows"
>;

/** What runs the workflows. A call that throws is a mistake of its own and stops the process. */
export type MembershipListener = {
  /** This host owns the workflow from now on; one that it named itself need not be due. */
  onClaim(ownership: Ownership, how: { readonly isNamed: boolean }): void;
  /** A command may have come for a workflow that this host owns. */
  onWake(workflow: string): void;
  /** Whether the workflow is at rest, so that another host may go on with it. */
  mayHandOver(workflow: string): boolean;
  /** Its ownership has ended; another host will have it. */
  onHandOver(workflow: string): void;
  /** They have work to do, but their journals hold facts that this program does not know. */
  onTooNew(workflows: readonly string[]): void;
  /** A call of the store failed; it will be made again. */
  onTrouble(trouble: Trouble): void;
  /** Once: every ownership has ended, and nothing more may be performed. */
  onLost(reason: LostReason): void;
};

export type Trouble = { readonly doing: StoreCall; readonly cause: unknown };

export type StoreCall = Exclude<keyof MembershipStore, "openHost" | "closeHost" | "watch">;

export type LostReason =
  /** The store answered that the lease had ended. */
  | { readonly kind: "lease_refused" }
  /** No heartbeat got through in time. `causes`: what became of those since the last good one. */
  | { readonly kind: "lease_ran_out"; readonly causes: readonly unknown[] };
