/**
 * Where executors in other processes ask for work, as the engine sees it: a call that one of them
 * makes is begun when one is there to take it, and waits in the ledger until then.
 */
export interface WorkDesk {
  /** Whether another process makes such calls; if none does, nobody has to ask for them. */
  serves(executor: string): boolean;
  /** Whether anybody waits for its work at this moment. */
  isWaitedAt(executor: string): boolean;
  /** Whether somebody waits for whom nothing is begun yet. */
  hasFree(executor: string): boolean;
  /** Whether somebody waits for work of the workflow for whom nothing else is begun. */
  asks(executor: string, workflow: string): boolean;
  /** The same, or somebody has asked a moment ago and is likely to be back. */
  isPresent(executor: string, workflow: string): boolean;
  /**
   * Something is begun for whoever waits. Resolves when it lies on the desk, or does not come
   * after all.
   */
  expect(executor: string, workflow: string): Promise<void>;
  /** Nothing more comes of the workflow. */
  forget(workflow: string): void;
  /** Whom to tell; the answer ends it. */
  watch(watcher: DeskWatcher): () => void;
}

export type DeskWatcher = {
  /** Somebody waits for work, and none is there. Resolves when it was looked for. */
  readonly onAsked: (executor: string) => Promise<void>;
  readonly onHandedOut: (workflow: string) => void;
};
