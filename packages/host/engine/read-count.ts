import {
  type CommitAnswer,
  type CountedRead,
  spentAt,
  type TerminalCall,
  type View,
} from "@holdfast/core";
import type { WorkflowOwner } from "../workflow-owner.ts";
import type { Permissions } from "./permissions.ts";
import type { FailedRead } from "./ports.ts";

type Parts = {
  readonly owner: WorkflowOwner;
  readonly permissions: Permissions;
  /** Of a run its own; what outlives its turn takes the one there is by then. */
  readonly viewNow: () => View | Promise<View>;
  readonly runId: string;
};

export type AdmittedRead =
  | {
      readonly says: "yes";
      /** What is to be counted instead of what was reserved, now that it was answered. */
      readonly settled: (json: string | null) => readonly CountedRead[];
      /** The same in a change of its own; null = it was answered nothing that could be counted. */
      readonly settle: (json: string | null) => Promise<void>;
    }
  | (Omit<FailedRead, "says"> & {
      readonly says: "no";
      /** It was not judged: nobody knows whether it was counted. */
      readonly isInDoubt?: true;
    });

/** Who shares a budget may be faster; then it is judged again. */
const judgedTimesMax = 20;

/**
 * Lets reads through that the grants allow. One whose grant has limits is counted before it is
 * made, in a change of its own, so that whoever dies in between has made none that does not count;
 * all others cost nothing.
 */
export class ReadCount {
  readonly #parts: Parts;
  /** One after the other: two that were asked for at once must not see the same room. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  admit(call: TerminalCall): Promise<AdmittedRead> {
    const admitted = this.#last.then(() => this.#admit(call));
    this.#last = admitted.catch(() => {});
    return admitted;
  }

  async #admit(call: TerminalCall): Promise<AdmittedRead> {
    const { owner, permissions, viewNow, runId } = this.#parts;
    const location = `${call.connection}.${call.operation}`;
    for (let times = 0; times < judgedTimesMax; times++) {
      const view = await viewNow();
      const judged = await permissions.judgeRead(view, call, runId);
      if (judged.says === "no") return judged;
      if (judged.counts === null)
        return admittedWith(
          () => [],
          async () => {},
        );
      const { spent, charged, ...counts } = judged.counts;
      const read = { ...counts, readId: owner.nextReadId(), runId };
      const answer = await owner.count(view, [read], charged === null ? [] : [charged]);
      if (answer === "committed") {
        const settled = (json: string | null) => settledAs(read, spent, json);
        return admittedWith(settled, (counted) => this.#count(counted));
      }
      if (answer !== "budget_moved" && !(await this.#isAnother(answer, view))) {
        return notCounted(location, { isInDoubt: answer !== "refused" });
      }
    }
    return notCounted(location, { isInDoubt: true });
  }

  /** The workflow has gone on beside it, and is seen as it is now: nothing was counted. */
  async #isAnother(answer: CommitAnswer["kind"], view: View): Promise<boolean> {
    return answer === "conflict" && (await this.#parts.viewNow()) !== view;
  }

  async #count(counted: readonly CountedRead[]): Promise<void> {
    for (let times = 0; times < judgedTimesMax; times++) {
      const view = await this.#parts.viewNow();
      const answer = await this.#parts.owner.count(view, counted);
      if (!(await this.#isAnother(answer, view))) return;
    }
  }
}

function notCounted(
  location: string,
  { isInDoubt }: { readonly isInDoubt: boolean },
): AdmittedRead {
  const message = `${location} could not be counted`;
  const failure = { class: "transient", message, location } as const;
  const no = { says: "no", failure, retryAt: null } as const;
  return isInDoubt ? { ...no, isInDoubt } : no;
}

/** What was reserved stays if the count of what it came to is in doubt. */
function admittedWith(
  settled: (json: string | null) => readonly CountedRead[],
  count: (counted: readonly CountedRead[]) => Promise<unknown>,
): AdmittedRead {
  const settle = async (json: string | null) => {
    const counted = settled(json);
    if (counted.length > 0) await count(counted);
  };
  return { says: "yes", settled, settle };
}

/** What was reserved stays if the answer says nothing countable. */
function settledAs(
  read: CountedRead,
  spent: string | null,
  json: string | null,
): readonly CountedRead[] {
  if (spent === null || json === null || read.amount === null) return [];
  const amount = spentAt(spent, JSON.parse(json));
  return amount === null || amount === read.amount ? [] : [{ ...read, amount }];
}
