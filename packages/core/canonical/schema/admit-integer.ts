import type { Admit } from "./schema-type.ts";

export type IntegerRange = { readonly name: string; readonly min: bigint; readonly max: bigint };

/** Integers come out as bigint; a number is taken only while it is exact. */
export function admitInteger(range: IntegerRange): Admit {
  const { name, min, max } = range;
  return (value, walk) => {
    if (typeof value === "number") {
      if (!Number.isInteger(value)) return walk.refuseValue(name, value);
      if (!Number.isSafeInteger(value)) {
        return walk.refuse(name, `${value}, a number past 2^53 (use a bigint)`);
      }
    } else if (typeof value !== "bigint") {
      return walk.refuseValue(name, value);
    }
    const integer = BigInt(value);
    if (integer < min) return walk.refuseValue(min === 0n ? name : `${name} from ${min}`, value);
    if (integer > max) return walk.refuseValue(`${name} up to ${max}`, value);
    return integer;
  };
}
