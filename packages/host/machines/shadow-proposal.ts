import { randomBytes } from "node:crypto";
import { decodeCanonical, type Hash, hashText, type ProposalRow, type Store } from "@holdfast/core";
import {
  cellIdOf,
  findInstance,
  guestValue,
  type Input,
  instancesOf,
  type Kernel,
  type MachineSet,
  openWork,
} from "@holdfast/core/machine";
import { bytesOf } from "../engine/values.ts";
import type { JsonValue } from "../queries/answers.ts";
import { diffValues } from "../queries/diff-values.ts";
import { plainValue } from "../queries/plain-value.ts";
import { fitAll } from "./fit-all.ts";
import { type KernelParts, type OpenedKernel, openKernel, openKernelAt } from "./open-kernel.ts";
import { recentEvents } from "./recent-events.ts";
import type { CellEnd, ShadowReport } from "./shadow-report.ts";
import { type CannedReceipts, type NamedInput, ShadowRun } from "./shadow-run.ts";
import { loadWorkflow, obstaclesNow } from "./show-proposals.ts";

type ShadowParts = KernelParts & { readonly store: Store };

export type ShadowRequest = {
  readonly row: ProposalRow;
  /** So many of the newest events are run again, from before the first of them. */
  readonly recent: number;
  /** Given instead, or after those. */
  readonly seeds: readonly Input[];
  readonly receipts: CannedReceipts;
};

/** Of each list in a report. */
const listedMax = 200;

/**
 * Both versions run the same inputs on their own copies of what there was, and what ends otherwise
 * is told. Whoever calls it gets a report; nothing was written, and nothing sent.
 */
export async function shadowProposal(
  parts: ShadowParts,
  { row, recent, seeds, receipts }: ShadowRequest,
): Promise<ShadowReport> {
  await requireBody(parts, row);
  const live = await openKernel(parts);
  const head = live.kernel.seq;
  const events = await recentEvents(parts, recent);
  const forkedAt = events[0] === undefined ? head : events[0].seq - 1;
  const wanted = [
    ...events.map(({ seq, given }) => ({ ...given, name: `record ${seq}` })),
    ...seeds.map(seeded(live.kernel)),
  ];
  const [before, after] = [
    await openKernelAt(parts, forkedAt),
    await openKernelAt(parts, forkedAt),
  ];
  const old = new ShadowRun({ ...parts, receipts }, before);
  const tried = new ShadowRun({ ...parts, receipts }, after);
  await take(old, row.base);
  // What it was forked from may be older than the version that the proposal was made against.
  await take(tried, row.base);
  const inputs = (await take(tried, row.scriptHash)) ? wanted : [];
  await old.run(inputs);
  await tried.run(inputs);
  const obstacles = await obstaclesNow(live, row, await loadWorkflow(parts.store, parts.workflow));
  return await reportOf({ row, old, tried, obstacles, receipts, forkedAt, head });
}

/** What is tried is what was proposed. */
async function requireBody({ store, workflow }: ShadowParts, { body }: ProposalRow): Promise<void> {
  const found = hashText(await bytesOf(store, workflow, body));
  if (found !== body.hash) throw new Error(`governance.shadow_mismatch: ${found}`);
}

/** False = its cells are too many to be looked at, so nothing is run. */
async function take(tried: ShadowRun, hash: string): Promise<boolean> {
  const { kernel, versions } = tried.opened;
  const set = await versions.load(hash as Hash);
  const { refit, unfit } = await fitAll(tried.opened, set);
  if (unfit.some(({ why }) => why === "cells_too_many")) return false;
  const gone = [...kernel.cells.values()].filter(({ machine }) => !set.machines.has(machine));
  tried.take(
    set,
    refit.map(({ machine, key, state }) => ({ cell: cellIdOf(machine, key), state })),
  );
  for (const { cell } of unfit) tried.leaveOut(cell);
  for (const { id } of gone) tried.leaveOut(id);
  return true;
}

/** Later than all there is, each with chances of its own. */
function seeded({ logicalNowNs }: Kernel): (input: Input, at: number) => NamedInput {
  return (input, at) => {
    const entropy = new Uint8Array(randomBytes(64));
    return { input, sample: { nowNs: logicalNowNs, entropy }, name: `seeds.${at}` };
  };
}

type Reported = {
  readonly row: ProposalRow;
  readonly old: ShadowRun;
  readonly tried: ShadowRun;
  readonly obstacles: ShadowReport["obstacles"];
  readonly receipts: CannedReceipts;
  readonly forkedAt: number;
  readonly head: number;
};

