import type { Payload } from "../view/payload.ts";
import type { Instant } from "../view/rows.ts";
import type { ProposalStatus } from "./proposal-status.ts";

/** A version that somebody wants, and what became of that. */
export type ProposalRow = {
  /** Counted within the workflow; never used twice. */
  number: number;
  status: ProposalStatus;
  /** The number it will have. */
  version: string;
  scriptHash: string;
  /** Script hash of the version it was made against: on any other it is stale. */
  base: string;
  /** Canonical bytes of the whole version but its code; their hash is what is agreed to. */
  body: Payload;
  /** What it does to machines, one text each. */
  changes: readonly string[];
  description: string | null;
  author: string;
  proposedAt: Instant;
  /** Canonical bytes of what the last try of it came to; null = it was not tried. */
  report: Payload | null;
  shadowedBy: string | null;
  shadowedAt: Instant | null;
  decidedBy: string | null;
  decidedAt: Instant | null;
  /** Why it was rejected, or agreed to. */
  reason: string | null;
  /** Who asked to apply it, last. */
  askedBy: string | null;
  askedAt: Instant | null;
  /** Whether it is applied by itself when nothing stands in its way any more. */
  waits: boolean;
  /** Canonical bytes of what stood in its way when it was last to be applied; null = nothing. */
  obstacles: Payload | null;
  appliedAt: Instant | null;
};
