import { CanonicalError, type ErrorCode, errorCodes, HostError } from "@holdfast/core";
import { StateFault } from "@holdfast/core/machine";
import type { ProblemAnswer } from "@holdfast/protocol";
import type { Context } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { log } from "../host-log.ts";

type More = Pick<ProblemAnswer, "remedy" | "refusal" | "problems" | "retryAfterMs">;

/** Thrown by a route: the request cannot be served, and this is why. */
export class ApiProblem extends Error {
  override readonly name = "ApiProblem";
  readonly status: ContentfulStatusCode;
  readonly code: ErrorCode;
  readonly more: More;

  constructor(status: ContentfulStatusCode, code: ErrorCode, detail: string, more: More = {}) {
    super(detail);
    this.status = status;
    this.code = code;
    this.more = more;
  }
}

const hostErrorStatus: Readonly<Record<string, ContentfulStatusCode>> = {
  WORKFLOW_UNKNOWN: 404,
  COMMAND_ID_REUSED: 409,
  COMMAND_MALFORMED: 422,
  CURSOR_UNKNOWN: 422,
  TOKEN_REFUSED: 409,
};

/** A store says `verify`, which on SQLite cannot open one that a host has; here a host answers. */
export const workflowRemedy =
  "Check the name: `holdfast workflow ls` lists the workflows that are there.";

/** What is not ours to explain is a bug: it is logged whole and told as little as possible. */
export function answerProblem(context: Context, error: unknown): Response {
  if (error instanceof ApiProblem) {
    const { status, code, message, more } = error;
    return problem(context, { status, code, detail: message, ...more });
  }
  if (error instanceof HostError) {
    const { code, remedy } = error;
    return problem(context, {
      status: hostErrorStatus[code] ?? 503,
      code,
      detail: detailOf(error),
      remedy: code === "WORKFLOW_UNKNOWN" ? workflowRemedy : remedy,
    });
  }
  if (error instanceof StateFault) {
    const code = error.code === "state.missing" ? "BLOB_MISSING" : "BLOB_CORRUPT";
    const detail = `What is kept of the machines is damaged: ${error.message}.`;
    const remedy = "Restore a backup; holdfast verify --full says what is damaged.";
    return problem(context, { status: 503, code, detail, remedy });
  }
  if (error instanceof CanonicalError) {
    return problem(context, { status: 422, code: "REQUEST_INVALID", detail: error.message });
  }
  log.broke(error);
  const answer = { type: "about:blank", title: "a mistake of Holdfast itself", status: 500 };
  return context.json(answer, 500, { "content-type": "application/problem+json" });
}

/** The message says all of it in one text; in an answer each part has its own place. */
function detailOf({ code, message, remedy }: HostError): string {
  return message.slice(code.length + 2).replace(` ${errorCodes[code]} ${remedy}`, "");
}

function problem(
  context: Context,
  given: Omit<ProblemAnswer, "type" | "title"> & {
    readonly status: ContentfulStatusCode;
    readonly code: ErrorCode;
  },
): Response {
  const type = `docs/errors/${given.code}.md`;
  const title = errorCodes[given.code];
  const answer: ProblemAnswer = { type, title, ...given, detail: sentence(given.detail) };
  const { status, retryAfterMs } = given;
  const headers = {
    "content-type": "application/problem+json",
    ...(status === 401 ? { "www-authenticate": "Bearer" } : {}),
    ...(retryAfterMs === undefined ? {} : { "retry-after": `${Math.ceil(retryAfterMs / 1_000)}` }),
  };
  return context.body(JSON.stringify(answer), given.status, headers);
}

/** Other sentences are put behind it. */
function sentence(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}
