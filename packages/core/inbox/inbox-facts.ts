/** The owner's answer to one inbox command; it moves the inbox mark past it. */
export type CommandAnswered = {
  readonly kind: "command_answered";
  readonly commandId: string;
  readonly position: number;
  readonly commandKind: string;
  readonly actor: string;
  readonly accepted: boolean;
  readonly refusal: string | null;
  readonly note: string;
};

export type InboxFact = CommandAnswered;
