import { z } from "zod";
import * as answers from "./answers.ts";
import * as executors from "./executors.ts";
import * as items from "./items.ts";
import * as machines from "./machines.ts";
import * as proposals from "./proposals.ts";
import * as requests from "./requests.ts";
import * as resources from "./resources.ts";

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
const page = requests.pageRequest;
const list = requests.listRequest;

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
  "GET /": { does: "the page that people look at", answers: { 200: "text/html" } },
  "GET /page/:place{.+}": {
    does: "the same, at the address of one thing in it",
    answers: { 200: "text/html" },
  },
  "GET /assets/:file": {
    does: "what the page is made of",
    answers: { 200: "application/octet-stream" },
  },
  "GET /login": { does: "the page that a login link opens", answers: { 200: "text/html" } },
  "GET /login.js": { does: "what it runs", answers: { 200: "text/javascript" } },
  "GET /login.css": { does: "how it looks", answers: { 200: "text/css" } },
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
  "POST /api/v1/executors/:executor/take": {
    does: "the next call for an executor in another process; it is handed out once",
    request: executors.takeRequest,
    answers: { 200: executors.takeAnswer },
  },
  "POST /api/v1/executors/:executor/receipts": {
    does: "what came of a call, signed by the executor that made it",
    request: executors.receiptRequest,
    answers: { 200: executors.receiptAnswer, 202: executors.receiptAnswer },
  },
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
  "POST /api/v1/accounts/:account/revoke": {
    does: "forgets an account that was taken out of the file, and what was kept of it",
    isCommand: true,
    answers: { 200: answers.revokeAnswer },
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
  "POST /api/v1/workflows/:workflow/machines/snapshot": {
    does: "takes a snapshot of its machines now, and says what it is",
    isCommand: true,
    answers: { 200: machines.snapshotAnswer, 202: machines.snapshotAnswer },
  },
  "POST /api/v1/workflows/:workflow/machines/gc": {
    does: "deletes what its machines kept and no kept snapshot names, or counts it",
    request: machines.collectRequest,
    answers: { 200: machines.collectAnswer },
  },
  "POST /api/v1/workflows/:workflow/attention/:id": {
    does: "answers a question",
    request: requests.answerRequest,
    isCommand: true,
    answers: verdicts,
  },
  "POST /api/v1/workflows/:workflow/attention/:id/edit": {
    does: "changes the parameters of a call that waits for an approval",
    request: requests.editRequest,
    isCommand: true,
    answers: { 200: answers.editAnswer, 202: answers.editAnswer },
  },
  "POST /api/v1/workflows/:workflow/attention/:id/allow-like": {
    does: "allows calls like the one that a question is about, within limits and for a time",
    request: requests.allowLikeRequest,
    isCommand: true,
    answers: { 200: answers.allowLikeAnswer, 202: answers.allowLikeAnswer },
  },
};

