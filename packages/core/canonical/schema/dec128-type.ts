import type { SchemaType } from "./schema-type.ts";

/**
 * A decimal as text, in plain notation, so that each has one spelling. Zeros at its end are kept:
 * `1.50` says more than `1.5`, and decimal128 tells them apart too.
 */
export type Dec128Schema = { readonly type: "dec128" };

/** What decimal128 holds. */
const digitsMax = 34;
const plainDecimal = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?$/;
const negativeZero = /^-[0.]+$/;

export const dec128Type: SchemaType<Dec128Schema> = {
  properties: [],
  mapKey: false,
  parse: () => ({ type: "dec128" }),
  compile: () => (value, walk) => {
    // The length is judged first: the pattern would otherwise read a text of any size.
    const isShort = typeof value === "string" && value.length <= digitsMax + 3;
    if (!isShort || !plainDecimal.test(value) || negativeZero.test(value)) {
      return walk.refuseValue("dec128", value);
    }
    const digits = value.replace(/[-.]/g, "").replace(/^0+/, "");
    if (digits.length > digitsMax) {
      return walk.refuse(`dec128 of at most ${digitsMax} digits`, `${digits.length} digits`);
    }
    return value;
  },
};
