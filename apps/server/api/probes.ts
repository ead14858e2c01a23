import type { Store } from "@holdfast/core";
import type { HealthAnswer } from "@holdfast/protocol";
import { Hono } from "hono";
import type { ApiEnv } from "./api-env.ts";
import type { Readiness } from "./readiness.ts";

export type ProbeParts = { readonly store: Store; readonly readiness: Readiness };

/** For whatever watches over the process: whether it lives, whether it works. */
export function probes(parts: ProbeParts): Hono<ApiEnv> {
  const app = new Hono<ApiEnv>();
  app.get("/health", (context) => {
    const { storeIncarnation } = parts.store;
    const answer: HealthAnswer = { status: "ok", storeIncarnation };
    return context.json(answer);
  });
  app.get("/ready", async (context) => {
    const answer = await parts.readiness.answer();
    return context.json(answer, answer.ready ? 200 : 503);
  });
  return app;
}
