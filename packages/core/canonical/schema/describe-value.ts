import { isPlainObject } from "../plain-object.ts";
import { quoteShort } from "../value-path.ts";

const digitsShownMax = 40;

/** The "got" of a refusal. Short whatever the value is, since the value is untrusted. */
export function describeValue(value: unknown): string {
  switch (typeof value) {
    case "undefined":
      return "nothing";
    case "string":
      return quoteShort(value);
    case "bigint":
      return describeBigint(value);
    case "number":
    case "boolean":
      return Object.is(value, -0) ? "-0" : String(value);
    case "object":
      return describeObject(value);
    default:
      return typeof value;
  }
}

function describeBigint(value: bigint): string {
  // Printing takes quadratic time, so the size is judged first.
  if (value > 10n ** 40n || value < -(10n ** 40n)) {
    return `an integer of more than ${digitsShownMax} digits`;
  }
  return value.toString();
}

function describeObject(value: object | null): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "list";
  if (value instanceof Uint8Array) return "bytes";
  if (value instanceof Map) return "Map";
  return isPlainObject(value) ? "object" : "an object that is not plain data";
}
