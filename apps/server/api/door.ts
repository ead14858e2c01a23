import type { MiddlewareHandler } from "hono";
import { bodyLimit } from "hono/body-limit";
import type { Access } from "../access/access.ts";
import type { ApiContext, ApiEnv } from "./api-env.ts";
import { ownNameGuard } from "./host-name.ts";
import { ApiProblem, answerProblem } from "./problem.ts";
import { replays } from "./replays.ts";
import { requireSoundAddress } from "./sound-address.ts";
import { askerGuard } from "./who-asks.ts";

const bodyBytesMax = 4_194_304;

export type DoorParts = {
  readonly access: Access;
  /** Under which the host is known, besides its addresses. */
  readonly names: readonly string[];
};

/**
 * What every request passes before a route is run, in this order. One step and not one for each:
 * steps cost as much as a small answer. What only reads has no body, and may be asked for twice.
 */
export function door({ access, names }: DoorParts): MiddlewareHandler<ApiEnv> {
  const requireOwnName = ownNameGuard(names);
  const requireAsker = askerGuard(access);
  const limitBody = bodyLimit({ maxSize: bodyBytesMax, onError: tooLarge });
  const answerAgain = replays();
  return (context, next) => {
    requireOwnName(context);
    requireSoundAddress(context);
    requireAsker(context);
    if (context.req.method === "GET") return next();
    return limitBody(context, async () => {
      try {
        const again = await answerAgain(context, next);
        if (again !== null) context.res = again;
      } catch (error) {
        if (!(error instanceof Error)) throw error;
        // Where the limit looks for it: it is the one who broke off the reading of a body.
        context.error = error;
        context.res = answerProblem(context, error);
      }
    });
  };
}

function tooLarge(context: ApiContext): Response {
  const detail = `A request may have ${bodyBytesMax} bytes.`;
  return answerProblem(context, new ApiProblem(413, "REQUEST_INVALID", detail));
}
