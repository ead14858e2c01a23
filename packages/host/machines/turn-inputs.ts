import { decodeCanonical, type Hash, type MachineInput, type View } from "@holdfast/core";
import type { Input, Kernel } from "@holdfast/core/machine";
import { bytesOf } from "../engine/values.ts";
import { plainInput, type Waiting } from "./batch.ts";
import { receiptOfResult } from "./effect-call.ts";
import { isOlder } from "./older-inputs.ts";
import type { OpenedKernel } from "./open-kernel.ts";
import { type Settled, settledBy } from "./receipts.ts";
import type { TurnParts } from "./turn-parts.ts";

type Parts = Pick<TurnParts, "store" | "workflow" | "outside">;

/** Of a batch that waited, as the kernel takes it, with the versions it names. */
export async function inputsOf(
  parts: Parts,
  batch: readonly Waiting[],
  { view, opened }: { readonly view: View; readonly opened: OpenedKernel },
) {
  const inputs: (Input | Settled)[] = [];
  const versions: Hash[] = [];
  const { restoredThrough } = view.load("workflows");
  for (const waiting of batch) {
    const { input } = waiting;
    if (input.kind === "manifest") {
      const hash = input.scriptHash as Hash;
      const set = await opened.versions.load(hash);
      versions.push(hash);
      // The kernel began with it.
      const isFirst = opened.kernel.seq === 1 && view.load("workflows").machineSeq === 0;
      if (!isFirst) inputs.push({ kind: "manifest", set });
    } else if (input.kind === "outcome") {
      inputs.push(await outcomeOf(parts, input, { view, kernel: opened.kernel }));
    } else inputs.push(plainInput(input, { older: isOlder(waiting, restoredThrough) }));
  }
  return { inputs, versions };
}

async function outcomeOf(
  { store, workflow, outside }: Parts,
  outcome: Extract<MachineInput, { kind: "outcome" }>,
  { view, kernel }: { readonly view: View; readonly kernel: Kernel },
): Promise<Settled> {
  const { mutationId, intentId } = outcome;
  const row = mutationId === null ? null : view.load("mutations", mutationId);
  if (row?.state !== "applied") return settledBy(outcome, row, new Uint8Array());
  const value = row.result === null ? null : await bytesOf(store, workflow, row.result);
  const result = value === null ? null : decodeCanonical(value);
  const isWanted = kernel.intents.has(intentId);
  const payload = isWanted ? receiptOfResult(outside, row, result) : (value ?? new Uint8Array());
  return settledBy(outcome, row, payload);
}
