import type { Instant } from "../view/rows.ts";

export type SayTime = (at: Instant) => string;

/** Beyond this no calendar has a date for it. */
const dateMax = 8_640_000_000_000_000;

/** The same for every reader; a page may say it in the reader's own time zone instead. */
export const sayUtc: SayTime = (at) => {
  if (Math.abs(at) > dateMax) return "a time no calendar has";
  return `${new Date(at).toISOString().slice(0, 19).replace("T", " ")} UTC`;
};
