import type { Instant, Seq } from "../view/rows.ts";
import type { ItemStatus } from "./item-status.ts";

/** One piece of a job's work. */
export type ItemRow = {
  itemId: string;
  /** The job that met it last. */
  handler: string;
  title: string;
  status: ItemStatus;
  /** Generation: 1, then one more for each new attempt by a person. */
  attempt: number;
  /** Seq of the fact that made it. */
  position: Seq;
  /** Seq of the last fact about it. */
  touchedSeq: Seq;
  createdBy: string;
  lastRunId: string;
  /** The call that a person is asked about; null = nobody is. */
  mutationId: string | null;
  /** It may have been worked off in a time that a restored store has forgotten. */
  older: boolean;
  createdAt: Instant;
  updatedAt: Instant;
};
