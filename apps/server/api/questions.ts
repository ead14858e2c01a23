import type { Store } from "@holdfast/core";
import {
  listAttention,
  listQuestions,
  listWedges,
  type StoppedCell,
  showAttention,
  type showStoppedCell,
  traceOf,
  whyOf,
} from "@holdfast/host";
import {
  pageRequest,
  type QuestionAnswer,
  type QuestionsAnswer,
  type StoreBrakeAnswer,
  type TraceAnswer,
  type WedgesAnswer,
  type WhyOfAnswer,
} from "@holdfast/protocol";
import { type Context, Hono } from "hono";
import { type ApiEnv, reachOf } from "./api-env.ts";
import type { FindDeclared } from "./declared-operations.ts";
import { ApiProblem } from "./problem.ts";
import { oneOf, paged, readQuery, requireOnly } from "./read-query.ts";

/** Every open question of this host's store, whoever it belongs to. */
export function desk(store: Store): Hono<ApiEnv> {
  const app = new Hono<ApiEnv>();
  app.get("/", async (context) => {
    const { status = null, ...page } = readQuery(context, pageRequest);
    requireOnly("open", status);
    return context.json<QuestionsAnswer>(await listQuestions(store, paged(page), reachOf(context)));
  });
  return app;
}

export type FindStoppedCell = (
  workflow: string,
  question: Parameters<typeof showStoppedCell>[1],
) => Promise<StoppedCell | null>;

/** Whether all sending is stopped. */
export function storeBrake(store: Store): Hono<ApiEnv> {
  const app = new Hono<ApiEnv>();
  app.get("/", async (context) => {
    return context.json<StoreBrakeAnswer>({ brake: await store.findStoreBrake() });
  });
  return app;
}

/** What people ask about a workflow. Nothing here changes anything. */
export function questions(
  store: Store,
  /** Absent = nobody here knows any connector. */
  declaredOf: (workflow: string) => Promise<FindDeclared> = async () => () => null,
  /** Absent = nobody here can look at machines. */
  cellOf: FindStoppedCell = async () => null,
): Hono<ApiEnv> {
  const app = new Hono<ApiEnv>();
  const now = () => Date.now();
  app.get("/:workflow/attention", async (context) => {
    const workflow = context.req.param("workflow");
    const { status = null, ...page } = readQuery(context, pageRequest);
    const query = { ...paged(page), status: oneOf(["open", "closed"], status) };
    return context.json<QuestionsAnswer>(await listAttention(store, workflow, query));
  });
  app.get("/:workflow/attention/:id", async (context) => {
    const { workflow, id } = context.req.param();
    const found = await showAttention(store, workflow, id);
    if (found !== null) {
      const find = await declaredOf(workflow);
      const declared = found.call === null ? null : find(found.call.operation);
      const cell = found.closedAt === null ? await cellOf(workflow, found) : null;
      return context.json<QuestionAnswer>({ ...found, declared, cell });
    }
    throw new ApiProblem(404, "REQUEST_INVALID", `${workflow} has no question ${id}.`);
  });
  app.get("/:workflow/runs/:runId/trace", async (context) => {
    const { workflow, runId } = context.req.param();
    const after = Number(context.req.query("after") ?? 0);
    const found = Number.isInteger(after) ? await traceOf(store, { workflow, runId }, after) : null;
    if (found !== null)
      return context.json<TraceAnswer>({ ...found, sent: await sentBy(store, found) });
    throw new ApiProblem(404, "REQUEST_INVALID", `${workflow} has no run ${runId}.`);
  });
  app.get("/:workflow/wedges", async (context) => {
    const workflow = context.req.param("workflow");
    return context.json<WedgesAnswer>({ items: await listWedges(store, workflow, now()) });
  });
  app.get("/:workflow/why", (context) => explain(context, store, context.req.param("workflow")));
  app.get("/:workflow/why/:id{.+}", (context) => explain(context, store, context.req.param("id")));
  return app;
}

/** What a run did outside is in the ledger, not in what its script did. */
async function sentBy(
  store: Store,
  { workflow, runId }: { readonly workflow: string; readonly runId: string },
) {
  const answer = await whyOf(store, workflow, runId, Date.now());
  return answer.kind === "explained" ? (answer.why.run?.calls ?? []) : [];
}

async function explain(context: Context, store: Store, id: string): Promise<Response> {
  const workflow = context.req.param("workflow") ?? "";
  const answer = await whyOf(store, workflow, id, Date.now());
  if (answer.kind === "explained") return context.json<WhyOfAnswer>(answer.why);
  if (answer.kind === "ambiguous") {
    throw new ApiProblem(409, "REQUEST_INVALID", `${id} stands in several topics.`, {
      remedy: `Ask for one of: ${answer.ids.join(", ")}.`,
    });
  }
  throw new ApiProblem(404, "REQUEST_INVALID", `${workflow} has no ${id}.`, {
    remedy: "Ask for a run, a mutation, a question, an event or an input by its id.",
  });
}
