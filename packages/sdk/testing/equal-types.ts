/** `equalTypes<A, B>()` compiles only if the two are the same type, looser and stricter apart. */
type Same<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

export function equalTypes<A, B>(..._proof: Same<A, B> extends true ? [] : [never]): void {}
