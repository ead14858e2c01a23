import type { RunRow, Store } from "@holdfast/core";
import { readEnvelope, traceOf } from "@holdfast/host";
import type { RepairAnswer } from "@holdfast/protocol";
import { Hono } from "hono";
import type { OpenedScript } from "../ports.ts";
import type { ApiEnv } from "./api-env.ts";
import { ApiProblem } from "./problem.ts";

export type RepairParts = {
  readonly store: Store;
  readonly version: (workflow: string, hash: string) => Promise<OpenedScript>;
};

/**
 * What whoever mends a script has to know, in one piece. Everything in it was stored in the change
 * that made the run fail; credentials and what an operation declares as secret were never in it.
 */
export function repairs({ store, version }: RepairParts): Hono<ApiEnv> {
  const app = new Hono<ApiEnv>();
  app.get("/:workflow/runs/:runId/repair", async (context) => {
    const { workflow, runId } = context.req.param();
    const run = await findRun(store, workflow, runId);
    if (run === null) throw new ApiProblem(404, "REQUEST_INVALID", `There is no run ${runId}.`);
    const { failure, scriptHash } = run;
    if (run.status !== "failed:logic" || failure === null || scriptHash === null) {
      throw new ApiProblem(409, "REQUEST_INVALID", `${runId} did not fail because of its script.`, {
        remedy: "Ask why it waits: holdfast why.",
      });
    }
    const { source } = await version(workflow, scriptHash);
    const grants = (await readEnvelope(store, workflow))?.grants ?? [];
    const granted = grants.filter(({ say }) => say !== "deny");
    const trace = await traceOf(store, { workflow, runId });
    const { handler, phase, version: active } = run;
    const answer: RepairAnswer = {
      workflow,
      runId,
      handler,
      phase,
      version: active,
      scriptHash,
      failure,
      events: trace?.events ?? [],
      phases: trace?.phases ?? [],
      allowed: [...new Set(granted.map(({ operation }) => operation))],
      source,
    };
    return context.json(answer);
  });
  return app;
}

async function findRun(store: Store, workflow: string, runId: string): Promise<RunRow | null> {
  const { rows } = await store.load(workflow, [{ kind: "row", table: "runs", key: [runId] }]);
  const found = rows.find((each) => each.table === "runs");
  return found?.table === "runs" ? found.row : null;
}
