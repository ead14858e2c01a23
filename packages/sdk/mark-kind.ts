/** What a definition is; the host finds handlers by it. */
export type Kind = "workflow" | "producer" | "consumer" | "job" | "machine";

/**
 * A definition with its kind. The functions in it stay the very same ones. Only syntax is used
 * here: this runs inside the isolate, where a script may have changed every builtin.
 */
export function markKind<Result>(kind: Kind, definition: object): Result {
  if (typeof definition !== "object" || definition === null) {
    throw new TypeError(`${kind}() takes one object`);
  }
  return { ...definition, $kind: kind } as Result;
}
