import type { Store } from "@holdfast/core";
import type { HealthAnswer } from "@holdfast/protocol";
import { Hono } from "hono";
import type { Metrics } from "../metrics/metrics.ts";
import { describeApi, type OpenApi } from "../openapi/describe-api.ts";
import type { ApiEnv } from "./api-env.ts";
import type { Readiness } from "./readiness.ts";

export type ProbeParts = {
  readonly store: Store;
  readonly readiness: Readiness;
  readonly metrics: Metrics;
};

/** For programs that do not know this host yet: whether it lives and works, and what it offers. */
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
  app.get("/metrics", async (context) => {
    const type = "text/plain; version=0.0.4; charset=utf-8";
    return context.body(await parts.metrics.text(), 200, { "content-type": type });
  });
  let description: OpenApi | null = null;
  app.get("/api/v1/openapi.json", (context) => {
    description ??= describeApi();
    return context.json(description);
  });
  return app;
}
