/** What a person can be asked. Each kind has the answers it allows. */
export const attentionAnswers = {
  approval: ["approve", "edit", "reject"],
  outcome_unknown: ["try_again", "did_not_happen", "happened", "skip"],
  action_needed: ["resume", "stop"],
  retries_exhausted: ["resume", "stop"],
  run_failed: ["retry", "stop"],
  crash_loop: ["resume", "stop"],
  happened_after_all: ["acknowledge"],
  ledger_may_be_older_than_world: ["continue"],
  may_have_happened: ["send", "happened", "skip"],
  payload_differs: ["accept_cached", "reprocess", "skip"],
} as const satisfies Record<string, readonly string[]>;

/** What a question of this kind allows in some cases, in place of what it allows in most. */
export const answersInSomeCases = {
  action_needed: ["cancel", "redeliver", "drop", "acknowledge"],
} as const satisfies Partial<Record<keyof typeof attentionAnswers, readonly string[]>>;

export type AttentionKind = keyof typeof attentionAnswers;
export const attentionKinds = Object.keys(attentionAnswers) as AttentionKind[];

/** All that a question of this kind may allow. */
export type AnswerOf<K extends AttentionKind> =
  | (typeof attentionAnswers)[K][number]
  | (K extends keyof typeof answersInSomeCases ? (typeof answersInSomeCases)[K][number] : never);
