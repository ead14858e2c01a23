import type { CanonicalValue } from "@holdfast/core";
import {
  type AnswerRequest,
  answerRequest,
  brakeAllRequest,
  commandRequest,
  deployRequest,
  type VerdictAnswer,
} from "@holdfast/protocol";
import { Hono } from "hono";
import { type PageParts, servePage } from "../page/serve-page.ts";
import type { Policies } from "../policies.ts";
import type { ScriptWorkshop } from "../ports.ts";
import { activity } from "./activity.ts";
import { allowLikes } from "./allow-like.ts";
import { commandOfAnswer, withBothCalls } from "./answer-question.ts";
import type { ApiContext, ApiEnv } from "./api-env.ts";
import { type Asked, ask, askedBy, toldBefore } from "./asking.ts";
import { brakeAll } from "./brake-all.ts";
import { checkResolution, type ResolutionParts } from "./check-resolution.ts";
import { commandBody, requireKind } from "./command-body.ts";
import { type ConnectionParts, connections } from "./connections.ts";
import { declaredIn } from "./declared-operations.ts";
import { deploy } from "./deploy.ts";
import { type DoorParts, door } from "./door.ts";
import { type EditParts, edits } from "./edits.ts";
import { type ExecutorParts, executors } from "./executors.ts";
import { type GrantParts, grants } from "./grants.ts";
import { type HookParts, hooks } from "./hooks.ts";
import { lists } from "./lists.ts";
import { type LiveStreamParts, liveChanges } from "./live.ts";
import { logins } from "./login.ts";
import { judgeMachineControl } from "./machine-control.ts";
import { checkMachineInput } from "./machine-input.ts";
import { type MachineParts, machines, stoppedCells } from "./machines.ts";
import { type ProbeParts, probes } from "./probes.ts";
import { ApiProblem, answerProblem } from "./problem.ts";
import { proposals } from "./proposals.ts";
import { desk, questions, storeBrake } from "./questions.ts";
import { readBody } from "./read-body.ts";
import { type RepairParts, repairs } from "./repairs.ts";
import { resources } from "./resources.ts";
import { resumeAffected } from "./resume-affected.ts";
import { revokeAccount } from "./revoke-account.ts";
import { type TokenParts, tokens } from "./tokens.ts";

export type ApiParts = ConnectionParts &
  DoorParts &
  HookParts &
  LiveStreamParts &
  PageParts &
  ProbeParts &
  RepairParts &
  ResolutionParts &
  EditParts &
  ExecutorParts &
  MachineParts &
  TokenParts &
  GrantParts & {
    readonly workshop: ScriptWorkshop;
    readonly policies: Policies;
  };

/** The local way in: everything a person or a program may ask of this host. */
export function makeApp(parts: ApiParts): Hono<ApiEnv> {
  const { store } = parts;
  const app = new Hono<ApiEnv>();
  app.onError((error, context) => answerProblem(context, error));
  app.notFound((context) => answerProblem(context, nothingAt(context)));
  app.use(door(parts));
  app.route("/", probes(parts));
  app.route("/hooks", hooks(parts));
  app.route("/", servePage(parts));
  app.route("/", logins(parts));
  const ofHost = { tokens, executors, live: liveChanges };
  for (const [name, each] of Object.entries(ofHost)) app.route(`/api/v1/${name}`, each(parts));
  app.post("/api/v1/versions", async (context) => {
    const given = await readBody(context, deployRequest);
    const kind = given.propose ? "propose_version" : "activate_version";
    return context.json(await deploy(parts, given, askedBy(context, kind)));
  });
  app.post("/api/v1/accounts/:account/resume", async (context) => {
    const asked = askedBy(context, "resume_run");
    return context.json(await resumeAffected(parts, context.req.param("account"), asked));
  });
  app.post("/api/v1/accounts/:account/revoke", (context) => {
    return context.json(revokeAccount(parts.accounts, context.req.param("account")));
  });
  app.post("/api/v1/workflows/:workflow/commands", async (context) => {
    const { kind, body } = await readBody(context, commandRequest);
    requireKind(kind);
    const verdict = await give(parts, context.req.param("workflow"), {
      ...askedBy(context, kind),
      body,
    });
    return context.json(verdict, verdict.accepted === null ? 202 : 200);
  });
  app.post("/api/v1/workflows/:workflow/attention/:id", async (context) => {
    const given = await readBody(context, answerRequest);
    const verdict = await answer(parts, context, given);
    return context.json(verdict, verdict.accepted === null ? 202 : 200);
  });
  app.post("/api/v1/brake", async (context) => {
    const given = await readBody(context, brakeAllRequest);
    const kind = given.isOn ? "set_brake" : "release_brake";
    return context.json(await brakeAll(store, given, askedBy(context, kind)));
  });
  app.get("/api/v1/policy", (context) => context.json({ items: parts.policies.explainHost() }));
  app.get("/api/v1/workflows/:workflow/policy", (context) => {
    const { connection, operation = null } = context.req.query();
    const call = connection === undefined ? null : { connection, operation };
    return context.json({ items: parts.policies.explain(context.req.param("workflow"), call) });
  });
  const ofAll = { attention: desk, brake: storeBrake, activity };
  for (const [name, each] of Object.entries(ofAll)) app.route(`/api/v1/${name}`, each(store));
  const withParts = [edits, allowLikes, grants, repairs, connections, machines, proposals];
  const ofWorkflows = [
    ...withParts.map((each) => each(parts)),
    ...[lists(store), resources(store)],
    questions(store, (workflow) => declaredIn(parts, workflow), stoppedCells(parts)),
  ];
  for (const each of ofWorkflows) app.route("/api/v1/workflows", each);
  return app;
}

async function answer(
  parts: ApiParts,
  context: ApiContext,
  given: AnswerRequest,
): Promise<VerdictAnswer> {
  const { store } = parts;
  const { workflow = "", id: attentionId = "" } = context.req.param();
  const { kind, body } = await commandOfAnswer(store, workflow, { attentionId, given });
  const asked = { ...askedBy(context, kind), question: attentionId, body };
  return give(parts, workflow, asked).catch(async (error: unknown) => {
    throw await withBothCalls(store, workflow, { attentionId, given, error });
  });
}

/** What a person says of the outside is looked at first; said twice, it is looked at once. */
async function give(
  parts: ApiParts,
  workflow: string,
  asked: Asked & { readonly body: Readonly<Record<string, CanonicalValue>> },
): Promise<VerdictAnswer> {
  const { store } = parts;
  const { kind, body } = asked;
  const isWord = kind === "resolve_mutation";
  const told = isWord ? await toldBefore(store, workflow, asked) : null;
  if (told !== null) return told;
  const checked = isWord
    ? await checkResolution(parts, workflow, body)
    : await checkMachineInput(parts, workflow, { kind, body });
  const meant = { ...asked, body: commandBody(kind, checked) };
  return (await judgeMachineControl(parts, workflow, meant)) ?? ask(store, workflow, meant);
}

function nothingAt({ req }: ApiContext): ApiProblem {
  return new ApiProblem(404, "REQUEST_INVALID", `There is nothing at ${req.method} ${req.path}.`);
}
