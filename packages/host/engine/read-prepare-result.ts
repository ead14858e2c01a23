import { CanonicalError, type FinishPrepare, type Instant, type JsonText } from "@holdfast/core";
import { toBytes } from "./values.ts";

type Prepared = Pick<
  FinishPrepare,
  "reservations" | "prepareResult" | "selectionId" | "uiTitle" | "trigger" | "wakeAt"
>;

export type PreparedOrFault =
  /** `note`: what was passed over, for the run's trace; null = nothing was. */
  { readonly prepared: Prepared; readonly note: string | null } | { readonly fault: string };

/** Revisions of the events the script was shown, by topic and id. */
export type SeenRevisions = ReadonlyMap<string, number>;

export function seenKey(topic: string, messageId: string): string {
  return JSON.stringify([topic, messageId]);
}

/** What prepare returned, or what is wrong with it: anything but a PrepareResult is a failure. */
export function readPrepareResult(text: JsonText | null, seen: SeenRevisions): PreparedOrFault {
  if (text === null) return { fault: "prepare returned nothing; it has to return reservations" };
  const value: unknown = JSON.parse(text);
  if (!isRecord(value)) return { fault: "prepare has to return an object" };
  const reservations = readReservations(value["reservations"], seen);
  if (typeof reservations === "string") return { fault: reservations };
  const { selectionId, ui, trigger } = value;
  if (selectionId !== undefined && typeof selectionId !== "string") {
    return { fault: "selectionId has to be a text" };
  }
  if (ui !== undefined && ui !== null && !isRecord(ui)) return { fault: "ui has to be an object" };
  const title = isRecord(ui) ? ui["title"] : undefined;
  const event = readTrigger(trigger);
  if (event === undefined) return { fault: "trigger has to name a topic and an id" };
  const wake = readWakeAt(value["wakeAt"]);
  const bytes = bytesOrFault(text);
  if (typeof bytes === "string") return { fault: bytes };
  return {
    prepared: {
      reservations,
      prepareResult: bytes,
      selectionId: selectionId ?? null,
      uiTitle: typeof title === "string" && title !== "" ? title : null,
      trigger: event,
      wakeAt: wake === "unreadable" ? null : wake,
    },
    note: wake === "unreadable" ? unreadWake(value["wakeAt"]) : null,
  };
}

/** A number beyond 2^53, for instance: the script may hold it, a record may not. */
function bytesOrFault(text: JsonText): Uint8Array | string {
  try {
    return toBytes(text);
  } catch (error) {
    if (error instanceof CanonicalError) return error.message;
    throw error;
  }
}

function readReservations(
  given: unknown,
  seen: SeenRevisions,
): FinishPrepare["reservations"] | string {
  if (!Array.isArray(given)) return "reservations has to be a list of { topic, ids }";
  const wanted: { topic: string; messageId: string; revision: number | null }[] = [];
  for (const each of given) {
    if (!isRecord(each) || typeof each["topic"] !== "string" || !Array.isArray(each["ids"])) {
      return "reservations has to be a list of { topic, ids }";
    }
    const topic = each["topic"];
    for (const id of each["ids"]) {
      if (typeof id !== "string" || id === "") return `an id reserved in ${topic} is not a text`;
      wanted.push({ topic, messageId: id, revision: seen.get(seenKey(topic, id)) ?? null });
    }
  }
  return wanted;
}

/** Undefined = it is wrong; null = the script does not say. */
function readTrigger(given: unknown): FinishPrepare["trigger"] | undefined {
  if (given === undefined || given === null) return null;
  if (!isRecord(given)) return undefined;
  const { topic, messageId, id } = given;
  const named = messageId ?? id;
  if (typeof topic !== "string" || typeof named !== "string") return undefined;
  return { topic, messageId: named };
}

/** A wish that cannot be read is ignored, and its author told; the core clamps the others. */
function readWakeAt(given: unknown): Instant | null | "unreadable" {
  if (given === undefined || given === null) return null;
  if (typeof given === "number") return given;
  const at = typeof given === "string" ? Date.parse(given) : Number.NaN;
  return Number.isNaN(at) ? "unreadable" : at;
}

/** Of a value as a log line shows it. */
const shownCharsMax = 100;

function unreadWake(given: unknown): string {
  const shown = JSON.stringify(given).slice(0, shownCharsMax);
  return `wakeAt is ignored: ${shown} is no time (milliseconds, or a text such as an ISO date)`;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
