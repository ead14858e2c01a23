import { encodeCanonical, type HostedScript, type Store } from "@holdfast/core";
import { cellStatuses, readTagged } from "@holdfast/core/machine";
import {
  awaitSnapshot,
  collectParts,
  type KeptKernels,
  type KernelParts,
  lastRecord,
  listIntents,
  listRecords,
  MachinesDiverge,
  nullIfUnopened,
  pageCells,
  recentOf,
  replayMachines,
  showInstance,
  showMachines,
  showStoppedCell,
  summarizeMachines,
  type TraceQuery,
  timelineOf,
  traceMachines,
} from "@holdfast/host";
import {
  type CellAnswer,
  type CellsAnswer,
  type CollectAnswer,
  cellsRequest,
  collectRequest,
  type IntentsAnswer,
  intentsRequest,
  type MachineRecordsAnswer,
  type MachineReplayAnswer,
  type MachineSummaryAnswer,
  type MachinesAnswer,
  type MachineTimelineAnswer,
  type MachineTraceAnswer,
  machineRecordsRequest,
  machineTimelineRequest,
  machineTraceRequest,
  type SnapshotAnswer,
  stateRequest,
} from "@holdfast/protocol";
import { Hono } from "hono";
import { watchedStore } from "../boundaries.ts";
import type { Policies } from "../policies.ts";
import type { OpenedScript } from "../ports.ts";
import type { ApiEnv } from "./api-env.ts";
import { ask, askedBy } from "./asking.ts";
import { fullName, noCell } from "./machine-input.ts";
import { ApiProblem } from "./problem.ts";
import type { FindStoppedCell } from "./questions.ts";
import { readBody } from "./read-body.ts";
import { oneOf, paged, readQuery } from "./read-query.ts";

export type MachineParts = {
  readonly store: Store;
  readonly activeScript: (workflow: string) => Promise<OpenedScript | null>;
  readonly version: (workflow: string, hash: string) => Promise<OpenedScript>;
  readonly policies: Policies;
  readonly kernels: KeptKernels;
};

type KernelsOf = Pick<MachineParts, "store" | "version" | "kernels">;

export function readPartsOf({ store, version, kernels }: KernelsOf, workflow: string) {
  const loadScript = async (hash: string): Promise<HostedScript> => {
    return (await version(workflow, hash)).host({});
  };
  return { store, workflow, kernels, loadScript };
}

/**
 * What a stopped cell holds stands beside its question. Where the machines cannot be opened, which
 * they say themselves, the question is still there to be answered.
 */
export function stoppedCells(parts: KernelsOf): FindStoppedCell {
  return (workflow, question) =>
    showStoppedCell(readPartsOf(parts, workflow), question).catch(nullIfUnopened);
}

/** What the machines of a workflow are, out of their journal: whichever host serves them. */
export function machines(parts: MachineParts): Hono<ApiEnv> {
  const { store } = parts;
  const of: OfWorkflow = (workflow) => readPartsOf(parts, workflow);
  const app = new Hono<ApiEnv>();
  app.get("/:workflow/machines/state", async (context) => {
    const workflow = context.req.param("workflow");
    const { machine: given, key, at = null, atLeast = 0 } = readQuery(context, stateRequest);
    const machine = await fullName(parts, workflow, given);
    const cell = { machine, key: keyOf(key), at };
    const found = await showInstance(of(workflow), cell).catch(notThere);
    // That there is no such cell yet says nothing of then.
    const height = found?.height ?? (await lastRecord(of(workflow)));
    if (height < (at ?? atLeast)) throw tooEarly(height);
    if (found !== null) return context.json<CellAnswer>(found as CellAnswer);
    throw await noCell(parts, workflow, { machine, key });
  });
  app.get("/:workflow/machines/journal", async (context) => {
    const query = readQuery(context, machineRecordsRequest);
    const found = await listRecords(of(context.req.param("workflow")), query);
    return context.json<MachineRecordsAnswer>(found as MachineRecordsAnswer);
  });
  app.get("/:workflow/machines/timeline", async (context) => {
    const workflow = context.req.param("workflow");
    const { machine: given, before, ...rest } = readQuery(context, machineTimelineRequest);
    const machine = await fullName(parts, workflow, given);
    const query = { ...rest, machine, key: keyOf(rest.key) };
    const found =
      before === undefined
        ? await timelineOf(of(workflow), query)
        : await recentOf(of(workflow), { ...query, before: before === 0 ? null : before });
    // Of one that is gone there are its records; without any there may have been none ever.
    const isWhole = rest.after === 0 && (before ?? 0) === 0 && found.next === null;
    if (isWhole && found.items.length === 0 && (await showInstance(of(workflow), query)) === null) {
      throw await noCell(parts, workflow, { machine, key: rest.key });
    }
    return context.json<MachineTimelineAnswer>(found as MachineTimelineAnswer);
  });
  addLists(app, parts, of);
  addTraces(app, of);
  addCollecting(app, parts, of);
  addSnapshots(app, store);
  app.get("/:workflow/machines/replay", async (context) => {
    const replayed = await replayMachines(of(context.req.param("workflow")));
    return context.json<MachineReplayAnswer>(replayed);
  });
  return app;
}

