import type { CoreCommand } from "@holdfast/core";
import { WorkflowOwner } from "@holdfast/host";
import { openMemoryStore } from "@holdfast/store/memory";
import { expect, test } from "vitest";
import { answerProblem } from "./problem.ts";
import { repairs } from "./repairs.ts";

type Failure = Extract<CoreCommand, { kind: "fail_run" }>["failure"];

/** What is said of a producer whose only run failed like this. */
async function failedWith(kind: Failure["class"]): Promise<Response> {
  const store = openMemoryStore({ clock: () => 1, newIncarnation: () => "store" });
  await store.createWorkflow("orders");
  const { epoch } = await store.load("orders", []);
  const owner = new WorkflowOwner(store, { workflow: "orders", epoch });
  const execute = async (command: CoreCommand) => {
    const executed = await owner.execute([command], 1);
    expect(executed.kind).toBe("done");
  };
  await execute({ kind: "create_workflow", name: "orders" });
  const handler = {
    name: "poll",
    kind: "producer",
    subscribe: [],
    publishes: null,
    onMutationFailed: "prepare",
    catchUp: "once",
    webhook: false,
    start: "manual",
    scheduled: false,
  } as const;
  await execute({
    kind: "activate_version",
    actor: "ada",
    major: 1,
    minor: 0,
    scriptHash: "h",
    script: null,
    topics: [],
    handlers: [handler],
    connections: [],
    grants: null,
    progress: "keep",
  });
  const { head } = await store.load("orders", []);
  await execute({ kind: "start_run", handler: "poll", asOf: head.seq, trigger: "manual" });
  const runId = `r${head.seq + 1}`;
  const failure = { class: kind, message: "a bug", location: "poll" };
  await execute({ kind: "fail_run", runId, failure });
  const source = { entry: "a.ts", files: {} };
  const version = async () => ({ source, uses: [] }) as never;
  const app = repairs({ store, version });
  app.onError((error, context) => answerProblem(context, error));
  return app.request(`/orders/runs/${runId}/repair`);
}

test("[R111] a mistake of the host is no request to mend a script", async () => {
  const refused = await failedWith("internal");
  expect(refused.status).toBe(409);
  expect(await refused.text()).toContain("did not fail because of its script");
  expect((await failedWith("logic")).status).toBe(200);
});
