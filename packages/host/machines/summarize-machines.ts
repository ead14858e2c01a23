import type { Store } from "@holdfast/core";
import { countInstances, quiescenceOf, restOf } from "@holdfast/core/machine";
import { type ReadParts, readKernel } from "./kept-kernels.ts";
import { findNewest } from "./kept-snapshots.ts";
import { countProposals } from "./show-proposals.ts";
import { type RecordFields, recordsAfter } from "./show-records.ts";
import { type WorkflowQuiescence, withInputs } from "./trace-machines.ts";
import { waitingInputs } from "./waiting-inputs.ts";

type Parts = ReadParts & { readonly store: Store };
type Counts = Readonly<Record<string, number>>;

export type MachineSummary = {
  readonly records: number;
  /** From where to where the journal goes, and up to where the last snapshot has it. */
  readonly journal: {
    readonly from: number;
    readonly to: number;
    readonly snapshot: number | null;
  };
  readonly events: number;
  readonly intents: number;
  /** By their status, those that were turned away among them. */
  readonly receipts: Counts;
  readonly frames: number;
  readonly faults: number;
  /** What became of receipts and frames: whether a cell could have them, and if not, why. */
  readonly continuations: Counts;
  /** Which executor each effect was asked of. */
  readonly routes: readonly MachineRoute[];
  readonly instances: Counts;
  readonly proposals: Counts;
  readonly open: number;
  readonly ready: number;
  readonly waits: WorkflowQuiescence;
};

export type MachineRoute = {
  readonly effect: string;
  /** Package of the connector, and its operation; the host's own have its name. */
  readonly module: string;
  readonly entrypoint: string;
  readonly intents: number;
  readonly open: number;
};

/** How much there is of everything, over the whole journal, which is read through. */
export async function summarizeMachines(parts: Parts): Promise<MachineSummary> {
  const { store, workflow } = parts;
  const counted = new CountedRecords();
  for await (const [seq, fields] of recordsAfter(parts, 0)) counted.add(seq, fields);
  const inputs = await waitingInputs(parts);
  const snapshot = await findNewest(parts);
  const proposals = await countProposals(store, workflow);
  return readKernel(parts, async ({ kernel, driver }) => {
    const instances = await driver.drive(kernel, countInstances(kernel));
    const { openCount: open, readyCount: ready } = restOf(kernel);
    const openRoutes = new Count();
    for (const { effect, executor } of kernel.intents.values()) {
      openRoutes.add(routeName({ effect, ...executor }));
    }
    const { journal, ...counts } = counted.all(openRoutes);
    return {
      ...counts,
      journal: { ...journal, snapshot: snapshot?.row.lastSeq ?? null },
      instances: sorted(instances),
      proposals: sorted(proposals),
      open,
      ready,
      waits: withInputs(quiescenceOf(kernel), inputs.length),
    };
  });
}

/** What the records say by themselves; what is held does not grow with them. */
class CountedRecords {
  readonly #kinds = new Count();
  readonly #receipts = new Count();
  readonly #continuations = new Count();
  readonly #routes = new Map<string, Route>();
  #from = 0;
  #to = 0;

  add(seq: number, fields: RecordFields): void {
    if (this.#from === 0) this.#from = seq;
    this.#to = seq;
    const { kind, name = null, status } = fields;
    this.#kinds.add(String(name ?? kind));
    if (kind === "effect_receipt") this.#receipts.add(String(status));
    if (kind === "effect_intent") this.#ask(fields);
    for (const [what, count] of continuationsOf(fields)) this.#continuations.add(what, count);
  }

  #ask({ effect, executor_module: module, executor_entrypoint: entrypoint }: RecordFields): void {
    const route = {
      effect: String(effect),
      module: String(module),
      entrypoint: String(entrypoint),
    };
    const known = this.#routes.get(routeName(route));
    this.#routes.set(routeName(route), { ...route, intents: (known?.intents ?? 0) + 1 });
  }

  all(openRoutes: Count) {
    const kinds = this.#kinds;
    const routes = [...this.#routes].sort(([left], [right]) => (left < right ? -1 : 1));
    return {
      records: this.#to,
      journal: { from: this.#from, to: this.#to },
      events: kinds.of("domain_event"),
      intents: kinds.of("effect_intent"),
      receipts: this.#receipts.all,
      frames: kinds.of("stream_frame"),
      faults: faultNames.reduce((sum, name) => sum + kinds.of(name), 0),
      continuations: this.#continuations.all,
      routes: routes.map(([name, route]) => ({ ...route, open: openRoutes.of(name) })),
    };
  }
}

const faultNames = ["step_killed", "workflow.step_fault", "workflow.receipt_fault"];

type Route = Omit<MachineRoute, "open">;

function routeName({ effect, module, entrypoint }: Omit<Route, "intents">): string {
  return `${effect} ${module} ${entrypoint}`;
}

/**
 * A receipt that is accepted, or made up for want of room, is a continuation until its fault says
 * that the cell could not have it; so is a frame until it is dropped.
 */
function continuationsOf(fields: RecordFields): readonly (readonly [string, number])[] {
  const { kind, name = null, accepted, delivered_rejected: isTold } = fields;
  switch (name ?? kind) {
    case "effect_receipt":
      return accepted === true ? [["receipt", 1]] : [];
    case "workflow.over_capacity":
      return [["receipt", 1]];
    case "workflow.receipt_fault":
      return [
        ["receipt", -1],
        [isTold === true ? "rejected" : "undeliverable", 1],
      ];
    case "workflow.receipt_refused":
      return [["refused", 1]];
    case "workflow.receipt_ignored":
      return [["ignored", 1]];
    case "stream_frame":
      return [["frame", 1]];
    case "workflow.stream_drop":
      return [
        ["frame", -1],
        ["dropped", 1],
      ];
    default:
      return [];
  }
}

class Count {
  readonly #counts = new Map<string, number>();

  add(word: string, count = 1): void {
    this.#counts.set(word, this.of(word) + count);
  }

  of(word: string): number {
    return this.#counts.get(word) ?? 0;
  }

  /** What there is none of is left out. */
  get all(): Counts {
    return sorted(this.#counts);
  }
}

function sorted(counts: ReadonlyMap<string, number>): Counts {
  return Object.fromEntries([...counts].filter(([, count]) => count > 0).sort());
}
