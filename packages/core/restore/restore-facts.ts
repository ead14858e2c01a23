import type { Seq } from "../view/rows.ts";
import type { Arrival } from "./arrival.ts";

/** In which store the workflow goes on. */
export type StoreNoted = {
  readonly kind: "store_noted";
  readonly storeIncarnation: string;
  /**
   * Not null: that store was restored, and the restore point is here. What is named has yet to run
   * before it counts as caught up.
   */
  readonly behind: readonly string[] | null;
  /** Present: it was not restored from a backup but imported, and this is who did it. */
  readonly arrival?: Arrival;
};

/** What came in until then is from before as well, or a producer has caught up. */
export type RestorePointMoved = {
  readonly kind: "restore_point_moved";
  readonly through: Seq;
  readonly behind: readonly string[];
};

export type RestoreFact = StoreNoted | RestorePointMoved;
