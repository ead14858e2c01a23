import { z } from "zod";
import * as answers from "./answers.ts";
import * as items from "./items.ts";
import * as requests from "./requests.ts";

/** What can be asked for at one route: what it takes, and what it answers when all is well. */
export type Operation = {
  readonly does: string;
  readonly request?: z.ZodType;
  readonly query?: z.ZodObject;
  /** A command: its verdict is waited for, and the same key is the same command. */
  readonly isCommand?: true;
  /** By status; text = of that media type. */
  readonly answers: Readonly<Record<number, z.ZodType | string>>;
};

const verdicts = { 200: answers.verdictAnswer, 202: answers.verdictAnswer };
const call = z.object({ connection: z.string().optional(), operation: z.string().optional() });
const after = z.object({ after: z.string().optional() });
const list = requests.pageRequest;

/** Of the host itself and of who may ask. */
const ofHost: Readonly<Record<string, Operation>> = {
  "GET /health": { does: "whether the process lives", answers: { 200: answers.healthAnswer } },
  "GET /ready": {
    does: "whether it can do its work now, and if not, what is missing",
    answers: { 200: answers.readyAnswer, 503: answers.readyAnswer },
  },
  "GET /metrics": {
    does: "what it has done since its start, for Prometheus",
    answers: { 200: "text/plain" },
  },
  "GET /api/v1/openapi.json": { does: "this description", answers: { 200: z.looseObject({}) } },
  "GET /login": { does: "the page that a login link opens", answers: { 200: "text/html" } },
  "GET /login.js": { does: "what it runs", answers: { 200: "text/javascript" } },
  "POST /login": {
    does: "a login code for a cookie",
    request: requests.loginRequest,
    answers: { 200: answers.askerAnswer },
  },
  "POST /logout": { does: "ends the visit", answers: { 200: answers.logoutAnswer } },
  "GET /api/v1/me": { does: "who you are to this host", answers: { 200: answers.askerAnswer } },
  "POST /api/v1/login-codes": {
    does: "the code of a login link, for yourself; not with a cookie",
    answers: { 201: answers.loginCodeAnswer },
  },
  "GET /api/v1/tokens": { does: "who has a token", answers: { 200: answers.tokensAnswer } },
  "POST /api/v1/tokens": {
    does: "makes a token; not with a cookie",
    request: requests.tokenRequest,
    answers: { 201: answers.newTokenAnswer },
  },
  "DELETE /api/v1/tokens/:name": { does: "revokes one", answers: { 200: answers.tokenAnswer } },
  "GET /api/v1/live": {
    does: "which workflows moved on, as it happens; Last-Event-ID or `after` resumes",
    query: after,
    answers: { 200: "text/event-stream" },
  },
};

/** That change something. */
const ofChanges: Readonly<Record<string, Operation>> = {
  "POST /hooks/:workflow/:path": {
    does: "a push to a webhook: its own secret decides",
    request: z.unknown(),
    answers: { 200: answers.deliveryAnswer, 202: answers.deliveryAnswer },
  },
  "POST /api/v1/brake": {
    does: "stops the sending of every workflow, or lets go again",
    request: requests.brakeAllRequest,
    isCommand: true,
    answers: { 200: answers.brakeAllAnswer },
  },
  "POST /api/v1/versions": {
    does: "deploys a script, and says what it may do outside",
    request: requests.deployRequest,
    isCommand: true,
    answers: { 200: answers.deployAnswer },
  },
  "POST /api/v1/accounts/:account/resume": {
    does: "reads a mended account again, and lets go on what waited for it",
    isCommand: true,
    answers: { 200: answers.resumeAnswer },
  },
  "POST /api/v1/workflows/:workflow/commands": {
    does: "a command; its own line in docs/people.md says who may give it",
    request: requests.commandRequest,
    isCommand: true,
    answers: verdicts,
  },
  "POST /api/v1/workflows/:workflow/grants": {
    does: "sets all grants of a workflow, or tells what that would change",
    request: requests.grantsRequest,
    isCommand: true,
    answers: { 200: z.union([answers.grantsSetAnswer, answers.grantsPreviewAnswer]) },
  },
  "POST /api/v1/workflows/:workflow/attention/:id": {
    does: "answers a question",
    request: requests.answerRequest,
    isCommand: true,
    answers: verdicts,
  },
};

/** That only tell. */
const ofWorkflows: Readonly<Record<string, Operation>> = {
  "GET /api/v1/attention": {
    does: "what needs a person, in all workflows",
    query: list,
    answers: { 200: items.questionsAnswer },
  },
  "GET /api/v1/workflows": {
    does: "all workflows",
    query: after,
    answers: { 200: answers.workflowsAnswer },
  },
  "GET /api/v1/workflows/:workflow/policy": {
    does: "limits and timings",
    query: call,
    answers: { 200: answers.policyAnswer },
  },
  "GET /api/v1/workflows/:workflow/grants": {
    does: "what a workflow may do outside",
    query: z.object({ number: z.string().optional() }),
    answers: { 200: answers.grantsAnswer },
  },
  "GET /api/v1/workflows/:workflow/grants/diff": {
    does: "what changed between two envelopes",
    query: z.object({ from: z.string().optional(), to: z.string().optional() }),
    answers: { 200: answers.grantsDiffAnswer },
  },
  "GET /api/v1/workflows/:workflow/runs/:runId/repair": {
    does: "all that is needed to mend a script",
    answers: { 200: answers.repairAnswer },
  },
  "GET /api/v1/workflows/:workflow/inputs": {
    does: "what came in",
    query: list,
    answers: { 200: items.inputsAnswer },
  },
  "GET /api/v1/workflows/:workflow/outputs": {
    does: "what was done",
    query: list,
    answers: { 200: items.outputsAnswer },
  },
  "GET /api/v1/workflows/:workflow/attention": {
    does: "what needs a person",
    query: list,
    answers: { 200: items.questionsAnswer },
  },
  "GET /api/v1/workflows/:workflow/attention/:id": {
    does: "one question, as a card",
    answers: { 200: items.questionAnswer },
  },
  "GET /api/v1/workflows/:workflow/runs": {
    does: "every attempt",
    query: list,
    answers: { 200: items.runsAnswer },
  },
  "GET /api/v1/workflows/:workflow/runs/:runId/trace": {
    does: "what a run did",
    query: after,
    answers: { 200: items.traceAnswer },
  },
  "GET /api/v1/workflows/:workflow/wedges": {
    does: "what waits, and no rule says what for",
    answers: { 200: items.wedgesAnswer },
  },
  "GET /api/v1/workflows/:workflow/why": {
    does: "why a workflow waits",
    answers: { 200: items.whyAnswer },
  },
  "GET /api/v1/workflows/:workflow/why/:id{.+}": {
    does: "why anything waits",
    answers: { 200: items.whyAnswer },
  },
};

/** Every route of the API has its line here, as in `least-role.ts`. */
export const operations: Readonly<Record<string, Operation>> = {
  ...ofHost,
  ...ofChanges,
  ...ofWorkflows,
};
