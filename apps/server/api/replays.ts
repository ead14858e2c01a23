import { createHash } from "node:crypto";
import { idempotencyHeader } from "@holdfast/protocol";
import type { Next } from "hono";
import { type ApiContext, headerOf } from "./api-env.ts";
import { ApiProblem } from "./problem.ts";

const keptMs = 600_000;
const keptCountMax = 1_000;
/** What is longer can be had again, and is not kept. */
const keptBytesMax = 65_536;

type Kept = {
  readonly digest: string;
  readonly until: number;
  readonly answer: Promise<Answer | null>;
};

type Answer = {
  readonly status: number;
  readonly body: ArrayBuffer;
  readonly type: string | null;
};

/**
 * The same key with the same request is the same request, and has the same answer: for a while out
 * of memory, word for word; after that, or after a restart, a command is still known by its key in
 * the inbox, and is done once.
 */
export function replays(now: () => number = Date.now) {
  const kept = new Map<string, Kept>();
  /** Null = the answer is the route's, and is where those of routes are. */
  return async (context: ApiContext, next: Next): Promise<Response | null> => {
    const key = headerOf(context, idempotencyHeader);
    if (context.req.method !== "POST" || key === undefined || !context.get("asker")) {
      await next();
      return null;
    }
    const { tokenHash } = context.get("asker");
    const name = JSON.stringify([tokenHash, context.req.path, key]);
    const digest = createHash("sha256")
      .update(await context.req.text())
      .digest("hex");
    const before = kept.get(name);
    if (before && before.until > now()) {
      if (before.digest !== digest) throw reused(key);
      const told = await before.answer;
      if (told !== null) return again(told);
    }
    const { promise, resolve } = Promise.withResolvers<Answer | null>();
    forgetOld(kept, now());
    kept.set(name, { digest, until: now() + keptMs, answer: promise });
    try {
      await next();
    } finally {
      const told = await answerOf(context);
      if (told === null) kept.delete(name);
      resolve(told);
    }
    return null;
  };
}

/** Null = it is not the last word, or too long. */
async function answerOf(context: ApiContext): Promise<Answer | null> {
  const { status } = context.res;
  if (status === 202 || status === 429 || status >= 500) return null;
  const body = await context.res.clone().arrayBuffer();
  if (body.byteLength > keptBytesMax) return null;
  return { status, body, type: context.res.headers.get("content-type") };
}

function again({ status, body, type }: Answer): Response {
  return new Response(body, { status, headers: type === null ? {} : { "content-type": type } });
}

/** In the order they came: the first is the oldest. */
function forgetOld(kept: Map<string, Kept>, now: number): void {
  for (const [name, { until }] of kept) {
    if (until > now && kept.size < keptCountMax) return;
    kept.delete(name);
  }
}

function reused(key: string): ApiProblem {
  return new ApiProblem(409, "COMMAND_ID_REUSED", `The key ${key} was used for something else.`, {
    remedy: "Choose another key for another request.",
  });
}
