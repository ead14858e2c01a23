import { UsageError } from "./store-place.ts";

const units: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `90m`, `12h` or `30d`. */
export function durationMs(text: string): number {
  const [, count = "", unit = ""] = /^([1-9]\d{0,5})([mhd])$/.exec(text) ?? [];
  const unitMs = units[unit];
  if (unitMs !== undefined) return Number(count) * unitMs;
  throw new UsageError(`${text} is no time: write it like 90m, 12h or 30d.`);
}

/** In the largest unit that says it exactly: `60 min`, `1500 ms`. */
export function durationText(ms: number): string {
  if (ms > 0 && ms % minuteMs === 0) return `${ms / minuteMs} min`;
  return ms > 0 && ms % secondMs === 0 ? `${ms / secondMs} s` : `${ms} ms`;
}

const secondMs = 1_000;
const minuteMs = 60_000;
