import { type ErrorCode, errorCodes } from "./error-codes.ts";

/** Whether doing the same thing again can do harm: the caller must not have to guess. */
export type RetryAdvice = "safe" | "unsafe" | "unknown";

export type HostErrorOptions = {
  /** What happened, with the names and numbers of this case. */
  what: string;
  /** What the reader can do now. */
  remedy: string;
  retry?: RetryAdvice;
  cause?: unknown;
  details?: Readonly<Record<string, string | number>>;
};

/** An operational error: a stable code, what happened, what it means, what to do. */
export class HostError extends Error {
  override readonly name = "HostError";
  readonly code: ErrorCode;
  readonly retry: RetryAdvice;
  readonly remedy: string;
  readonly details: Readonly<Record<string, string | number>>;

  constructor(code: ErrorCode, options: HostErrorOptions) {
    super(`${code}: ${options.what} ${errorCodes[code]} ${options.remedy}`, {
      cause: options.cause,
    });
    this.code = code;
    this.retry = options.retry ?? "unknown";
    this.remedy = options.remedy;
    this.details = options.details ?? {};
  }
}

/** What goes by without anybody doing anything to this process: the same call may work later. */
const passingCodes: ReadonlySet<ErrorCode> = new Set([
  "STEP_TOO_SLOW",
  "STORE_UNREACHABLE",
  "STORE_BUSY",
  "STORE_CHANGED",
  "STORE_FULL",
  "STORE_LOCKED",
  "STORE_READ_ONLY",
]);

/** Whether it is worth trying again; everything else stays wrong until somebody mends it. */
export function isPassing(error: unknown): error is HostError {
  return error instanceof HostError && passingCodes.has(error.code);
}
