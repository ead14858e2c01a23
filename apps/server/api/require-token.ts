import { createHash, timingSafeEqual } from "node:crypto";
import type { MiddlewareHandler } from "hono";
import { ApiProblem } from "./problem.ts";

/** Takes as long whatever is given. */
export function isToken(token: string, authorization: string | undefined): boolean {
  return timingSafeEqual(digest(authorization ?? ""), digest(`Bearer ${token}`));
}

/** Nothing under the API is seen or done without the host's token. */
export function requireToken(token: string): MiddlewareHandler {
  return async (context, next) => {
    if (!isToken(token, context.req.header("authorization"))) {
      throw new ApiProblem(401, "TOKEN_WRONG", "The request has no token, or a wrong one.", {
        remedy:
          "Send `authorization: Bearer <token>`; it is in the data folder of the host, " +
          "or what HOLDFAST_TOKEN says.",
      });
    }
    await next();
  };
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
