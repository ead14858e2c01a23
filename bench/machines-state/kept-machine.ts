/**
 * A kernel whose parts are in a store, with a plain function for its step: what is measured is what
 * keeping costs, and a step in the sandbox would hide most of it.
 */
import { encodeCanonical, hashText, type Store } from "@holdfast/core";
import {
  type Asking,
  closeStepReturn,
  compileSet,
  createKernel,
  isLoad,
  type Kernel,
  openSnapshot,
  openStepCall,
  type StepCall,
  serve,
  takeSnapshot,
} from "@holdfast/core/machine";
import { PartReader } from "@holdfast/host";

const workflow = "bench";
const machineName = "bench/count@1";
const batchSize = 100;

function counting() {
  const compiled = compileSet({
    workflow,
    manifestHash: hashText(encodeCanonical("bench")),
    moduleVersion: "bench",
    topics: [],
    effects: [],
    machines: [
      {
        name: "count",
        state: {
          type: "record",
          fields: { count: { type: "nat" }, note: { type: "text" } },
        },
        event: { type: "record", fields: { by: { type: "nat" } } },
        key: { type: "text" },
        context: false,
        annotations: null,
        version: 1,
        effects: [],
        subscribe: [],
      },
    ],
  });
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.problems));
  return compiled.set;
}

const keys = { moduleOf: () => null, verify: () => false };

export class KeptMachine {
  readonly #store: Store;
  readonly #set = counting();
  readonly #reader: PartReader;
  #epoch = 0;
  kernel: Kernel;

  private constructor(store: Store) {
    this.#store = store;
    this.#reader = new PartReader({ store, workflow });
    const sample = { nowNs: 0n, entropy: new Uint8Array(64) };
    this.kernel = createKernel({ set: this.#set, keys }, sample);
    this.kernel.takeFrame();
  }

  static async open(store: Store): Promise<KeptMachine> {
    const machine = new KeptMachine(store);
    await store.createWorkflow(workflow);
    await store.openHost({ incarnation: "bench", leaseMs: 3_600_000 });
    machine.#epoch = (await store.load(workflow, [])).epoch;
    return machine;
  }

  /** One event for each of these cells. */
  async tell(ids: readonly number[]): Promise<void> {
    const value = encodeCanonical({ by: 1 });
    for (let at = 0; at < ids.length; at += batchSize) {
      const batch = ids.slice(at, at + batchSize).map((id) => ({
        input: {
          kind: "direct",
          machine: machineName,
          key: encodeCanonical(`cell ${id}`),
          value,
        } as const,
        sample: { nowNs: 0n, entropy: new Uint8Array(64) },
      }));
      const turnsMax = Number.POSITIVE_INFINITY;
      const { answers } = await this.#drive(serve(this.kernel, batch, { turnsMax }));
      const refused = answers.find(({ ok }) => !ok);
      if (refused !== undefined) throw new Error(JSON.stringify(refused));
    }
  }

  /** Taken and durable. */
  async snapshot(): Promise<{ readonly bytes: Uint8Array; readonly partCount: number }> {
    const { bytes, parts } = await this.#drive(takeSnapshot(this.kernel));
    this.#reader.remember(parts);
    const { head } = await this.#store.load(workflow, []);
    const nothing = { records: [], rows: [], blobs: [], settledBelow: [], budgets: [] };
    const [answer] = await this.#store.commit([
      {
        workflow,
        epoch: this.#epoch,
        expectedHead: head.seq,
        ...nothing,
        parts,
        dueAt: null,
        trace: null,
        forgetTracesThrough: null,
      },
    ]);
    if (answer?.kind !== "committed") throw new Error(JSON.stringify(answer));
    return { bytes, partCount: parts.length };
  }

  close(): Promise<void> {
    return this.#store.close();
  }

  async reopen(snapshot: Uint8Array): Promise<void> {
    this.kernel = await this.#drive(openSnapshot(snapshot, { set: this.#set, keys }));
  }

  async #drive<T>(run: Asking<T>): Promise<T> {
    let next = run.next();
    while (!next.done) {
      const ask = next.value;
      next = run.next(isLoad(ask) ? await this.#reader.answer(ask) : this.#step(ask));
    }
    return next.value;
  }

  #step(call: StepCall) {
    const { state, event } = openStepCall(this.#set, call);
    const before = (state as { readonly count: number } | null)?.count ?? 0;
    const { by } = event as { readonly by: number };
    const note = `of the cell with the key ${before}`;
    return closeStepReturn({ state: { count: before + by, note } });
  }
}
