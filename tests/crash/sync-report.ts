/** preload = every call of the process is seen; strace = likewise; the last is a makeshift. */
export const syncMethods = ["preload", "strace", "context switches"] as const;
export type SyncMethod = (typeof syncMethods)[number];

export type SyncReport = {
  /** What the method counted for five writes, and for five writes with a sync each. */
  readonly calibration: { readonly plain: number; readonly synced: number };
  /** Groups asked for one after the other, with the syncs seen before each was acknowledged. */
  readonly rounds: readonly { readonly what: string; readonly syncs: number }[];
  /** Syncs seen while many workflows committed at once. */
  readonly together: number;
};
