import type { CoreCommand, MutationRow } from "@holdfast/core";

export type SendOutcome = Extract<CoreCommand, { kind: "settle_mutation" }>["outcome"];

/**
 * What this process has sent and what came of it. A row in flight does not say: the commit that
 * put it there may have come to nothing but an unknown answer, after which nothing was sent.
 */
export class SentCalls {
  readonly #outcomes = new Map<string, SendOutcome>();

  note(workflow: string, mutation: MutationRow, outcome: SendOutcome): void {
    this.#outcomes.set(nameOf(workflow, mutation), outcome);
  }

  /** Null = this process never sent it. */
  find(workflow: string, mutation: MutationRow): SendOutcome | null {
    return this.#outcomes.get(nameOf(workflow, mutation)) ?? null;
  }
}

/** One that was put back and sent again is another call. */
function nameOf(workflow: string, { mutationId, sendCount }: MutationRow): string {
  return `${workflow} ${mutationId} ${sendCount}`;
}
