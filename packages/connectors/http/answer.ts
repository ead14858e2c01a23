import { type Committed, ConnectorError, type ConnectorErrorClass } from "@holdfast/connector-kit";
import {
  CanonicalError,
  type CanonicalValue,
  encodeCanonical,
  type OperationKind,
} from "@holdfast/core";
import type { HttpAnswer } from "./request.ts";

/** Refusals that do not prove that nothing happened: the request may have been taken before. */
const unclear = new Set([408, 409, 423, 425]);

const classes: Readonly<Record<number, ConnectorErrorClass>> = {
  401: "auth",
  403: "permission",
  407: "auth",
  412: "precondition",
  429: "transient",
};

/** What an answer says of a call. A 4xx proves that nothing was done, with few exceptions. */
export function readAnswer(kind: OperationKind, answer: HttpAnswer): CanonicalValue {
  const { status } = answer;
  if (status >= 200 && status < 300) return { status, body: bodyOf(answer) };
  if (kind === "mutation") throw refusedChange(answer);
  if (kind === "read:byId" && (status === 404 || status === 410)) return null;
  throw refusedRead(answer);
}

function refusedChange(answer: HttpAnswer): ConnectorError {
  const { status } = answer;
  const isProof = status >= 400 && status < 500 && !unclear.has(status);
  return errorOf(answer, isProof ? (classes[status] ?? "logic") : "transient", isProof);
}

function refusedRead(answer: HttpAnswer): ConnectorError {
  const { status } = answer;
  const mayPass = status >= 500 || unclear.has(status) || status === 429;
  return errorOf(answer, mayPass ? "transient" : (classes[status] ?? "logic"), true);
}

function errorOf(answer: HttpAnswer, kind: ConnectorErrorClass, isProof: boolean): ConnectorError {
  const committed: Committed = isProof ? "no" : "unknown";
  const said = answer.text.slice(0, 300).toWellFormed().replaceAll(/\s+/g, " ").trim();
  const message = `the service answered ${answer.status}${said === "" ? "" : `: ${said}`}`;
  return new ConnectorError(kind, committed, message, { retryAfterMs: retryAfterMs(answer) });
}

/** Seconds; a date would have to be compared with a clock that is not ours. */
function retryAfterMs({ retryAfter }: HttpAnswer): number | null {
  return retryAfter !== null && /^\d{1,9}$/.test(retryAfter) ? Number(retryAfter) * 1_000 : null;
}

/** A 2xx has done its work, whatever its body is: what cannot be kept as a value stays text. */
function bodyOf({ contentType, text }: HttpAnswer): CanonicalValue {
  if (text === "") return null;
  if (!/^application\/(?:[\w.-]+\+)?json\b/i.test(contentType)) return text.toWellFormed();
  try {
    const value = JSON.parse(text) as CanonicalValue;
    encodeCanonical(value);
    return value;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof CanonicalError) return text.toWellFormed();
    throw error;
  }
}
