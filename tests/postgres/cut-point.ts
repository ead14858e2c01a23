import { tableNames } from "@holdfast/core";
import type { CutPlace, RequestReport } from "@holdfast/store/testing/postgres";

/** When a request that is held reaches the server: after so many of the client's next answers. */
export type Delivery = "at once" | "after a while" | "at the end";
export const answersBeforeDelivery: Readonly<Record<Delivery, number>> = {
  "at once": 0,
  "after a while": 5,
  "at the end": Number.POSITIVE_INFINITY,
};

/** One row of the matrix: which request is cut, where, and how the client learns of it. */
export type CutPoint = {
  readonly request: number;
  /** Counts only requests of this kind; null = all. */
  readonly kind: string | null;
  readonly place: CutPlace;
  readonly how: "close" | "reset";
  readonly delivery: Delivery;
};

/** The function or table of ours that a statement is about, or else its first function or word. */
const subjects = [/holdfast\.(\w+)/, /(\w+)\(/, /(\w+)/];

const ofRowTable = new RegExp(`^SELECT [^()]* FROM holdfast\\.(${tableNames.join("|")})\\s+WHERE`);

export function kindOf(sql: string): string {
  if (ofRowTable.test(sql)) return "scan";
  for (const subject of subjects) {
    const found = subject.exec(sql)?.[1];
    if (found !== undefined) return found;
  }
  return "terminate";
}

export function nameOf({ request, kind, place, how, delivery }: CutPoint): string {
  const where = "bytes" in place ? `${place.at} ${place.bytes}` : place.at;
  const when = place.at === "hold-then-deliver" ? `, ${delivery}` : "";
  return `${kind ?? "request"} ${request}, ${where}${when}, ${how}`;
}

type Seen = Pick<RequestReport, "length" | "responseLength">;

/** Every place in a request and its response, at a few offsets each. */
export function placesIn({ length, responseLength }: Seen): readonly CutPlace[] {
  const inRequest = new Set([1, Math.floor(length / 2), length - 1]);
  const inResponse = new Set([1, Math.floor(responseLength / 2), responseLength - 1]);
  return [
    { at: "before" },
    ...[...inRequest].map((bytes) => ({ at: "mid-request", bytes }) as const),
    { at: "after-request" },
    { at: "after-request-both" },
    ...[...inResponse].map((bytes) => ({ at: "mid-response", bytes }) as const),
    { at: "hold-then-deliver" },
  ];
}

/** As few offsets as show each place once. */
export function fewPlacesIn({ length, responseLength }: Seen): readonly CutPlace[] {
  return [
    { at: "before" },
    { at: "mid-request", bytes: Math.floor(length / 2) },
    { at: "after-request" },
    { at: "after-request-both" },
    { at: "mid-response", bytes: Math.floor(responseLength / 2) },
    { at: "hold-then-deliver" },
  ];
}
