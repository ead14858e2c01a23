/** What hosts were told about who owns what, and whether all of it can be true at once. */
type Span = { readonly startedAt: number; readonly endedAt: number };

type Claimed = Span & {
  readonly workflow: string;
  readonly epoch: number;
  readonly host: string;
  readonly unclean: boolean;
};

/** Null = all that the host owned. */
type Released = Span & { readonly host: string; readonly workflow: string | null };

type Committed = Span & { readonly workflow: string; readonly epoch: number };

export class ClaimHistory {
  readonly leaseMs: number;
  readonly #claims: Claimed[] = [];
  readonly #commits: Committed[] = [];
  readonly #releases: Released[] = [];
  /** The latest moment at which a call began that granted the host its lease. */
  readonly #grants = new Map<string, number>();
  readonly #graves = new Map<string, number>();

  constructor(leaseMs: number) {
    this.leaseMs = leaseMs;
  }

  get claimCount(): number {
    return this.#claims.length;
  }

  get uncleanCount(): number {
    return this.#claims.filter(({ unclean }) => unclean).length;
  }

  get commitCount(): number {
    return this.#commits.length;
  }

  addClaim(claimed: Claimed): void {
    this.#claims.push(claimed);
  }

  addCommit(committed: Committed): void {
    this.#commits.push(committed);
  }

  addRelease(released: Released): void {
    this.#releases.push(released);
  }

  addGrant(host: string, startedAt: number): void {
    this.#grants.set(host, Math.max(this.#grants.get(host) ?? 0, startedAt));
  }

  addGrave(host: string, at: number): void {
    this.#graves.set(host, Math.min(this.#graves.get(host) ?? at, at));
  }

  findProblems(): string[] {
    const byWorkflow = Map.groupBy(this.#claims, ({ workflow }) => workflow);
    const problems = [...byWorkflow.values()].flatMap((claims) => this.#judge(claims));
    for (const [host, at] of this.#graves) {
      const granted = this.#grants.get(host) ?? 0;
      if (granted > at) problems.push(`${host} was told it lives after it was told it is dead`);
    }
    return [...problems, ...this.#judgeCommits()];
  }

  #judge(claims: readonly Claimed[]): string[] {
    const problems: string[] = [];
    const inOrder = [...claims].sort((one, other) => one.epoch - other.epoch);
    for (const [index, next] of inOrder.entries()) {
      const before = inOrder[index - 1];
      if (before === undefined) continue;
      const name = `${next.workflow}: epoch ${next.epoch} of ${next.host}`;
      if (next.epoch === before.epoch) problems.push(`${name} was given to ${before.host} too`);
      if (next.endedAt < before.startedAt) problems.push(`${name} came before ${before.epoch}`);
      const complaint = this.#whyNotFree(before, next);
      if (complaint !== null) problems.push(`${name} ${complaint} (${before.host})`);
    }
    return problems;
  }

  /** Null = there was a way for the workflow to become free between the two. */
  #whyNotFree(before: Claimed, next: Claimed): string | null {
    const wasReleased = this.#releases.some(
      ({ host, workflow, startedAt, endedAt }) =>
        host === before.host &&
        (workflow === null || workflow === before.workflow) &&
        endedAt >= before.startedAt &&
        startedAt <= next.endedAt,
    );
    const grantedAt = this.#grants.get(before.host) ?? 0;
    const hasExpired = next.endedAt >= grantedAt + this.leaseMs;
    const staysUnclean = before.unclean && wasReleased;
    if (next.unclean) {
      return hasExpired || staysUnclean ? null : "was taken from a host that lives";
    }
    if (!wasReleased) return "was taken though nobody had released it";
    const isLost = before.unclean && !this.#hasCommitted(before);
    return isLost ? "is called clean though nothing was committed since an owner died" : null;
  }

  #hasCommitted(claimed: Claimed): boolean {
    return this.#commits.some(
      ({ workflow, epoch }) => workflow === claimed.workflow && epoch === claimed.epoch,
    );
  }

  /** An epoch is good until the next claim. */
  #judgeCommits(): string[] {
    const claimedAt = new Map<string, number>();
    for (const { workflow, epoch, endedAt } of this.#claims) {
      claimedAt.set(`${workflow} ${epoch}`, endedAt);
    }
    return this.#commits.flatMap(({ workflow, epoch, startedAt }) => {
      const nextAt = claimedAt.get(`${workflow} ${epoch + 1}`);
      if (nextAt === undefined || startedAt <= nextAt) return [];
      return [`${workflow}: epoch ${epoch} committed after the next one had been given out`];
    });
  }
}
