import type { Store, WorkflowSummary } from "@holdfast/core";
import { findSummary, listActivity } from "@holdfast/host";
import { type ActivityAnswer, activityRequest } from "@holdfast/protocol";
import { Hono } from "hono";
import { type ApiEnv, reachOf } from "./api-env.ts";
import { readQuery } from "./read-query.ts";

/** What came in and what was done, over all workflows that whoever asks may see. */
export function activity(store: Store): Hono<ApiEnv> {
  const app = new Hono<ApiEnv>();
  app.get("/", async (context) => {
    const { after = null, limit, workflow } = readQuery(context, activityRequest);
    const summaries = await summariesOf(store, namesOf(reachOf(context), workflow));
    return context.json<ActivityAnswer>(await listActivity(store, { after, limit }, summaries));
  });
  return app;
}

/** Null = all there are. */
function namesOf(
  reach: readonly string[] | null,
  workflow: string | undefined,
): readonly string[] | null {
  if (workflow === undefined) return reach;
  return reach === null || reach.includes(workflow) ? [workflow] : [];
}

async function summariesOf(
  store: Store,
  names: readonly string[] | null,
): Promise<readonly WorkflowSummary[] | null> {
  if (names === null) return null;
  const found = await Promise.all([...new Set(names)].map((name) => findSummary(store, name)));
  return found.filter((each) => each !== null);
}
