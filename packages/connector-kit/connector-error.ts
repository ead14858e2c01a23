import type { FailureClass } from "@holdfast/core";

/** Whether the effect can have happened. Unknown is the honest answer wherever there is doubt. */
export type Committed = "no" | "unknown";

export type ConnectorErrorClass = Exclude<FailureClass, "indeterminate" | "internal" | "budget">;

/** What went wrong outside, said by the connector that saw it; never guessed from a text. */
export class ConnectorError extends Error {
  override readonly name = "ConnectorError";
  readonly class: ConnectorErrorClass;
  readonly committed: Committed;
  /** How long the service wants to be left alone; null = it did not say. */
  readonly retryAfterMs: number | null;

  constructor(
    kind: ConnectorErrorClass,
    committed: Committed,
    message: string,
    { retryAfterMs = null, cause }: { retryAfterMs?: number | null; cause?: unknown } = {},
  ) {
    super(message, { cause });
    this.class = kind;
    this.committed = committed;
    this.retryAfterMs = retryAfterMs;
  }
}

/** The last check before sending said no: not a byte has left. */
export class NotSent extends Error {
  override readonly name = "NotSent";
}
