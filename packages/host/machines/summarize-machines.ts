import type { Store } from "@holdfast/core";
import { instancesOf, restOf } from "@holdfast/core/machine";
import { type KernelParts, openKernel } from "./open-kernel.ts";
import { listProposals } from "./show-proposals.ts";
import { recordsAfter } from "./show-records.ts";

type Parts = KernelParts & { readonly store: Store };
type Counts = Readonly<Record<string, number>>;

export type MachineSummary = {
  readonly records: number;
  readonly events: number;
  readonly intents: number;
  readonly receipts: Counts;
  readonly frames: number;
  readonly faults: number;
  readonly instances: Counts;
  readonly proposals: Counts;
  readonly open: number;
  readonly ready: number;
};

/** How much there is of everything, over the whole journal. */
export async function summarizeMachines(parts: Parts): Promise<MachineSummary> {
  const kinds = new Count();
  const receipts = new Count();
  for await (const [, fields] of recordsAfter(parts, 0)) {
    const isFault = String(fields["name"]).endsWith("_fault");
    kinds.add(isFault ? "fault" : String(fields["kind"]));
    if (fields["kind"] === "effect_receipt") receipts.add(String(fields["status"]));
  }
  const { kernel, driver } = await openKernel(parts);
  const instances = new Count();
  for (const { status } of await driver.drive(kernel, instancesOf(kernel))) instances.add(status);
  const proposals = new Count();
  for (const { status } of await listProposals(parts.store, parts.workflow)) proposals.add(status);
  const { openCount: open, readyCount: ready } = restOf(kernel);
  return {
    records: kernel.seq,
    events: kinds.of("domain_event"),
    intents: kinds.of("effect_intent"),
    receipts: receipts.all,
    frames: kinds.of("stream_frame"),
    faults: kinds.of("fault") + kinds.of("step_killed"),
    instances: instances.all,
    proposals: proposals.all,
    open,
    ready,
  };
}

class Count {
  readonly #counts = new Map<string, number>();

  add(word: string): void {
    this.#counts.set(word, this.of(word) + 1);
  }

  of(word: string): number {
    return this.#counts.get(word) ?? 0;
  }

  get all(): Counts {
    return Object.fromEntries([...this.#counts].sort());
  }
}
