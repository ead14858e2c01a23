import {
  type CanonicalValue,
  encodeCanonical,
  type HostedScript,
  type Store,
} from "@holdfast/core";
import {
  KnownTimes,
  listRecords,
  type OutsideWorld,
  QuietTimes,
  realTimers,
  replayMachines,
  WorkflowLoop,
  WorkflowOwner,
} from "@holdfast/host";
import { grantsForAll, plainCall } from "@holdfast/host/testing";
import {
  compileScript,
  declarationsOf,
  hostedScript,
  type LoadedScript,
  type Sandbox,
  validate,
} from "@holdfast/sandbox";
import { openBenchStoreNow } from "../store/open-bench-store.ts";
import { effects, machineText } from "./machine-script.ts";

const workflow = "counting";
const connections = { shop: { book: "mutation", look: "read:byId" } } as const;

export type CountingScript = {
  readonly loaded: LoadedScript;
  readonly hosted: HostedScript;
  readonly activation: object;
};

export async function loadCounting(sandbox: Sandbox): Promise<CountingScript> {
  const source = { entry: "counting.ts", files: { "counting.ts": machineText } };
  const known = { effects };
  const { manifest, problems } = await validate(source, (each) => sandbox.inspect(each), known);
  const compiled = await compileScript(source);
  if (manifest === null || !compiled.ok) throw new Error(JSON.stringify(problems));
  const loaded = await sandbox.load(compiled.script.code);
  if (!loaded.ok) throw new Error(loaded.failure.message);
  const parts = { compiled: compiled.script, manifest, connections };
  const { codeHash: scriptHash } = compiled.script;
  const version = { major: 1, minor: 0, scriptHash, script: null, progress: "keep" };
  const grants = grantsForAll(connections);
  return {
    loaded: loaded.script,
    hosted: hostedScript(sandbox, loaded.script, parts),
    activation: { ...version, grants, ...declarationsOf(manifest) },
  };
}

/** A workflow of machines on SQLite, with a real sandbox and a shop that answers at once. */
export class MachineWorld {
  readonly #store: Store;
  readonly #script: CountingScript;
  #lives = 0;
  #commands = 0;

  private constructor(store: Store, script: CountingScript) {
    this.#store = store;
    this.#script = script;
  }

  static async open(folder: string, script: CountingScript): Promise<MachineWorld> {
    const store = await openBenchStoreNow(folder);
    await store.createWorkflow(workflow);
    const world = new MachineWorld(store, script);
    await world.#command("activate_version", script.activation);
    await world.work();
    return world;
  }

  /** They wait as inputs of the machines; nothing has been stepped. */
  async fill(machine: string, keys: readonly (string | null)[]): Promise<void> {
    await this.#command("pause_workflow", {});
    for (const [at, key] of keys.entries()) await this.send({ machine, key, id: `order-${at}` });
    await this.work();
    await this.#command("resume_workflow", {});
  }

  /** Waits in the inbox. */
  send({ machine, key, id }: Sent): Promise<void> {
    const order = { id, sum: 7 };
    const isAsking = machine === "looks" || machine === "books";
    return this.#command("send_to_machine", {
      machine: nameOf(machine),
      key: key === null ? null : encodeCanonical(key),
      value: encodeCanonical(isAsking ? { Placed: order } : order),
    });
  }

  /** The event that a cell failed on is dropped, and it goes on with what waited behind it. */
  restart(machine: string, key: string): Promise<void> {
    const cell = { machine: nameOf(machine), key: encodeCanonical(key) };
    return this.#command("restart_cell", { ...cell, poison: "drop" });
  }

  /** What the kernel has recorded after this many, oldest first. */
  async records(after: number): Promise<readonly Readonly<Record<string, unknown>>[]> {
    const parts = { store: this.#store, workflow };
    const { items } = await listRecords(parts, { after, limit: 10_000 });
    return items.map(({ record }) => record as Readonly<Record<string, unknown>>);
  }

  /** Until a host has nothing to do any more. */
  async work(): Promise<void> {
    this.#lives += 1;
    const incarnation = `bench-${this.#lives}`;
    await this.#store.openHost({ incarnation, leaseMs: 3_600_000 });
    const { claims } = await this.#store.claim(incarnation, 1);
    const [claim] = claims;
    if (claim === undefined) throw new Error("nothing is due");
    const end = await this.#loop(claim, incarnation).work();
    if (end.kind !== "resting") throw new Error(JSON.stringify(end));
    await this.#store.closeHost(incarnation);
  }

  /** Records that were made again and found to be the same. */
  async replay(): Promise<number> {
    const parts = { store: this.#store, workflow, loadScript: async () => this.#script.hosted };
    const replayed = await replayMachines(parts);
    if (!replayed.ok) throw new Error(JSON.stringify(replayed));
    return replayed.records;
  }

  close(): Promise<void> {
    return this.#store.close();
  }

  async #command(kind: string, given: object): Promise<void> {
    this.#commands += 1;
    const commandId = `c-${this.#commands}`;
    const body = encodeCanonical(given as CanonicalValue);
    const at = Date.now();
    await this.#store.appendCommand({ commandId, workflow, actor: "bench", kind, body, at });
  }

  #loop(claim: { workflow: string; epoch: number; unclean: boolean }, incarnation: string) {
    const store = this.#store;
    return new WorkflowLoop({
      store,
      ownership: { ...claim, mayAct: () => true, mayActUntil: Number.POSITIVE_INFINITY },
      owner: new WorkflowOwner(store, claim),
      scripts: { load: async () => this.#script.hosted },
      outside: promptShop,
      clock: { now: () => Date.now() },
      monotonicMs: () => performance.now(),
      timers: realTimers,
      quietTimes: new QuietTimes(),
      knownTimes: new KnownTimes(),
      random: () => 0.5,
      incarnation,
      observer: {},
    });
  }
}

type Sent = { readonly machine: string; readonly key: string | null; readonly id: string };

function nameOf(machine: string): string {
  return `${workflow}/${machine}@1`;
}

const promptShop: OutsideWorld = {
  read: async () => ({ says: "value", value: '{"number":1}' }),
  describe: (call) => plainCall(call),
  send: async () => ({ says: "applied", result: encodeCanonical({ number: 1 }) }),
  reconcile: async () => ({ says: "retry", note: "nothing is ever lost here" }),
};
