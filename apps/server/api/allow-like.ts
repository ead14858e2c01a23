import {
  encodeGrants,
  type Instant,
  type StandingRule,
  type Store,
  sayGrant,
} from "@holdfast/core";
import { ruleLike } from "@holdfast/host";
import { type AllowLikeAnswer, type AllowLikeRequest, allowLikeRequest } from "@holdfast/protocol";
import { Hono } from "hono";
import type { ApiContext, ApiEnv } from "./api-env.ts";
import { ask, askedBy, toldBefore } from "./asking.ts";
import { parseGrants } from "./check-grants.ts";
import { declaredIn } from "./declared-operations.ts";
import { changesOf } from "./grants.ts";
import { expectedOf, requireMatch } from "./if-match.ts";
import { ApiProblem } from "./problem.ts";
import { readBody } from "./read-body.ts";

type RuleParts = Parameters<typeof declaredIn>[0] & {
  readonly store: Store;
  readonly now: () => Instant;
};

/** "Allow calls like this": a standing rule made of a call that somebody was asked about. */
export function allowLikes(parts: RuleParts): Hono<ApiEnv> {
  const app = new Hono<ApiEnv>();
  app.post("/:workflow/attention/:id/allow-like", async (context) => {
    const given = await readBody(context, allowLikeRequest);
    const answer = await allowLike(parts, context, given);
    return context.json(answer, answer.accepted === null && !given.preview ? 202 : 200);
  });
  return app;
}

async function allowLike(
  parts: RuleParts,
  context: ApiContext,
  given: AllowLikeRequest,
): Promise<AllowLikeAnswer> {
  const { store, now } = parts;
  const { workflow = "", id: attentionId = "" } = context.req.param();
  const asked = askedBy(context, "set_envelope");
  const told = await toldBefore(store, workflow, asked);
  if (told !== null) return { ...told, from: 0, to: null, changes: [], rule: "" };
  const find = await declaredIn(parts, workflow);
  const riskOf = (operation: string) => find(operation)?.risk ?? null;
  const like = { attentionId, rule: ruleOf(given), now: now(), riskOf };
  const found = await ruleLike(store, workflow, like);
  if (found === null) throw notAsked(attentionId);
  if (!found.ok) throw noRule(found.message);
  const from = found.from?.number ?? 0;
  requireMatch(expectedOf(context), String(from), "the number of the grants in force");
  const grants = [...(found.from?.grants ?? []), found.grant];
  const changes = changesOf(found.from, { number: null, grants });
  const shown = { ...changes, rule: sayGrant(found.grant) };
  if (given.preview) return { commandId: asked.commandId, accepted: null, note: "", ...shown };
  // The list is made from these grants: if others are in force by then, nothing is changed.
  const body = { grants: encodeGrants(grants), expects: from };
  return { ...(await ask(store, workflow, { ...asked, body })), ...shown };
}

/** Read like any grant, so that what is not understood is refused. */
function ruleOf({ where, limits, expiresAt, ...rest }: AllowLikeRequest): StandingRule {
  const amount = rest.amount ?? null;
  // The asking grant may say where the amount stands: that is looked at with that grant.
  const draft = { where, limits, expiresAt, amount: amount ?? "" };
  const [read] = parseGrants([{ operation: "any.operation", say: "allow", ...draft }]);
  if (read === undefined || read.expiresAt === null) throw noRule("it needs an end");
  return { open: read.where, limits: read.limits, amount, expiresAt: read.expiresAt };
}

function notAsked(attentionId: string): ApiProblem {
  const text = `There is no question ${attentionId} about a call that asks to be allowed.`;
  const remedy = "Nothing was changed.";
  return new ApiProblem(409, "COMMAND_REFUSED", text, { refusal: "attention_not_found", remedy });
}

function noRule(why: string): ApiProblem {
  const remedy = "Nothing was changed; the call waits as it was.";
  return new ApiProblem(422, "REQUEST_INVALID", `No standing rule can be made: ${why}.`, {
    remedy,
  });
}
