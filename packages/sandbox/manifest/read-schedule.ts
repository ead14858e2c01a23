import { Cron } from "croner";
import type { DefinitionReader, Path } from "./definition-reader.ts";
import type { CatchUp, Start } from "./manifest.ts";
import { type Data, isRecord, shown } from "./plain-copy.ts";

/** More often than this is not a schedule but a loop. */
const intervalMsMin = 1_000;
/** A year; beyond it nobody remembers what was meant. */
const intervalMsMax = 366 * 86_400_000;
/** UTF-16 units of a cron pattern. */
const cronCharsMax = 120;

const units: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** Null = not an interval. */
export function parseInterval(data: Data | undefined): number | null {
  if (typeof data === "number") return isInterval(data) ? data : null;
  const found = typeof data === "string" ? /^(\d{1,12})(ms|s|m|h|d)$/.exec(data) : null;
  const ms = Number(found?.[1] ?? Number.NaN) * (units[found?.[2] ?? ""] ?? Number.NaN);
  return isInterval(ms) ? ms : null;
}

function isInterval(ms: number): boolean {
  return Number.isSafeInteger(ms) && ms >= intervalMsMin && ms <= intervalMsMax;
}

/** Whether the pattern can be read and ever fires. Nothing is scheduled by asking. */
export function isCron(pattern: string, timeZone: string | null): boolean {
  // A colon would make it a single date, which is not a schedule.
  if (pattern.length > cronCharsMax || pattern.includes(":")) return false;
  try {
    const zone = timeZone === null ? "UTC" : timeZone;
    return new Cron(pattern, { paused: true, timezone: zone }).nextRun() !== null;
  } catch {
    return false;
  }
}

export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** Null = wrong, and noted. */
export function readSchedule(reader: DefinitionReader, data: Data, path: Path): Start | null {
  if (!isRecord(data)) {
    reader.fault(path, "invalid_schedule", `A schedule must be an object, got ${shown(data)}.`);
    return null;
  }
  reader.object(data, path, ["interval", "cron", "timeZone", "catchUp"]);
  const catchUp: CatchUp = reader.oneOf(data["catchUp"], [...path, "catchUp"], ["once", "skip"]);
  const { interval, cron } = data;
  if ((interval === undefined) === (cron === undefined)) {
    reader.fault(path, "invalid_schedule", "A schedule has either an interval or a cron pattern.");
    return null;
  }
  const { timeZone } = data;
  if (timeZone !== undefined && (typeof timeZone !== "string" || !isTimeZone(timeZone))) {
    const cause = `${shown(timeZone)} is not a time zone.`;
    reader.fault([...path, "timeZone"], "invalid_schedule", cause);
    return null;
  }
  if (cron !== undefined) {
    const zone = timeZone ?? null;
    if (typeof cron === "string" && isCron(cron, zone)) {
      return { kind: "cron", cron, timeZone: zone, catchUp };
    }
    const cause = `${shown(cron)} is not a cron pattern that ever fires.`;
    reader.fault([...path, "cron"], "invalid_schedule", cause);
    return null;
  }
  const everyMs = parseInterval(interval);
  if (everyMs === null) {
    const cause = `${shown(interval)} is not an interval between 1s and 366d.`;
    reader.fault([...path, "interval"], "invalid_schedule", cause);
    return null;
  }
  return { kind: "interval", everyMs, catchUp };
}
