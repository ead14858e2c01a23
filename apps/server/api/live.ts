import { Hono } from "hono";
import type { Access, Asker } from "../access/access.ts";
import { log } from "../host-log.ts";
import type { Live } from "../live/live.ts";
import type { ApiContext, ApiEnv } from "./api-env.ts";
import { ApiProblem } from "./problem.ts";
import { findVisitCookie } from "./visit-cookie.ts";
import { findTokenAsker, isWithinReach } from "./who-asks.ts";

export type LiveStreamParts = { readonly access: Access; readonly live: Live };

const comeBackMs = 5_000;

/** Which workflows have moved on, as it happens. */
export function liveChanges({ access, live }: LiveStreamParts): Hono<ApiEnv> {
  const app = new Hono<ApiEnv>();
  const headers = { "content-type": "text/event-stream", "x-accel-buffering": "no" };
  app.get("/", async (context) => {
    // Nobody would read it.
    if (context.req.method === "HEAD") return context.body(null, 200, headers);
    const after = context.req.header("last-event-id") ?? context.req.query("after") ?? null;
    const stream = await live.open(after, {
      isIn: () => isStillIn(access, context),
      isSeen: (workflow) => isWithinReach(context.get("asker"), workflow),
      cutOff: () => context.env.outgoing.destroy(),
    });
    if (stream === null) throw tooMany(live.openCount);
    return context.body(stream.body, 200, headers);
  });
  return app;
}

/** As it was at the door: a token that was revoked, or a visit that is over, sees nothing more. */
function isStillIn(access: Access, context: ApiContext): boolean {
  const { by }: Asker = context.get("asker");
  try {
    if (by === "token") return findTokenAsker(access, context) !== null;
    const cookie = findVisitCookie(context);
    return cookie !== null && typeof access.findVisit(cookie) !== "string";
  } catch (error) {
    log.complain(`a live stream ends: who reads it cannot be found out: ${error}`);
    return false;
  }
}

function tooMany(count: number): ApiProblem {
  const detail = `${count} streams are open, and no more are opened now.`;
  return new ApiProblem(503, "STREAMS_TOO_MANY", detail, {
    remedy: "Close views that nobody looks at, and come back later.",
    retryAfterMs: comeBackMs,
  });
}