/** Parts of a host that the machines' journal is read with. */
type OfWorkflow = (
  workflow: string,
) => KernelParts & { readonly store: Store; readonly kernels: KeptKernels };

function addLists(app: Hono<ApiEnv>, parts: MachineParts, of: OfWorkflow): void {
  app.get("/:workflow/machines", async (context) => {
    const items = await showMachines(of(context.req.param("workflow")));
    return context.json<MachinesAnswer>({ items: [...items], next: null });
  });
  app.get("/:workflow/machines/cells", async (context) => {
    const workflow = context.req.param("workflow");
    const {
      machine: given,
      status = null,
      text = null,
      ...rest
    } = readQuery(context, cellsRequest);
    const machine = given === undefined ? null : await fullName(parts, workflow, given);
    const query = { ...paged(rest), machine, status: oneOf(cellStatuses, status), text };
    return context.json<CellsAnswer>((await pageCells(of(workflow), query)) as CellsAnswer);
  });
  app.get("/:workflow/machines/intents", async (context) => {
    const workflow = context.req.param("workflow");
    const { machine: given, key } = readQuery(context, intentsRequest);
    const machine = given === undefined ? null : await fullName(parts, workflow, given);
    const cell = machine === null ? null : { machine, key: keyOf(key) };
    const items = await listIntents(of(workflow), cell);
    return context.json<IntentsAnswer>({ items: [...items], next: null } as IntentsAnswer);
  });
}

function addTraces(app: Hono<ApiEnv>, of: OfWorkflow): void {
  app.get("/:workflow/machines/trace", async (context) => {
    const { window, ...asked } = readQuery(context, machineTraceRequest);
    const query = traceQuery(asked);
    const found = await traceMachines(of(context.req.param("workflow")), query, { window });
    if (found !== null) return context.json<MachineTraceAnswer>(found as MachineTraceAnswer);
    throw new ApiProblem(404, "REQUEST_INVALID", "The machines' journal has no such thing.");
  });
  app.get("/:workflow/machines/summary", async (context) => {
    const found = await summarizeMachines(of(context.req.param("workflow")));
    return context.json<MachineSummaryAnswer>(found);
  });
}

function addCollecting(app: Hono<ApiEnv>, { policies }: MachineParts, of: OfWorkflow): void {
  app.post("/:workflow/machines/gc", async (context) => {
    const workflow = context.req.param("workflow");
    const { isDryRun } = await readBody(context, collectRequest);
    const policy = policies.of(workflow);
    const monotonicMs = () => performance.now();
    // It writes without an owner: a death in it is tried as one of the host's own.
    const own = of(workflow);
    const collected = { ...own, store: watchedStore(own.store), policy, monotonicMs };
    const found = await collectParts(collected, { isDryRun });
    return context.json<CollectAnswer>(found);
  });
}

function addSnapshots(app: Hono<ApiEnv>, store: Store): void {
  app.post("/:workflow/machines/snapshot", async (context) => {
    const workflow = context.req.param("workflow");
    const asked = askedBy(context, "snapshot_machines");
    await ask(store, workflow, { ...asked, body: {} });
    const { waitMs } = asked;
    const monotonicMs = () => performance.now();
    const snapshot = await awaitSnapshot({ store, workflow }, { waitMs, monotonicMs });
    const answer = { snapshot } as unknown as SnapshotAnswer;
    return context.json<SnapshotAnswer>(answer, snapshot === null ? 202 : 200);
  });
}

function notThere(error: unknown): never {
  if (!(error instanceof MachinesDiverge) || error.divergence.code !== "journal.cut") throw error;
  const detail = "That record is in the midst of what one input or step wrote.";
  const remedy = `Ask for the one after it, ${error.divergence.seq}, or a later one.`;
  throw new ApiProblem(422, "REQUEST_INVALID", detail, { remedy });
}

function tooEarly(height: number): ApiProblem {
  const detail = `The machines' journal ends with record ${height}.`;
  return new ApiProblem(409, "REQUEST_INVALID", detail, { remedy: "Ask again later." });
}

type TraceAsked = Readonly<
  Partial<Record<"event" | "intent" | "topic" | "path" | "value", string | undefined>>
>;

function traceQuery(given: TraceAsked): TraceQuery {
  const { event, intent, topic, path, value } = given;
  if (event !== undefined) return { by: "event", event };
  if (intent !== undefined) return { by: "intent", intentId: intent.replace(/^sha256:/, "") };
  if (topic !== undefined && path !== undefined && value !== undefined) {
    return { by: "value", topic, path, value };
  }
  const detail = "A trace is of an event, of an intent, or of a topic, a path and a value.";
  throw new ApiProblem(422, "REQUEST_INVALID", detail);
}

/** JSON as it is typed; what JSON has no form for is said as steps have it. */
function keyOf(text: string | undefined): Uint8Array | null {
  if (text === undefined) return null;
  try {
    return encodeCanonical(readTagged(text) as never);
  } catch {
    throw new ApiProblem(422, "REQUEST_INVALID", `The key is not JSON: ${text}`);
  }
}
