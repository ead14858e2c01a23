import type { Store } from "@holdfast/core";
import { Hono } from "hono";
import { activity } from "./activity.ts";
import type { ApiEnv } from "./api-env.ts";
import { lists } from "./lists.ts";
import { answerProblem } from "./problem.ts";
import { desk, questions, storeBrake } from "./questions.ts";
import { resources } from "./resources.ts";

/** Nothing of the sort is told without a host. */
export const notReadStatus = 501;

/**
 * What the API tells of a store, for whoever has the store open and no host: the same answers at
 * the same addresses. Nobody is asked who they are: they could read the files as well.
 */
export function readingApp(store: Store): Hono<ApiEnv> {
  const app = new Hono<ApiEnv>();
  app.onError((error, context) => answerProblem(context, error));
  app.notFound((context) => context.json({}, notReadStatus));
  app.route("/api/v1/attention", desk(store));
  app.route("/api/v1/brake", storeBrake(store));
  app.route("/api/v1/activity", activity(store));
  app.route("/api/v1/workflows", lists(store));
  app.route("/api/v1/workflows", resources(store));
  app.route("/api/v1/workflows", questions(store));
  return app;
}
