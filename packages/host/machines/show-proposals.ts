import {
  decodeCanonical,
  type Hash,
  type ProposalRow,
  type Store,
  type WorkflowRow,
} from "@holdfast/core";
import { type Patch, patchOf, workUnderWay } from "@holdfast/core/machine";
import { bytesOf } from "../engine/values.ts";
import { fitAll } from "./fit-all.ts";
import { type ReadParts, readKernel } from "./kept-kernels.ts";
import { decodeObstacles, listObstacles, type ObstacleList, staleBase } from "./obstacle-list.ts";
import type { OpenedKernel } from "./open-kernel.ts";
import type { ShadowReport } from "./shadow-report.ts";

type Parts = ReadParts & { readonly store: Store };

export type ShownProposal = Omit<ProposalRow, "body" | "report" | "obstacles"> & {
  /** What is agreed to. */
  readonly patchHash: string;
};

export type ProposalDetail = ShownProposal & {
  /** What it does to the definitions of the version that it was made against. */
  readonly patch: Patch;
  /** Null = it was not tried. */
  readonly report: ShadowReport | null;
  /** What stands in its way now; null = nothing becomes of it any more. */
  readonly obstacles: ObstacleList | null;
  /** What did when it was last to be applied; null = nothing, or it was not. */
  readonly heldBy: ObstacleList | null;
};

/** The newest first. */
export async function listProposals(
  store: Store,
  workflow: string,
): Promise<readonly ShownProposal[]> {
  const query = { workflow, list: "proposals", of: [], after: null, downTo: null } as const;
  const rows: readonly ProposalRow[] = await store.listRows({ ...query, limit: listedMax });
  return rows.map(shown);
}

const listedMax = 200;

/** How many there are of each status, however many. */
export async function countProposals(
  store: Store,
  workflow: string,
): Promise<ReadonlyMap<ProposalRow["status"], number>> {
  const counts = new Map<ProposalRow["status"], number>();
  let after: readonly number[] | null = null;
  for (;;) {
    const query = { workflow, list: "proposals", of: [], after, downTo: null } as const;
    const rows: readonly ProposalRow[] = await store.listRows({ ...query, limit: listedMax });
    for (const { status } of rows) counts.set(status, (counts.get(status) ?? 0) + 1);
    const last = rows.at(-1);
    if (last === undefined || rows.length < listedMax) return counts;
    after = [last.number];
  }
}

/** Null = there is no such proposal. */
export async function findProposal(
  store: Store,
  workflow: string,
  number: number,
): Promise<ProposalRow | null> {
  const need = { kind: "row", table: "proposals", key: [number] } as const;
  const { rows } = await store.load(workflow, [need]);
  return rows.flatMap((each) => (each.table === "proposals" ? [each.row] : []))[0] ?? null;
}

export async function showProposal(parts: Parts, number: number): Promise<ProposalDetail | null> {
  const { store, workflow } = parts;
  const row = await findProposal(store, workflow, number);
  if (row === null) return null;
  const { report, obstacles } = row;
  const isFinal = row.status === "applied" || row.status === "rejected";
  const active = await loadWorkflow(store, workflow);
  const now = await readKernel(parts, async (opened) => ({
    patch: await patchIn(opened, row),
    obstacles: isFinal ? null : await obstaclesNow(opened, row, active),
  }));
  return {
    ...shown(row),
    ...now,
    report:
      report === null
        ? null
        : (decodeCanonical(await bytesOf(store, workflow, report)) as unknown as ShadowReport),
    heldBy: obstacles === null ? null : decodeObstacles(await bytesOf(store, workflow, obstacles)),
  };
}

/** Both are kept for ever, so it can be said of one that was applied long ago. */
async function patchIn({ versions }: OpenedKernel, row: ProposalRow): Promise<Patch> {
  const before = await versions.load(row.base as Hash);
  return patchOf(before, await versions.load(row.scriptHash as Hash));
}

/** What would be found if it were to be applied now. */
export async function obstaclesNow(
  opened: OpenedKernel,
  row: ProposalRow,
  active: WorkflowRow,
): Promise<ObstacleList> {
  const set = await opened.versions.load(row.scriptHash as Hash);
  const { unfit } = await fitAll(opened, set);
  return listObstacles([...unfit, ...workUnderWay(opened.kernel)], staleBase(row, active));
}

export async function loadWorkflow(store: Store, workflow: string): Promise<WorkflowRow> {
  const need = { kind: "row", table: "workflows", key: [] } as const;
  const { rows } = await store.load(workflow, [need]);
  const found = rows.flatMap((each) => (each.table === "workflows" ? [each.row] : []))[0];
  if (found === undefined) throw new Error(`there is no workflow ${workflow}`);
  return found;
}

function shown({ body, report, obstacles, ...row }: ProposalRow): ShownProposal {
  return { ...row, patchHash: body.hash };
}