/** That only tell. */
const ofWorkflows: Readonly<Record<string, Operation>> = {
  "GET /api/v1/attention": {
    does: "what needs a person, in all workflows",
    query: page,
    answers: { 200: items.questionsAnswer },
  },
  "GET /api/v1/brake": {
    does: "whether all sending is stopped, by whom and why",
    answers: { 200: answers.storeBrakeAnswer },
  },
  "GET /api/v1/activity": {
    does: "what came in and what was done, in all workflows or one, the newest first",
    query: requests.activityRequest,
    answers: { 200: resources.activityAnswer },
  },
  "GET /api/v1/workflows": {
    does: "all workflows, each with what waits, what is next and when it last did something",
    query: requests.workflowsRequest,
    answers: { 200: resources.workflowsAnswer },
  },
  "GET /api/v1/workflows/:workflow": {
    does: "one workflow, with its topics and handlers",
    answers: { 200: resources.workflowShownAnswer },
  },
  "GET /api/v1/workflows/:workflow/versions": {
    does: "every version that was ever active",
    query: page,
    answers: { 200: resources.versionsAnswer },
  },
  "GET /api/v1/workflows/:workflow/topics": {
    does: "its topics, and how much waits in each",
    answers: { 200: resources.topicsAnswer },
  },
  "GET /api/v1/workflows/:workflow/topics/:topic": {
    does: "one topic",
    answers: { 200: resources.topicAnswer },
  },
  "GET /api/v1/workflows/:workflow/events": {
    does: "what is in the topics",
    query: requests.eventsRequest,
    answers: { 200: resources.eventsAnswer },
  },
  "GET /api/v1/workflows/:workflow/events/:topic/:messageId": {
    does: "one event, with its payload and the runs that held it",
    answers: { 200: resources.eventAnswer },
  },
  "GET /api/v1/workflows/:workflow/mutations": {
    does: "the ledger: every outside change, and what is known of it",
    query: list,
    answers: { 200: resources.callsAnswer },
  },
  "GET /api/v1/workflows/:workflow/mutations/:mutationId": {
    does: "one outside change",
    answers: { 200: resources.callAnswer },
  },
  "GET /api/v1/workflows/:workflow/journal": {
    does: "facts as they were recorded, from a position on or the last ones",
    query: requests.journalRequest,
    answers: { 200: resources.journalAnswer },
  },
  "GET /api/v1/workflows/:workflow/facts": {
    does: "the same, the newest first, narrowed by kind, time and text",
    query: requests.factsRequest,
    answers: { 200: resources.factsAnswer },
  },
  "GET /api/v1/workflows/:workflow/audit": {
    does: "whatever anybody asked of it, who, and what came of it",
    query: requests.auditRequest,
    answers: { 200: resources.auditAnswer },
  },
  "GET /api/v1/workflows/:workflow/connections": {
    does: "its connections: account, state and labels, and never a secret",
    answers: { 200: resources.connectionsAnswer },
  },
  "GET /api/v1/policy": {
    does: "limits and timings that count where nothing is said for a workflow",
    answers: { 200: answers.policyAnswer },
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
  "GET /api/v1/workflows/:workflow/grants/needed": {
    does: "what a workflow uses outside, by its code and by what it did; suggests, grants nothing",
    answers: { 200: answers.grantsNeededAnswer },
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
  "GET /api/v1/workflows/:workflow/inputs/:inputId{.+}": {
    does: "one input, with what became of it",
    answers: { 200: items.inputAnswer },
  },
  "GET /api/v1/workflows/:workflow/outputs": {
    does: "what was done",
    query: list,
    answers: { 200: items.outputsAnswer },
  },
  "GET /api/v1/workflows/:workflow/attention": {
    does: "what needs a person",
    query: page,
    answers: { 200: items.questionsAnswer },
  },
  "GET /api/v1/workflows/:workflow/attention/:id": {
    does: "one question, as a card",
    answers: { 200: items.questionAnswer },
  },
  "GET /api/v1/workflows/:workflow/items": {
    does: "what its jobs work on",
    query: requests.itemsRequest,
    answers: { 200: items.jobItemsAnswer },
  },
  "GET /api/v1/workflows/:workflow/items/:id{.+}": {
    does: "one item with its attempts",
    answers: { 200: items.jobItemAnswer },
  },
  "GET /api/v1/workflows/:workflow/machines": {
    does: "its machines, with how much there is of each",
    answers: { 200: machines.machinesAnswer },
  },
  "GET /api/v1/workflows/:workflow/machines/cells": {
    does: "the cells of its machines, each with its status",
    query: machines.cellsRequest,
    answers: { 200: machines.cellsAnswer },
  },
  "GET /api/v1/workflows/:workflow/machines/state": {
    does: "one cell, with its state",
    query: machines.stateRequest,
    answers: { 200: machines.cellAnswer },
  },
  "GET /api/v1/workflows/:workflow/machines/intents": {
    does: "what its machines wait for",
    query: machines.intentsRequest,
    answers: { 200: machines.intentsAnswer },
  },
  "GET /api/v1/workflows/:workflow/machines/journal": {
    does: "what its machines' kernel has recorded",
    query: machines.machineRecordsRequest,
    answers: { 200: machines.machineRecordsAnswer },
  },
  "GET /api/v1/workflows/:workflow/machines/timeline": {
    does: "what happened to one cell, in order",
    query: machines.machineTimelineRequest,
    answers: { 200: machines.machineTimelineAnswer },
  },
  "GET /api/v1/workflows/:workflow/machines/replay": {
    does: "runs its machines' journal again and compares every byte",
    answers: { 200: machines.machineReplayAnswer },
  },
  "GET /api/v1/workflows/:workflow/machines/trace": {
    does: "all that came of one event or intent, why it is as it is, and what to do",
    query: machines.machineTraceRequest,
    answers: { 200: machines.machineTraceAnswer },
  },
  "GET /api/v1/workflows/:workflow/machines/summary": {
    does: "how much there is of everything its machines did",
    answers: { 200: machines.machineSummaryAnswer },
  },
  "GET /api/v1/workflows/:workflow/machines/proposals": {
    does: "versions that were proposed, the newest first",
    answers: { 200: proposals.proposalsAnswer },
  },
  "GET /api/v1/workflows/:workflow/machines/proposals/:number": {
    does: "one proposal, with its report and what stands in its way",
    answers: { 200: proposals.proposalAnswer },
  },
  "POST /api/v1/workflows/:workflow/machines/proposals/:number/shadow": {
    does: "tries a proposal on a copy, and keeps the report",
    request: proposals.shadowRequest,
    isCommand: true,
    answers: { 200: proposals.shadowAnswer },
  },
  "GET /api/v1/workflows/:workflow/runs": {
    does: "every attempt",
    query: requests.runsRequest,
    answers: { 200: items.runsAnswer },
  },
  "GET /api/v1/workflows/:workflow/runs/:runId": {
    does: "one run, with what it holds, why, and what it called",
    answers: { 200: resources.runAnswer },
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
