import type { Instant } from "../view/rows.ts";

/** Who has moved a store from one place to another; kept in the journal of every workflow. */
export type Arrival = {
  /** The store that was exported. */
  readonly from: string;
  /** Hash over the export. */
  readonly hash: string;
  readonly exportedBy: string;
  readonly exportedAt: Instant;
  /** It held what producers remember, in full. */
  readonly withState: boolean;
  readonly importedBy: string;
  readonly importedAt: Instant;
};
