import type { Instant } from "@holdfast/core";
import { parseInterval } from "@holdfast/sandbox";
import { TestError } from "./test-error.ts";

/** "90s", "5m", "2h", "1d" as schedules have them, or milliseconds. */
export function durationMs(given: string | number): number {
  if (typeof given === "number" && Number.isSafeInteger(given) && given >= 0) return given;
  const ms = typeof given === "string" ? parseInterval(given) : null;
  if (ms !== null) return ms;
  const why = `${JSON.stringify(given)} is no duration; write "30s", "5m", "2h", "1d" or a number`;
  throw new TestError("test_invalid", `${why} of milliseconds`);
}

/** ISO text, a Date, or milliseconds since 1970. */
export function instantOf(given: string | number | Date): Instant {
  const at = typeof given === "number" ? given : new Date(given).getTime();
  if (Number.isSafeInteger(at)) return at;
  throw new TestError("test_invalid", `${JSON.stringify(given)} is no time; write it as ISO text`);
}

export function isoText(at: Instant): string {
  return new Date(at).toISOString();
}
