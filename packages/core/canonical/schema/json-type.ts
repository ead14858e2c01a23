import {
  type CanonicalValue,
  canonicalDepthLevelsMax,
  isWholeInIntegerRange,
} from "../canonical-value.ts";
import { setOwn } from "../plain-object.ts";
import type { SchemaType } from "./schema-type.ts";
import { admitText } from "./text-type.ts";
import type { Walk } from "./walk.ts";

/** Anything JSON can say; the only type with floats. Numbers stay JavaScript numbers. */
export type JsonSchema = { readonly type: "json" };

export const jsonType: SchemaType<JsonSchema> = {
  properties: [],
  mapKey: false,
  parse: () => ({ type: "json" }),
  compile: () => admitJson,
};

function admitJson(value: unknown, walk: Walk): CanonicalValue {
  switch (typeof value) {
    case "boolean":
      return value;
    case "string":
      return admitText(value, walk);
    case "number":
      return admitNumber(value, walk);
    case "bigint":
      return admitStoredInteger(value, walk);
    case "object":
      return value === null ? null : admitNested(value, walk);
    default:
      return walk.refuseValue("json", value);
  }
}

/** JSON writes -0 as 0 too. */
function admitNumber(value: number, walk: Walk): number | bigint {
  if (!Number.isFinite(value)) return walk.refuseValue("json", value);
  // In JSON a number past 2^53 is no mistake; its exact value is what the number now is.
  const needsBigint = !Number.isSafeInteger(value) && isWholeInIntegerRange(value);
  return walk.purpose === "bytes" && needsBigint ? BigInt(value) : value + 0;
}

function admitStoredInteger(value: bigint, walk: Walk): number {
  const number = Number(value);
  if (walk.purpose === "stored" && BigInt(number) === value) return number;
  return walk.refuse("json", "a bigint");
}

function admitNested(value: object, walk: Walk): CanonicalValue {
  if (walk.depth >= canonicalDepthLevelsMax) {
    return walk.refuse(`nesting of at most ${canonicalDepthLevelsMax} levels`, "more, or a cycle");
  }
  if (Array.isArray(value)) return admitArray(value, walk);
  const input = walk.plainObject("json", value);
  const record: Record<string, CanonicalValue> = {};
  for (const key of Object.keys(input)) {
    walk.enter(key);
    setOwn(record, admitText(key, walk), admitJson(input[key], walk));
    walk.leave();
  }
  return record;
}

function admitArray(value: readonly unknown[], walk: Walk): CanonicalValue {
  const list: CanonicalValue[] = [];
  for (let at = 0; at < value.length; at++) {
    walk.enter(at);
    list.push(admitJson(value[at], walk));
    walk.leave();
  }
  return list;
}
