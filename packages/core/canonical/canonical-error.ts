import { formatPath, type PathSegment } from "./value-path.ts";

/** Stable: callers, logs and docs/errors name them. */
export type CanonicalErrorCode =
  | "CANONICAL_FLOAT_IS_INTEGER"
  | "CANONICAL_INDEFINITE_LENGTH"
  | "CANONICAL_INTEGER_RANGE"
  | "CANONICAL_KEY_DUPLICATE"
  | "CANONICAL_KEY_ORDER"
  | "CANONICAL_KEY_TYPE"
  | "CANONICAL_MALFORMED"
  | "CANONICAL_NOT_BYTES"
  | "CANONICAL_NOT_FINITE"
  | "CANONICAL_NOT_SHORTEST"
  | "CANONICAL_SIMPLE_UNSUPPORTED"
  | "CANONICAL_TAG_MISSING"
  | "CANONICAL_TAG_UNSUPPORTED"
  | "CANONICAL_TEXT_MALFORMED"
  | "CANONICAL_TOO_DEEP"
  | "CANONICAL_TOO_LARGE"
  | "CANONICAL_TRAILING_BYTES"
  | "CANONICAL_TRUNCATED"
  | "CANONICAL_UNREADABLE"
  | "CANONICAL_UNSAFE_INTEGER"
  | "CANONICAL_UNSUPPORTED_VALUE";

type Where = { offset?: number; path?: readonly PathSegment[]; cause?: unknown };

/** A value without canonical bytes, or bytes that are not canonical. */
export class CanonicalError extends Error {
  readonly code: CanonicalErrorCode;
  readonly reason: string;
  readonly offset: number | null; // null = the failure is in a value, not in bytes
  readonly path: readonly PathSegment[];

  constructor(code: CanonicalErrorCode, reason: string, where: Where = {}) {
    const path = where.path ?? [];
    const offset = where.offset ?? null;
    const place = offset === null ? formatPath(path) : `byte ${offset}`;
    const message = place === "" ? reason : `${place}: ${reason}`;
    super(message, where.cause === undefined ? undefined : { cause: where.cause });
    this.name = "CanonicalError";
    this.code = code;
    this.reason = reason;
    this.offset = offset;
    this.path = path;
  }
}

/** Adds the step that led to the failure; anything foreign was thrown by the value itself. */
export function canonicalErrorInside(error: unknown, segment: PathSegment): CanonicalError {
  const inner = asCanonicalError(error);
  const where: Where = { path: [segment, ...inner.path] };
  if (inner.cause !== undefined) where.cause = inner.cause;
  return new CanonicalError(inner.code, inner.reason, where);
}

export function asCanonicalError(error: unknown): CanonicalError {
  if (error instanceof CanonicalError) return error;
  return new CanonicalError("CANONICAL_UNREADABLE", "the value threw while it was read", {
    cause: error,
  });
}