async function reportOf(given: Reported): Promise<ShadowReport> {
  const { row, old, tried, obstacles } = given;
  const { kernel } = tried.opened;
  const shortened: string[] = [];
  const some = <T>(name: string, all: readonly T[]): readonly T[] => {
    if (all.length > listedMax) shortened.push(name);
    return all.slice(0, listedMax);
  };
  const effects = [...tried.effects.values()].map(({ intent, answered }) => ({
    effect: intent.effect,
    intentId: intent.id,
    cell: intent.cellId,
    params: plainValue(decodeCanonical(intent.params)),
    answered,
  }));
  const pending = openWork(kernel).map(({ cellId: cell, id: intentId, effect, emittedAtSeq }) => {
    return { cell, intentId, effect, since: emittedAtSeq };
  });
  const deltas = await deltasOf(old.opened, tried.opened);
  return {
    number: row.number,
    patchHash: row.body.hash,
    manifestHash: kernel.set.manifestHash,
    effects: some("effects", effects),
    pending: some("pending", pending),
    instances: some("instances", await touched(tried, given.forkedAt)),
    allowlists: [...kernel.set.machines.values()].map(({ name, effects: may }) => {
      return { machine: name, effects: [...may].sort() };
    }),
    deltas: some("deltas", deltas),
    faults: some("faults", tried.faults),
    obstacles,
    horizon: {
      ...horizonOf(given),
      inputsRefused: some("inputsRefused", tried.refused),
      shortened,
    },
  };
}

type Horizon = ShadowReport["horizon"];

function horizonOf(given: Reported): Omit<Horizon, "inputsRefused" | "shortened"> {
  const { tried, old, receipts, forkedAt, head } = given;
  const effects = [...tried.effects.values()];
  const open = effects.filter(({ answered }) => answered === null);
  const unanswered = [...new Set(open.map(({ intent }) => intent.effect))].sort();
  const canned = [...receipts].map(([effect, { status }]) => `${effect} ${status}`).sort();
  return {
    forkedAt,
    head,
    inputs: tried.takenCount,
    canned,
    unanswered,
    isEndless: tried.isEndless || old.isEndless,
    claim:
      `This is what ${tried.takenCount} inputs came to, from record ${forkedAt} on, with these ` +
      "answers. Of what they did not reach it says nothing.",
  };
}

async function touched(
  { opened: { kernel, driver } }: ShadowRun,
  forkedAt: number,
): Promise<ShadowReport["instances"]> {
  const all = await driver.drive(kernel, instancesOf(kernel));
  return all
    .filter(({ lastEventSeq, openIntents, status }) => {
      return lastEventSeq > forkedAt || openIntents.length > 0 || status === "failed";
    })
    .map(({ id: cell, status, lastEventSeq: lastEvent, moduleVersion: version, openIntents }) => {
      return { cell, status, lastEvent, version, openIntents: openIntents.length };
    });
}

/** Cells that end otherwise, by state or by status. What neither has changed ends as it was. */
async function deltasOf(
  before: OpenedKernel,
  after: OpenedKernel,
): Promise<ShadowReport["deltas"]> {
  const changed = new Map([...namesOf(before.kernel), ...namesOf(after.kernel)]);
  const deltas: ShadowReport["deltas"][number][] = [];
  for (const [cell, name] of [...changed].sort(([left], [right]) => (left < right ? -1 : 1))) {
    const [from, to] = [await endOf(before, name), await endOf(after, name)];
    if (from?.stateHash === to?.stateHash && from?.status === to?.status) continue;
    const changes = diffValues(from?.state ?? null, to?.state ?? null);
    deltas.push({ cell, before: from, after: to, changes });
  }
  return deltas;
}

type CellName = { readonly machine: string; readonly key: Uint8Array | null };

/** Of cells that have changed since the snapshot, or wait for something. */
function namesOf({ cells, dirty }: Kernel): readonly (readonly [string, CellName])[] {
  return [...dirty, ...cells];
}

async function endOf({ kernel, driver }: OpenedKernel, name: CellName): Promise<CellEnd | null> {
  const found = await driver.drive(kernel, findInstance(kernel, name));
  if (found === null) return null;
  const { status, state } = found;
  if (state === null) return { status, stateHash: null, state: null };
  return { status, stateHash: hashText(state), state: shownState(kernel.set, name.machine, state) };
}

function shownState(set: MachineSet, machine: string, state: Uint8Array): JsonValue {
  const compiled = set.machines.get(machine)?.state;
  const read = compiled?.validate(decodeCanonical(state));
  if (compiled === undefined || !read?.ok) return plainValue(decodeCanonical(state));
  return plainValue(guestValue(compiled.schema, compiled.decode(state), set.names));
}
