import {
  type CoreCommand,
  decide,
  type Hash,
  type HoldApply,
  type Instant,
  type Need,
  needsOf,
  type ProposalRow,
  type Store,
  type View,
} from "@holdfast/core";
import { type Input, type MachineSet, type RefitState, workUnderWay } from "@holdfast/core/machine";
import { bytesOf } from "../engine/values.ts";
import { fitAll } from "./fit-all.ts";
import {
  encodeObstacles,
  listObstacles,
  listReason,
  type ObstacleList,
  staleBase,
} from "./obstacle-list.ts";
import type { OpenedKernel } from "./open-kernel.ts";

type Parts = {
  readonly store: Store;
  readonly workflow: string;
  readonly loadNeeds: (view: View, needs: readonly Need[]) => Promise<boolean>;
};

/** What becomes of the proposal that is to be applied, this turn. */
export type Judged =
  /** Nothing: there is none, or it waits. */
  | { readonly kind: "later" }
  /** The view has to be loaded again. */
  | { readonly kind: "stale" }
  | { readonly kind: "hold"; readonly command: HoldApply }
  | {
      readonly kind: "take";
      readonly input: Input;
      readonly version: Hash;
      readonly command: CoreCommand;
    };

const later: Judged = { kind: "later" };

/**
 * A proposal is taken in a turn of its own, when whatever came before it has been served: what was
 * received under one version is never served by another that does not know it.
 */
export async function judgeProposal(
  parts: Parts,
  view: View,
  { opened, now }: { readonly opened: OpenedKernel; readonly now: Instant },
): Promise<Judged> {
  const workflow = view.load("workflows");
  const { applying, machineInputSeq, machineThrough } = workflow;
  const isServed = machineInputSeq <= machineThrough && opened.kernel.ring.size === 0;
  if (applying === null || !isServed) return later;
  const need = { kind: "row", table: "proposals", key: [applying] } as const;
  if (!(await parts.loadNeeds(view, [need]))) return { kind: "stale" };
  const row = view.load("proposals", applying);
  const stale = staleBase(row, workflow);
  if (stale.length > 0) return hold(row, "governance.base_stale", listObstacles([], stale));
  const set = await opened.versions.load(row.scriptHash as Hash);
  const work = workUnderWay(opened.kernel);
  // Said once: what stands in the way now, whoever asks is told from the machines themselves.
  if (work.length > 0 && row.waits && row.obstacles !== null) return later;
  const { unfit, refit } = await fitAll(opened, set);
  if (unfit.length > 0) {
    return hold(row, "governance.cells_unfit", listObstacles([...unfit, ...work]));
  }
  if (work.length > 0) {
    return hold(row, "governance.apply_inflight", listObstacles(work), row.waits);
  }
  return take(parts, view, { row, set, refit, now });
}

function hold(
  { number }: ProposalRow,
  why: string,
  list: ObstacleList,
  waits: boolean = false,
): Judged {
  const obstacles = encodeObstacles(list);
  return { kind: "hold", command: { kind: "hold_apply", number, why, obstacles, waits } };
}

type Taking = {
  readonly row: ProposalRow;
  readonly set: MachineSet;
  readonly refit: readonly RefitState[];
  readonly now: Instant;
};

/** More of states than this is kept beside the record, not in it. */
const inlineBytesMax = 4_096;

/** Core is asked first whether it will take it too: both journals swap, or none does. */
async function take(parts: Parts, view: View, { row, set, refit, now }: Taking): Promise<Judged> {
  const { store, workflow, loadNeeds } = parts;
  const body = await bytesOf(store, workflow, row.body);
  const command: CoreCommand = { kind: "swap_version", number: row.number, body };
  if (!(await loadNeeds(view, needsOf(view, command)))) return { kind: "stale" };
  const decision = decide(view, command, now);
  if (!decision.ok) {
    const { code, note } = decision.refusal;
    return hold(row, code, listReason(code, note));
  }
  const isApart = refit.reduce((sum, { state }) => sum + state.length, 0) > inlineBytesMax;
  const applied = { proposal: row.number, states: refit, isApart };
  const version = row.scriptHash as Hash;
  return { kind: "take", input: { kind: "manifest", set, applied }, version, command };
}

/** Whether another turn is wanted at once, because of a proposal that may be taken then. */
export function wantsTurn(view: View, { kernel }: OpenedKernel, judged: Judged): boolean {
  const { applying } = view.load("workflows");
  if (applying === null || (judged.kind === "hold" && !judged.command.waits)) return false;
  const isHeld = judged.kind === "hold" || findProposal(view, applying)?.obstacles != null;
  return !isHeld || workUnderWay(kernel).length === 0;
}

/** Null = there was no reason to load it yet. */
function findProposal(view: View, number: number): ProposalRow | null {
  return [...view.rows("proposals")].find((each) => each.number === number) ?? null;
}
