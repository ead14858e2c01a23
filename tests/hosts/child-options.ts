/**
 * Ways to break a host on purpose, to show that the checks would see it. ack-before-commit: says
 * "durable" before it is. ignore-epoch: a store that takes changes of any owner. slow-clock: the
 * host's monotonic clock runs slower than the store's, so that it believes in its lease too long.
 */
export const breakages = ["ack-before-commit", "ignore-epoch", "slow-clock"] as const;
export type Breakage = (typeof breakages)[number];

/** Handed to a child as its only argument. */
export type ChildOptions = {
  readonly name: string;
  readonly url: string;
  readonly outsidePath: string;
  readonly leaseMs: number;
  readonly workflowCount: number;
  /** How long a workflow has nothing to do before its producer runs again, on the average. */
  readonly periodMs: number;
  /** Of so many workflows one is released while it has nothing to do; 0 = none. */
  readonly restEvery: number;
  /** owns: claims workflows and does nothing with them. */
  readonly work: "runs" | "owns";
  readonly breakage: Breakage | null;
  /** Stops itself where it comes to this hook first; null = it waits to be told. */
  readonly stopAt: string | null;
};

/** What a child may be told later, one line of JSON each. */
export type ChildOrder =
  /** Stop with SIGSTOP where it next comes to this hook. */
  | { readonly kind: "stop_at"; readonly hook: string }
  /** Bring all to rest, hand it over and end. */
  | { readonly kind: "leave" }
  | { readonly kind: "take_checkpoint" }
  /** Look at the store's own structures, as a verification does. */
  | { readonly kind: "find_damage" }
  /** The next claim is made, but its answer gets lost. */
  | { readonly kind: "lose_claim" };
