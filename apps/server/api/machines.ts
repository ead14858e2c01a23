import { encodeCanonical, type HostedScript, type Store } from "@holdfast/core";
import { readTagged } from "@holdfast/core/machine";
import {
  collectParts,
  listCells,
  listIntents,
  listRecords,
  replayMachines,
  showCell,
  timelineOf,
} from "@holdfast/host";
import {
  type CellAnswer,
  type CellsAnswer,
  type CollectAnswer,
  cellRequest,
  collectRequest,
  type IntentsAnswer,
  type MachineRecordsAnswer,
  type MachineReplayAnswer,
  type MachineTimelineAnswer,
  machineRecordsRequest,
  machineTimelineRequest,
} from "@holdfast/protocol";
import { Hono } from "hono";
import { watchedStore } from "../boundaries.ts";
import type { Policies } from "../policies.ts";
import type { OpenedScript } from "../ports.ts";
import type { ApiEnv } from "./api-env.ts";
import { fullName } from "./machine-input.ts";
import { ApiProblem } from "./problem.ts";
import { readBody } from "./read-body.ts";
import { readQuery } from "./read-query.ts";

export type MachineParts = {
  readonly store: Store;
  readonly activeScript: (workflow: string) => Promise<OpenedScript | null>;
  readonly version: (workflow: string, hash: string) => Promise<OpenedScript>;
  readonly policies: Policies;
};

/** What the machines of a workflow are, out of their journal: whichever host serves them. */
export function machines(parts: MachineParts): Hono<ApiEnv> {
  const { store, version, policies } = parts;
  const of = (workflow: string) => ({
    store,
    workflow,
    loadScript: async (hash: string): Promise<HostedScript> => {
      return (await version(workflow, hash)).host({});
    },
  });
  const app = new Hono<ApiEnv>();
  app.get("/:workflow/machines/cells", async (context) => {
    const items = await listCells(of(context.req.param("workflow")));
    return context.json<CellsAnswer>({ items: [...items], next: null } as CellsAnswer);
  });
  app.get("/:workflow/machines/state", async (context) => {
    const workflow = context.req.param("workflow");
    const { machine: given, key } = readQuery(context, cellRequest);
    const machine = await fullName(parts, workflow, given);
    const found = await showCell(of(workflow), { machine, key: keyOf(key) });
    if (found !== null) return context.json<CellAnswer>(found as CellAnswer);
    throw new ApiProblem(404, "REQUEST_INVALID", `${machine} has no cell ${key ?? ""}`.trim());
  });
  app.get("/:workflow/machines/intents", async (context) => {
    const items = await listIntents(of(context.req.param("workflow")));
    return context.json<IntentsAnswer>({ items: [...items], next: null } as IntentsAnswer);
  });
  app.get("/:workflow/machines/journal", async (context) => {
    const query = readQuery(context, machineRecordsRequest);
    const found = await listRecords(of(context.req.param("workflow")), query);
    return context.json<MachineRecordsAnswer>(found as MachineRecordsAnswer);
  });
  app.get("/:workflow/machines/timeline", async (context) => {
    const workflow = context.req.param("workflow");
    const { machine: given, key, ...page } = readQuery(context, machineTimelineRequest);
    const machine = await fullName(parts, workflow, given);
    const found = await timelineOf(of(workflow), { machine, key: keyOf(key), ...page });
    return context.json<MachineTimelineAnswer>(found as MachineTimelineAnswer);
  });
  app.post("/:workflow/machines/gc", async (context) => {
    const workflow = context.req.param("workflow");
    const { isDryRun } = await readBody(context, collectRequest);
    const policy = policies.of(workflow);
    const monotonicMs = () => performance.now();
    // It writes without an owner: a death in it is tried as one of the host's own.
    const collected = { store: watchedStore(store), workflow, policy, monotonicMs };
    const found = await collectParts(collected, { isDryRun });
    return context.json<CollectAnswer>(found);
  });
  app.get("/:workflow/machines/replay", async (context) => {
    const replayed = await replayMachines(of(context.req.param("workflow")));
    return context.json<MachineReplayAnswer>(replayed);
  });
  return app;
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
