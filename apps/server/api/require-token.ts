import { createHash, timingSafeEqual } from "node:crypto";
import type { MiddlewareHandler } from "hono";
import { ApiProblem } from "./problem.ts";

/** Nothing under the API is seen or done without the host's token. */
export function requireToken(token: string): MiddlewareHandler {
  const wanted = digest(`Bearer ${token}`);
  return async (context, next) => {
    const given = context.req.header("authorization") ?? "";
    if (!timingSafeEqual(digest(given), wanted)) {
      throw new ApiProblem(401, "TOKEN_WRONG", "The request has no token, or a wrong one.", {
        remedy: "Send `authorization: Bearer <token>`; the host printed where its token is.",
      });
    }
    await next();
  };
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
