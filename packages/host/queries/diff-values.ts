import type { JsonValue } from "./answers.ts";

/** More than a person compares; what differs beyond is counted only by the parameters in full. */
const changesShownMax = 100;

/** One value that is not what it was. Absent = there was none, or is none any more. */
export type ValueChange = {
  /** A JSON pointer; empty = the whole. */
  readonly at: string;
  readonly from?: JsonValue;
  readonly to?: JsonValue;
};

/** What differs between two values, by place, the first hundred. */
export function diffValues(from: JsonValue, to: JsonValue): readonly ValueChange[] {
  return changesAt("", from, to).slice(0, changesShownMax);
}

function changesAt(
  at: string,
  from: JsonValue | undefined,
  to: JsonValue | undefined,
): readonly ValueChange[] {
  const [before, after] = [membersOf(from), membersOf(to)];
  if (before !== null && after !== null && Array.isArray(from) === Array.isArray(to)) {
    const names = new Set([...before.keys(), ...after.keys()]);
    return [...names].flatMap((name) =>
      changesAt(`${at}/${pointerPart(name)}`, before.get(name), after.get(name)),
    );
  }
  if (JSON.stringify(from) === JSON.stringify(to)) return [];
  return [{ at, ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) }];
}

/** Null = it has none. */
function membersOf(value: JsonValue | undefined): ReadonlyMap<string, JsonValue> | null {
  if (typeof value !== "object" || value === null) return null;
  return new Map(Object.entries(value));
}

function pointerPart(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}
