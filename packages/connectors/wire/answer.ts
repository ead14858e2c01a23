import {
  type Committed,
  ConnectorError,
  type ConnectorErrorClass,
  type Hide,
  hideInValue,
} from "@holdfast/connector-kit";
import {
  CanonicalError,
  type CanonicalValue,
  encodeCanonical,
  type OperationKind,
} from "@holdfast/core";
import { z } from "zod";
import type { HttpAnswer } from "./request.ts";
import { restMsOf } from "./rest.ts";

/** Refusals that do not prove that nothing happened: the request may have been taken before. */
const unclear = new Set([408, 409, 423, 425]);

const classes: Readonly<Record<number, ConnectorErrorClass>> = {
  401: "auth",
  403: "permission",
  407: "auth",
  412: "precondition",
  429: "transient",
};

/** What an account says of its service's answers. */
export type AnswerRules = {
  /** Statuses that prove that nothing was done, beside those that always do. */
  readonly provesNotDone: readonly number[];
  /** In what the service says of an error. */
  readonly hideInError: Hide;
  readonly hideInResult: Hide;
};

export function isDone({ status }: HttpAnswer): boolean {
  return status >= 200 && status < 300;
}

/** What an answer says of a call. A 4xx proves that nothing was done, with few exceptions. */
export function readAnswer(
  kind: OperationKind,
  answer: HttpAnswer,
  rules: AnswerRules,
): CanonicalValue {
  const { status } = answer;
  if (isDone(answer)) return { status, body: bodyOf(answer, rules.hideInResult) };
  if (kind === "mutation") throw refusedChange(answer, rules);
  if (kind === "read:byId" && (status === 404 || status === 410)) return null;
  throw refusedRead(answer, rules);
}

const change = z.strictObject({ status: z.int().min(200).max(299), body: z.json() });

/** What `readAnswer` would never say of a change. */
export function checkChangeResult(given: CanonicalValue): void {
  const read = change.safeParse(given);
  if (read.success) return;
  const [issue] = read.error.issues;
  const path = issue?.path.map((part) => `/${String(part)}`).join("") || "/";
  throw new ConnectorError("logic", "no", `${path}: ${issue?.message ?? "not valid"}`);
}

function refusedChange(answer: HttpAnswer, rules: AnswerRules): ConnectorError {
  const { status } = answer;
  const isRefusal = status >= 400 && status < 500 && !unclear.has(status);
  const isProof = isRefusal || rules.provesNotDone.includes(status);
  const kind = isRefusal ? (classes[status] ?? "logic") : "transient";
  return errorOf(answer, rules, { kind, committed: isProof ? "no" : "unknown" });
}

/** Too many requests, or nobody behind the gateway: what was asked was not looked at. */
const away = new Set([429, 502, 503, 504]);

/** What an answer says that comes of nobody having been asked; null = it is one to be read. */
export function whyNobodyWasAsked(
  answer: HttpAnswer,
  rules: Pick<AnswerRules, "hideInError">,
): ConnectorError | null {
  if (!away.has(answer.status)) return null;
  return errorOf(answer, rules, { kind: "transient", committed: "no" });
}

function refusedRead(answer: HttpAnswer, rules: AnswerRules): ConnectorError {
  const { status } = answer;
  const mayPass = status >= 500 || unclear.has(status) || status === 429;
  const kind = mayPass ? "transient" : (classes[status] ?? "logic");
  return errorOf(answer, rules, { kind, committed: "no" });
}

function errorOf(
  answer: HttpAnswer,
  { hideInError }: Pick<AnswerRules, "hideInError">,
  { kind, committed }: { readonly kind: ConnectorErrorClass; readonly committed: Committed },
): ConnectorError {
  // Hidden before it is cut: half a secret is one too.
  const said = hideInError(answer.text.toWellFormed()).slice(0, 300).toWellFormed();
  const line = said.replaceAll(/\s+/g, " ").trim();
  const message = `the service answered ${answer.status}${line === "" ? "" : `: ${line}`}`;
  return new ConnectorError(kind, committed, message, { retryAfterMs: restMsOf(answer) });
}

/** A 2xx has done its work, whatever its body is: what cannot be kept as a value stays text. */
function bodyOf(answer: HttpAnswer, hide: Hide): CanonicalValue {
  if (answer.text === "") return null;
  const json = jsonOf(answer, hide);
  return json === null ? hide(answer.text).toWellFormed() : json.value;
}

/** Null = it is empty, or no JSON that can be kept as a value. */
export function jsonOf(
  { contentType, text }: HttpAnswer,
  hide: Hide,
): { readonly value: CanonicalValue } | null {
  if (!/^application\/(?:[\w.-]+\+)?json\b/i.test(contentType)) return null;
  try {
    const value = JSON.parse(text) as CanonicalValue;
    encodeCanonical(value);
    return { value: hideInValue(value, hide) };
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof CanonicalError) return null;
    throw error;
  }
}
