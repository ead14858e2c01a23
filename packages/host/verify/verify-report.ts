import type { ErrorCode, Seq } from "@holdfast/core";

export type Problem = {
  readonly code: Extract<
    ErrorCode,
    | "JOURNAL_CORRUPT"
    | "JOURNAL_TRUNCATED"
    | "FACT_VERSION_UNKNOWN"
    | "TABLES_DIFFER"
    | "INVARIANT_BROKEN"
    | "STORE_CORRUPT"
    | "BLOB_MISSING"
    | "BLOB_CORRUPT"
  >;
  readonly workflow: string;
  /** About a checkpoint's own copy of the rows, not about the rows. */
  readonly ofCheckpoint?: true;
  /** The journal record to look at: the broken one, or the last that touched the row. */
  readonly position: Seq;
  readonly note: string;
};

export type VerifyReport = {
  readonly workflow: string;
  readonly head: Seq;
  /** First record folded: 1, or the checkpoint it started from. */
  readonly from: Seq;
  readonly recordCount: number;
  readonly rowCount: number;
  /** In journal order; empty = everything is as recorded. */
  readonly problems: readonly Problem[];
};
