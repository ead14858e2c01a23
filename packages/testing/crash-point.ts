import { type Change, decodeCanonical } from "@holdfast/core";

/** What a host comes by: a commit, or one of the two ways to the outside. */
export type Boundary = {
  readonly when: "before" | "after";
  readonly what: "commit" | "read" | "send" | "reconcile";
  /** Kinds of the facts in the commit, or the operation. */
  readonly names: readonly string[];
};

/** A commit with this fact is what the word of a crash point means. */
const factOf = {
  prepared: "run_prepared",
  in_flight: "mutation_sent",
  applied: "mutation_applied",
  committed: "run_committed",
  frame: "machine_frame_committed",
} as const;

/**
 * Where a host can be told to die: before or after a read or a send reached the service, or
 * before or after it became durable that a run is prepared or committed, a mutation in flight or
 * applied, or what machines did (`frame`). Several may be one commit.
 */
export type CrashPoint = `${"before" | "after"} ${keyof typeof factOf | "read" | "send"}`;

export const crashPoints: readonly CrashPoint[] = (["before", "after"] as const).flatMap((when) =>
  (["read", "prepared", "in_flight", "send", "applied", "committed", "frame"] as const).map(
    (what): CrashPoint => `${when} ${what}`,
  ),
);

export function isAt(point: CrashPoint, { when, what, names }: Boundary): boolean {
  const [wantedWhen, wanted] = point.split(" ") as [Boundary["when"], keyof typeof factOf];
  if (wantedWhen !== when) return false;
  return what === "commit" ? names.includes(factOf[wanted]) : wanted === (what as string);
}

export function describeBoundary({ when, what, names }: Boundary): string {
  if (what !== "commit") return `${when} the ${what} of ${names.join()}`;
  return `${when} the commit of ${names.length === 0 ? "nothing new" : names.join(", ")}`;
}

export function factKinds(changes: readonly Change[]): readonly string[] {
  return changes.flatMap(({ records }) =>
    records.map(({ bytes }) => (decodeCanonical(bytes) as unknown as Envelope).fact.kind),
  );
}

type Envelope = { readonly fact: { readonly kind: string } };
