import { formatPath, type PathSegment } from "../value-path.ts";

/** Why a value or a schema was not accepted, in words for its author. */
export type Refusal = {
  readonly ok: false;
  readonly path: string; // "" = the value itself
  readonly expected: string;
  readonly got: string;
  readonly message: string; // `order.lines[3].qty: expected nat, got -1`
};

/** Carries a refusal out of nested calls; never leaves this folder. */
export class RefusedSignal extends Error {
  readonly expected: string;
  readonly got: string;

  constructor(expected: string, got: string) {
    super("refused");
    this.expected = expected;
    this.got = got;
  }
}

/** Thrown where a caller asked for bytes or a value and cannot have either. */
export class SchemaError extends Error {
  readonly code: "SCHEMA_INVALID" | "SCHEMA_VALUE_REFUSED";
  readonly refusal: Refusal;

  constructor(code: SchemaError["code"], refusal: Refusal) {
    super(refusal.message);
    this.name = "SchemaError";
    this.code = code;
    this.refusal = refusal;
  }
}

/** Anything thrown that is not ours came out of the untrusted value: a getter or a proxy trap. */
export function refusalFrom(error: unknown, segments: readonly PathSegment[]): Refusal {
  const expected = error instanceof RefusedSignal ? error.expected : "a readable value";
  const got = error instanceof RefusedSignal ? error.got : "one that threw while it was read";
  const path = formatPath(segments);
  const sentence = `expected ${expected}, got ${got}`;
  return { ok: false, path, expected, got, message: path ? `${path}: ${sentence}` : sentence };
}
