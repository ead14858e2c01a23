import { policyDefaults } from "@holdfast/core";
import type { HttpAnswer } from "./request.ts";

/** Whoever says "too many" wants to be left alone, also where they do not say for how long. */
const restMsDefault = policyDefaults.rateLimitMsMin;

/** How long the service wants to be left alone; null = it does not say, and need not be. */
export function restMsOf({
  status,
  retryAfter,
  date,
}: Pick<HttpAnswer, "status" | "retryAfter" | "date">): number | null {
  const said = secondsIn(retryAfter) ?? untilIn(retryAfter, date);
  return status === 429 ? Math.max(said ?? 0, restMsDefault) : said;
}

function secondsIn(text: string | null): number | null {
  return text !== null && /^\d{1,9}$/.test(text) ? Number(text) * 1_000 : null;
}

/** Measured on the clock of whoever says it, by the date of the same answer: ours may differ. */
function untilIn(text: string | null, date: string | null): number | null {
  const [until, now] = [instantIn(text), instantIn(date)];
  return until === null || now === null ? null : Math.max(0, until - now);
}

/** As HTTP writes dates today; the two forms of before are not sent any more. */
const httpDate = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

function instantIn(text: string | null): number | null {
  if (text === null || !httpDate.test(text)) return null;
  const at = Date.parse(text);
  return Number.isNaN(at) ? null : at;
}
