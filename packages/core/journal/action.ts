import type { Instant } from "../view/rows.ts";

/** What the host does after the change that ordered it is durable, and never before. */
export type Action =
  | { readonly kind: "run_phase"; readonly runId: string; readonly phase: RunnablePhase }
  | { readonly kind: "send"; readonly mutationId: string; readonly sendBy: Instant }
  | { readonly kind: "reconcile"; readonly mutationId: string; readonly at: Instant }
  | { readonly kind: "notify"; readonly attentionId: string };

export type RunnablePhase = "prepare" | "mutate" | "next" | "handler";
