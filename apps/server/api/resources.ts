import type { Store, WorkflowSummary } from "@holdfast/core";
import {
  DoneCounts,
  findSummary,
  type Page,
  showEvent,
  showJobItem,
  showMutation,
  showRun,
  showTopic,
  showWorkflow,
  type WorkflowItem,
  whyOf,
  workflowItem,
} from "@holdfast/host";
import {
  type CallAnswer,
  type EventAnswer,
  type InputAnswer,
  type JobItemAnswer,
  type RunAnswer,
  type TopicAnswer,
  type TopicsAnswer,
  type WorkflowShownAnswer,
  type WorkflowsAnswer,
  workflowsRequest,
} from "@holdfast/protocol";
import { Hono } from "hono";
import { type ApiEnv, reachOf } from "./api-env.ts";
import { KeptReads } from "./kept-reads.ts";
import { ApiProblem, workflowRemedy } from "./problem.ts";
import { readQuery } from "./read-query.ts";

/** One thing of a workflow each, by its id. */
export function resources(store: Store): Hono<ApiEnv> {
  const app = new Hono<ApiEnv>();
  const kept = new KeptReads(store);
  const counts = new DoneCounts(store);
  app.get("/", async (context) => {
    const { after = null, limit } = readQuery(context, workflowsRequest);
    const found = await workflowsAfter(store, { after, limit, reach: reachOf(context) });
    const items = await Promise.all(found.items.map((each) => withDone(counts, each)));
    return context.json<WorkflowsAnswer>({ ...found, items });
  });
  app.get("/:workflow", async (context) => {
    const { workflow } = context.req.param();
    const found = await showWorkflow(store, workflow, Date.now());
    if (found !== null) return context.json<WorkflowShownAnswer>(await withDone(counts, found));
    throw workflowUnknown(workflow);
  });
  app.get("/:workflow/topics", async (context) => {
    const { workflow } = context.req.param();
    const found = await showWorkflow(store, workflow, Date.now());
    if (found !== null) return context.json<TopicsAnswer>({ items: found.topics });
    throw workflowUnknown(workflow);
  });
  app.get("/:workflow/topics/:topic", async (context) => {
    const { workflow, topic } = context.req.param();
    const found = await showTopic(store, workflow, topic);
    return context.json<TopicAnswer>(there(found, workflow, `topic ${topic}`));
  });
  app.get("/:workflow/events/:topic/:messageId", (context) => {
    const { topic, messageId } = context.req.param();
    return kept.answer<EventAnswer>(context, async (workflow) => {
      const found = await showEvent(store, workflow, { topic, messageId });
      return there(found, workflow, `event ${messageId} in ${topic}`);
    });
  });
  app.get("/:workflow/inputs/:inputId{.+}", async (context) => {
    const { workflow, inputId } = context.req.param();
    const answer = await whyOf(store, workflow, inputId, Date.now());
    const found = answer.kind === "explained" ? answer.why.input : null;
    return context.json<InputAnswer>(there(found, workflow, `input ${inputId}`));
  });
  app.get("/:workflow/items/:id{.+}", async (context) => {
    const { workflow, id } = context.req.param();
    const found = await showJobItem(store, workflow, id);
    return context.json<JobItemAnswer>(there(found, workflow, `item ${id}`));
  });
  app.get("/:workflow/runs/:runId", (context) => {
    const runId = context.req.param("runId");
    return kept.answer<RunAnswer>(context, async (workflow) => {
      return there(await showRun(store, workflow, runId), workflow, `run ${runId}`);
    });
  });
  app.get("/:workflow/mutations/:mutationId", (context) => {
    const mutationId = context.req.param("mutationId");
    return kept.answer<CallAnswer>(context, async (workflow) => {
      return there(await showMutation(store, workflow, mutationId), workflow, `call ${mutationId}`);
    });
  });
  return app;
}

async function withDone<T extends WorkflowItem>(counts: DoneCounts, item: T) {
  const { workflow, records, lastAt } = item;
  const head = { seq: records, at: lastAt ?? 0 };
  return { ...item, done: await counts.of(workflow, { head, now: Date.now() }) };
}

function workflowUnknown(workflow: string): ApiProblem {
  const detail = `There is no workflow ${workflow}.`;
  return new ApiProblem(404, "WORKFLOW_UNKNOWN", detail, { remedy: workflowRemedy });
}

function there<T>(found: T | null, workflow: string, what: string): T {
  if (found !== null) return found;
  throw new ApiProblem(404, "REQUEST_INVALID", `${workflow} has no ${what}.`);
}

type Asked = {
  readonly after: string | null;
  readonly limit: number;
  readonly reach: readonly string[] | null;
};

async function workflowsAfter(
  store: Store,
  { after, limit, reach }: Asked,
): Promise<Page<WorkflowItem>> {
  const now = Date.now();
  const found = reach
    ? await summariesOf(store, { names: reach, after, limit })
    : await store.listWorkflows(after, limit);
  const items = await Promise.all(found.map((summary) => workflowItem(store, summary, now)));
  const next = items.length === limit ? items.at(-1)?.workflow : undefined;
  return { items, next: next ?? null };
}

/** Of a token that reaches few: each is looked for by its name. */
async function summariesOf(
  store: Store,
  { names, after, limit }: { names: readonly string[]; after: string | null; limit: number },
): Promise<readonly WorkflowSummary[]> {
  const wanted = [...new Set(names)].filter((name) => after === null || name > after).sort();
  const found = await Promise.all(wanted.map((name) => findSummary(store, name)));
  return found.filter((each) => each !== null).slice(0, limit);
}
