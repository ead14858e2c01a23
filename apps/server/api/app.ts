import type { CanonicalValue } from "@holdfast/core";
import {
  answerRequest,
  brakeAllRequest,
  commandRequest,
  deployRequest,
  type HealthAnswer,
  type VerdictAnswer,
  type WorkflowAnswer,
} from "@holdfast/protocol";
import { type Context, Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import type { Accounts } from "../accounts.ts";
import type { Policies } from "../policies.ts";
import type { ScriptWorkshop } from "../ports.ts";
import { commandOfAnswer } from "./answer-question.ts";
import { type Asked, ask, askedBy, toldBefore } from "./asking.ts";
import { brakeAll } from "./brake-all.ts";
import { checkResolution, type ResolutionParts } from "./check-resolution.ts";
import { commandBody } from "./command-body.ts";
import { deploy } from "./deploy.ts";
import { type HookParts, hooks } from "./hooks.ts";
import { ApiProblem, answerProblem } from "./problem.ts";
import { desk, questions } from "./questions.ts";
import { type RepairParts, repairs } from "./repairs.ts";
import { requireToken } from "./require-token.ts";
import { resumeAffected } from "./resume-affected.ts";

export type ApiParts = HookParts &
  RepairParts &
  ResolutionParts & {
    readonly workshop: ScriptWorkshop;
    readonly accounts: Accounts;
    readonly policies: Policies;
  };

const bodyBytesMax = 4_194_304;
const workflowsPerPage = 500;

/** The local way in: everything a person or a program may ask of this host. */
export function makeApp(parts: ApiParts): Hono {
  const { store } = parts;
  const app = new Hono();
  app.onError((error, context) => answerProblem(context, error));
  app.notFound((context) => answerProblem(context, nothingAt(context)));
  app.use(bodyLimit({ maxSize: bodyBytesMax, onError: tooLarge }));
  app.get("/health", (context) => {
    const answer: HealthAnswer = { status: "ok", storeIncarnation: store.storeIncarnation };
    return context.json(answer);
  });
  app.route("/hooks", hooks(parts));
  app.use("/api/*", requireToken(parts.token));
  app.get("/api/v1/workflows", async (context) => {
    const after = context.req.query("after") ?? null;
    const found = await store.listWorkflows(after, workflowsPerPage);
    const items = found.map(
      ({ workflow, head, owner, dueAt }): WorkflowAnswer => ({
        workflow,
        records: head.seq,
        owner,
        dueAt,
      }),
    );
    const next = items.length === workflowsPerPage ? items.at(-1)?.workflow : undefined;
    return context.json({ items, next: next ?? null });
  });
  app.post("/api/v1/versions", async (context) => {
    const given = await readBody(context, deployRequest);
    return context.json(await deploy(parts, given, askedBy(context)));
  });
  app.post("/api/v1/accounts/:account/resume", async (context) =>
    context.json(await resumeAffected(parts, context.req.param("account"), askedBy(context))),
  );
  app.post("/api/v1/workflows/:workflow/commands", async (context) => {
    const command = await readBody(context, commandRequest);
    const verdict = await give(parts, context.req.param("workflow"), askedBy(context), command);
    return context.json(verdict, verdict.accepted === null ? 202 : 200);
  });
  app.post("/api/v1/workflows/:workflow/attention/:id", async (context) => {
    const { workflow, id: attentionId } = context.req.param();
    const given = await readBody(context, answerRequest);
    const command = await commandOfAnswer(store, workflow, { attentionId, given });
    const verdict = await give(parts, workflow, askedBy(context), command);
    return context.json(verdict, verdict.accepted === null ? 202 : 200);
  });
  app.post("/api/v1/brake", async (context) => {
    const given = await readBody(context, brakeAllRequest);
    return context.json(await brakeAll(store, given, askedBy(context)));
  });
  app.get("/api/v1/workflows/:workflow/policy", (context) => {
    const { connection, operation = null } = context.req.query();
    const call = connection === undefined ? null : { connection, operation };
    return context.json({ items: parts.policies.explain(context.req.param("workflow"), call) });
  });
  app.route("/api/v1/attention", desk(store));
  app.route("/api/v1/workflows", repairs(parts));
  app.route("/api/v1/workflows", questions(store));
  return app;
}

/** What a person says of the outside is looked at first; said twice, it is looked at once. */
async function give(
  parts: ApiParts,
  workflow: string,
  asked: Asked,
  {
    kind,
    body,
  }: { readonly kind: string; readonly body: Readonly<Record<string, CanonicalValue>> },
): Promise<VerdictAnswer> {
  const { store } = parts;
  const isWord = kind === "resolve_mutation";
  const told = isWord ? await toldBefore(store, workflow, asked) : null;
  if (told !== null) return told;
  const checked = isWord ? await checkResolution(parts, workflow, body) : body;
  return ask(store, workflow, { ...asked, kind, body: commandBody(kind, checked) });
}

function nothingAt({ req }: Context): ApiProblem {
  return new ApiProblem(404, "REQUEST_INVALID", `There is nothing at ${req.method} ${req.path}.`);
}

function tooLarge(context: Context): Response {
  const detail = `A request may have ${bodyBytesMax} bytes.`;
  return answerProblem(context, new ApiProblem(413, "REQUEST_INVALID", detail));
}

type Schema<T> = {
  safeParse(given: unknown):
    | { readonly success: true; readonly data: T }
    | {
        readonly success: false;
        readonly error: {
          readonly issues: readonly { path: readonly PropertyKey[]; message: string }[];
        };
      };
};

async function readBody<T>(context: Context, schema: Schema<T>): Promise<T> {
  const given: unknown = await context.req.json().catch(() => {
    throw new ApiProblem(400, "REQUEST_INVALID", "The body is not JSON.");
  });
  const read = schema.safeParse(given);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const where = issue?.path.map(String).join(".") || "the body";
  throw new ApiProblem(422, "REQUEST_INVALID", `${where}: ${issue?.message ?? "not valid"}.`);
}
