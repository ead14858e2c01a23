/**
 * Which of the boundaries are worth a blow. Most lie between two reads, and a host that dies there
 * leaves just what it would have left at the one before.
 */
import type { Signal } from "./matrix.ts";

/** By these nothing changes, neither in the store nor outside; whatever is not named here may. */
const onlyLooks = new RegExp(
  `^(?:before|after) (?:${[
    "store\\.(?:load|loadBlob|loadParts|peek|readInbox|readJournal|readTraces|readChanges)",
    "store\\.(?:find|list|sum|count)[A-Z]\\w*",
    "store\\.(?:census|nextDueAt)",
    "script\\.load",
    "(?:prepare and mutate|prepare|mutate|next|steps|migrations)",
    "\\w+ call",
    "outside\\.(?:describe|read)",
  ].join("|")}) #\\d+$`,
);

/**
 * Killed: next to everything that may change something, and wherever such a thing is under way.
 * Stopped: also between two looks, since what was seen before is old when the host goes on; but
 * once between them, and not after the first as well as before the second.
 */
export function placesFor(signal: Signal, boundaries: readonly string[]): readonly string[] {
  const all = new Set(boundaries);
  const underWay = new Set<string>();
  return boundaries.filter((boundary, index) => {
    const [when, what] = [boundary.split(" ", 1)[0], boundary.replace(/^\w+ /, "")];
    if (!onlyLooks.test(boundary)) {
      // What is over at once has no end of its own.
      if (when === "before" && all.has(`after ${what}`)) underWay.add(what);
      if (when === "after") underWay.delete(what);
      return true;
    }
    if (underWay.size > 0) return true;
    return signal === "SIGSTOP" && !(when === "after" && isBefore(boundaries[index + 1]));
  });
}

function isBefore(boundary: string | undefined): boolean {
  return boundary?.startsWith("before ") ?? false;
}
