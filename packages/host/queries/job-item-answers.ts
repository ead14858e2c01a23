import type { Instant, ItemStatus } from "@holdfast/core";
import type { CallItem, JsonValue } from "./answers.ts";

/** Other parameters that a replay of an item asked for; they were not sent. */
export type ProposedCall = {
  readonly params: JsonValue;
  readonly payloadHash: string;
  /** Where they differ from those of the call. */
  readonly differs: readonly string[];
};

export type JobItem = {
  readonly itemId: string;
  readonly title: string;
  readonly job: string;
  readonly status: ItemStatus;
  readonly attempt: number;
  /** As its handler would be told. */
  readonly isDone: boolean;
  /** It begins a new attempt when the job meets it again. */
  readonly startsFresh: boolean;
  /** The active version makes no such id: no job meets it again. */
  readonly isOrphan: boolean;
  readonly createdBy: string;
  readonly lastRunId: string;
  /** The call that a person is asked about; null = nobody is. */
  readonly mutationId: string | null;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
};

export type JobItemDetail = JobItem & {
  readonly workflow: string;
  /** The newest first, each with the versions of the script that made its calls. */
  readonly attempts: readonly {
    readonly attempt: number;
    readonly versions: readonly string[];
    readonly calls: readonly CallItem[];
  }[];
};
