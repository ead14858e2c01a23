import type { Census } from "@holdfast/core";

/** Workflows that a host may own beyond its share before it hands any over: moving costs more. */
const slackShare = 0.1;
const slackMin = 1;

export type FairShare = {
  /** As many as this host should own now; all hosts' shares together cover all that is to do. */
  readonly share: number;
  /** How many it may claim at once; beyond that it leaves them to others for a while. */
  readonly mayClaim: number;
  /** How many it should hand over. */
  readonly handOver: number;
};

/** What one host, which owns `mine`, may take and should give, so that all own about as much. */
export function fairShare({ hosts, owned, waiting }: Census, mine: number): FairShare {
  // The count may be a moment older than this host's own claims, or than its last heartbeat.
  const total = Math.max(owned, mine) + waiting;
  const share = Math.ceil(total / Math.max(1, hosts));
  return {
    share,
    mayClaim: Math.min(waiting, Math.max(0, share - mine)),
    handOver: Math.max(0, mine - share - slackOf(share)),
  };
}

/** Nobody owns more than its share and this, once everything has settled. */
export function slackOf(share: number): number {
  return Math.max(slackMin, Math.ceil(share * slackShare));
}
