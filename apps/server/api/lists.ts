import {
  eventStatuses,
  factKinds,
  itemStatuses,
  ledgerStates,
  runStatuses,
  type Store,
} from "@holdfast/core";
import {
  listEvents,
  listFacts,
  listInputs,
  listJobItems,
  listMutations,
  listOutputs,
  listRuns,
  listVerdicts,
  listVersions,
  readFacts,
} from "@holdfast/host";
import {
  type AuditAnswer,
  auditRequest,
  type CallsAnswer,
  type EventsAnswer,
  eventsRequest,
  type FactsAnswer,
  factsRequest,
  type InputsAnswer,
  itemsRequest,
  type JobItemsAnswer,
  type JournalAnswer,
  journalRequest,
  listRequest,
  type OutputsAnswer,
  pageRequest,
  type RunsAnswer,
  runsRequest,
  type VersionsAnswer,
} from "@holdfast/protocol";
import { Hono } from "hono";
import type { ApiEnv } from "./api-env.ts";
import { ApiProblem } from "./problem.ts";
import { oneOf, paged, readQuery } from "./read-query.ts";

/** The words a list can be narrowed with. */
const words = {
  inputs: ["pending", "done", "skipped"],
  outputs: ["mutation", "event"],
  runs: ["open", ...runStatuses],
  audit: ["accepted", "refused"],
} as const;

/** What there is of everything in a workflow, the newest first, a page at a time. */
export function lists(store: Store): Hono<ApiEnv> {
  const app = new Hono<ApiEnv>();
  app.get("/:workflow/inputs", async (context) => {
    const { status = null, ...page } = readQuery(context, listRequest);
    const query = { ...paged(page), status: oneOf(words.inputs, status) };
    const found = await listInputs(store, context.req.param("workflow"), query, Date.now());
    return context.json<InputsAnswer>(found);
  });
  app.get("/:workflow/outputs", async (context) => {
    const { status = null, ...page } = readQuery(context, listRequest);
    const query = { ...paged(page), kind: oneOf(words.outputs, status) };
    const found = await listOutputs(store, context.req.param("workflow"), query);
    return context.json<OutputsAnswer>(found);
  });
  app.get("/:workflow/runs", async (context) => {
    const { status = null, ...page } = readQuery(context, runsRequest);
    const query = { ...paged(page), status: oneOf(words.runs, status) };
    return context.json<RunsAnswer>(await listRuns(store, context.req.param("workflow"), query));
  });
  app.get("/:workflow/events", async (context) => {
    const { status = null, topic = null, ...page } = readQuery(context, eventsRequest);
    const query = { ...paged(page), topic, status: oneOf(eventStatuses, status) };
    const found = await listEvents(store, context.req.param("workflow"), query);
    return context.json<EventsAnswer>(found);
  });
  app.get("/:workflow/mutations", async (context) => {
    const { status = null, ...page } = readQuery(context, listRequest);
    const query = { ...paged(page), state: oneOf(ledgerStates, status) };
    const found = await listMutations(store, context.req.param("workflow"), query);
    return context.json<CallsAnswer>(found);
  });
  app.get("/:workflow/items", async (context) => {
    const { status = null, ...page } = readQuery(context, itemsRequest);
    const query = { ...paged(page), status: oneOf(itemStatuses, status) };
    const found = await listJobItems(store, context.req.param("workflow"), query);
    return context.json<JobItemsAnswer>(found);
  });
  app.get("/:workflow/versions", async (context) => {
    const query = paged(readQuery(context, pageRequest.omit({ status: true })));
    const found = await listVersions(store, context.req.param("workflow"), query);
    return context.json<VersionsAnswer>(found);
  });
  app.get("/:workflow/audit", async (context) => {
    const { status = null, ...page } = readQuery(context, auditRequest);
    const said = oneOf(words.audit, status);
    const query = { ...paged(page), accepted: said === null ? null : said === "accepted" };
    const found = await listVerdicts(store, context.req.param("workflow"), query);
    return context.json<AuditAnswer>(found);
  });
  listRecords(app, store);
  return app;
}

/** What the journal has, in its own order and from the newest on. */
function listRecords(app: Hono<ApiEnv>, store: Store): void {
  app.get("/:workflow/journal", async (context) => {
    const { after = null, limit } = readQuery(context, journalRequest);
    const found = await readFacts(store, context.req.param("workflow"), { after, limit });
    return context.json<JournalAnswer>(found);
  });
  app.get("/:workflow/facts", async (context) => {
    const { kind, ...page } = readQuery(context, factsRequest);
    const query = { ...paged(page), kind: kind === undefined ? undefined : kindOf(kind) };
    return context.json<FactsAnswer>(await listFacts(store, context.req.param("workflow"), query));
  });
}

/** A kind of facts, or what several begin with. */
function kindOf(given: string): string {
  if (factKinds.some((kind) => kind.startsWith(given))) return given;
  throw new ApiProblem(422, "REQUEST_INVALID", `kind: no fact is a ${given}.`, {
    remedy: `It is one of: ${factKinds.join(", ")}, or what several of them begin with.`,
  });
}
