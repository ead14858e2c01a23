/**
 * A broken invariant is a bug of ours, never an outcome: it stops the process instead of
 * guessing how to go on. Refusals and operational errors have their own values.
 */
export class InvariantError extends Error {
  override readonly name = "InvariantError";
}

/** `why` as a function where it is asked often: most texts are never read. */
export function invariant(condition: unknown, why: string | (() => string)): asserts condition {
  if (!condition) throw new InvariantError(typeof why === "string" ? why : why());
}

export function assertNever(value: never, where: string): never {
  throw new InvariantError(`${where}: unexpected value ${JSON.stringify(value)}`);
}
