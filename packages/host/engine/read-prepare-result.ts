import { CanonicalError, type FinishPrepare, type Instant, type JsonText } from "@holdfast/core";
import { toBytes } from "./values.ts";

type Prepared = Pick<
  FinishPrepare,
  "reservations" | "prepareResult" | "selectionId" | "uiTitle" | "trigger" | "wakeAt"
>;

export type PreparedOrFault = { readonly prepared: Prepared } | { readonly fault: string };

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
  const bytes = bytesOrFault(text);
  if (typeof bytes === "string") return { fault: bytes };
  return {
    prepared: {
      reservations,
      prepareResult: bytes,
      selectionId: selectionId ?? null,
      uiTitle: typeof title === "string" && title !== "" ? title : null,
      trigger: event,
      wakeAt: readWakeAt(value["wakeAt"]),
    },
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

/** A wish that cannot be read is ignored; the core clamps the others. */
function readWakeAt(given: unknown): Instant | null {
  if (typeof given === "number") return given;
  if (typeof given !== "string") return null;
  const at = Date.parse(given);
  return Number.isNaN(at) ? null : at;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
