import { decodeCanonical, hashText, type Instant, type Store } from "@holdfast/core";
import {
  cellIdOf,
  dueOf,
  instancesOf,
  type OpenIntent,
  openWork,
  StateFault,
} from "@holdfast/core/machine";
import type { JsonValue } from "../queries/answers.ts";
import { plainValue } from "../queries/plain-value.ts";
import { type ReadParts, readKernel } from "./kept-kernels.ts";
import { MachinesDiverge } from "./machines-diverge.ts";
import { type KernelParts, openKernel } from "./open-kernel.ts";
import { replayAll } from "./replay-all.ts";
import { type ShownCell, type ShownState, shownCell, shownState } from "./show-cell.ts";
import { shownKey } from "./show-records.ts";

type ShowParts = KernelParts & { readonly store: Store };

/** Every cell there is, by its name. */
export async function listCells(parts: ShowParts): Promise<readonly ShownCell[]> {
  const { kernel, driver } = await openKernel(parts);
  const instances = await driver.drive(kernel, instancesOf(kernel));
  return instances.map(shownCell);
}

/** The same with what each is; for few of them. */
export async function listStates(parts: ShowParts): Promise<readonly ShownState[]> {
  const opened = await openKernel(parts);
  const { kernel, driver } = opened;
  const shown: ShownState[] = [];
  for (const { machine, key } of await driver.drive(kernel, instancesOf(kernel))) {
    const state = await shownState(opened, { machine, key });
    if (state !== null) shown.push(state);
  }
  return shown;
}

export type ShownIntent = {
  readonly intentId: string;
  readonly machine: string;
  readonly key: JsonValue;
  readonly effect: string;
  readonly kind: OpenIntent["kind"];
  readonly params: JsonValue;
  /** Number of the record whose event asked for it. */
  readonly since: number;
  /** Of its call in the ledger; null = it has none there. */
  readonly mutationId: string | null;
  readonly state: string | null;
  /** When its call was recorded; null = it has none. */
  readonly recordedAt: Instant | null;
  /** When a timer fires, or what is not answered by then has failed; null = never. */
  readonly dueAt: Instant | null;
  /** The open question about its call; null = nobody is asked. */
  readonly attentionId: string | null;
};

/** What machines wait for, or one cell does, oldest first. */
export async function listIntents(
  parts: ShowParts & ReadParts,
  cell: { readonly machine: string; readonly key: Uint8Array | null } | null = null,
): Promise<readonly ShownIntent[]> {
  const { store, workflow } = parts;
  const open = await readKernel(parts, async ({ kernel }) => openWork(kernel));
  const cellId = cell === null ? null : cellIdOf(cell.machine, cell.key);
  const { rows } = await store.load(workflow, [{ kind: "base" }]);
  const runs = rows.flatMap((each) => (each.table === "runs" ? [each.row] : []));
  const calls = rows.flatMap((each) => (each.table === "mutations" ? [each.row] : []));
  const questions = rows.flatMap((each) => (each.table === "attentions" ? [each.row] : []));
  const wanted = open.filter((each) => cellId === null || each.cellId === cellId);
  return wanted.map((intent) => {
    const own = runs.find(({ itemId }) => itemId === intent.id);
    // One that asked for a key that is taken waits for that call.
    const run = runs.find(({ runId }) => runId === own?.rootRunId);
    const call = calls.find(({ mutationId }) => mutationId === run?.mutationId);
    const asked = questions.find(({ subject, closedAt }) => {
      return closedAt === null && (subject === call?.mutationId || subject === run?.runId);
    });
    const due = dueOf(intent);
    return {
      intentId: intent.id,
      machine: intent.machine,
      key: shownKey(intent.key),
      effect: intent.effect,
      kind: intent.kind,
      params: plainValue(decodeCanonical(intent.params)),
      since: intent.emittedAtSeq,
      mutationId: call?.mutationId ?? null,
      state: call?.state ?? null,
      recordedAt: call?.recordedAt ?? null,
      dueAt: due === null ? null : Number(due / nsPerMs),
      attentionId: asked?.attentionId ?? null,
    };
  });
}

const nsPerMs = 1_000_000n;

export type ShownReplay =
  | {
      readonly ok: true;
      readonly records: number;
      /** Of the whole kernel at its end: the same in every process. */
      readonly image: string;
    }
  | { readonly ok: false; readonly code: string; readonly seq: number };

/** Runs the whole journal again and compares every record, and the last snapshot. */
export async function replayMachines(parts: ShowParts): Promise<ShownReplay> {
  try {
    const { snapshot, seq } = await replayAll(parts);
    return { ok: true, records: seq, image: hashText(snapshot) };
  } catch (error) {
    if (error instanceof StateFault) return { ok: false, code: error.code, seq: 0 };
    if (!(error instanceof MachinesDiverge)) throw error;
    const { code, seq } = error.divergence;
    return { ok: false, code, seq };
  }
}
