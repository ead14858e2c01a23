import { invariant } from "@holdfast/core";

/** What came from an idle host while it was watched. */
export type Watched = {
  readonly ms: number;
  readonly leaseMs: number;
  readonly pollMs: number;
  /** Of every request; "" = the end of a connection, which is no statement. */
  readonly sql: readonly string[];
  /** Connections that were made. */
  readonly connectionCount: number;
};

export type IdleCount = {
  readonly seconds: number;
  /** Heartbeats and polls, no more than should come. */
  readonly expected: number;
  /** Heartbeats and polls too many, every other statement, and every new connection. */
  readonly beyond: number;
};

/** A host beats three times per lease. */
const beatsPerLease = 3;

export function countIdle({ ms, leaseMs, pollMs, sql, connectionCount }: Watched): IdleCount {
  const sent = sql.filter((each) => each !== "");
  const beats = sent.filter((each) => each.includes("heartbeat_1")).length;
  const polls = sent.filter((each) => each.includes("census_1")).length;
  invariant(beats > 0 && polls > 0, "the host is alive and looks for work");
  // One more than whole periods: the first may come right at the start.
  const countMax = (periodMs: number) => 1 + Math.floor(ms / periodMs);
  const expected =
    Math.min(beats, countMax(leaseMs / beatsPerLease)) + Math.min(polls, countMax(pollMs));
  return { seconds: ms / 1_000, expected, beyond: sent.length - expected + connectionCount };
}
