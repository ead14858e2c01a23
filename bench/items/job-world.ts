import {
  type CanonicalValue,
  encodeCanonical,
  type HostedScript,
  insertRow,
  type Store,
} from "@holdfast/core";
import {
  KnownTimes,
  type OutsideWorld,
  QuietTimes,
  realTimers,
  WorkflowLoop,
  WorkflowOwner,
} from "@holdfast/host";
import { grantsForAll, plainCall } from "@holdfast/host/testing";
import {
  compileScript,
  declarationsOf,
  hostedScript,
  type Sandbox,
  validate,
} from "@holdfast/sandbox";
import { persistRows } from "../store/ledger-rows.ts";
import { openBenchStoreNow } from "../store/open-bench-store.ts";

const workflow = "renewals";
const connections = {
  shop: { book: "mutation", look: "read:byId", gate: "read:byId" },
} as const;

/** A job on SQLite with a real sandbox, and a shop that answers at once. */
export class JobWorld {
  readonly #store: Store;
  readonly #hosted: HostedScript;
  #lives = 0;
  #commands = 0;

  private constructor(store: Store, hosted: HostedScript) {
    this.#store = store;
    this.#hosted = hosted;
  }

  /** `body` is that of the job's handler. */
  static async open(folder: string, sandbox: Sandbox, body: string): Promise<JobWorld> {
    const text = `
      import { workflow } from "@holdfast/sdk";
      export default workflow({
        name: "renewals", topics: {},
        connections: { shop: { connector: "http", account: "shop" } },
        jobs: { renew: { manual: true, handler: async (ctx) => {${body}} } },
      });`;
    const source = { entry: "w.ts", files: { "w.ts": text } };
    const { manifest, problems } = await validate(source, (each) => sandbox.inspect(each));
    const compiled = await compileScript(source);
    if (manifest === null || !compiled.ok) throw new Error(JSON.stringify(problems));
    const loaded = await sandbox.load(compiled.script.code);
    if (!loaded.ok) throw new Error(loaded.failure.message);
    const parts = { compiled: compiled.script, manifest, connections };
    const store = await openBenchStoreNow(folder);
    await store.createWorkflow(workflow);
    const world = new JobWorld(store, hostedScript(sandbox, loaded.script, parts));
    const { codeHash: scriptHash } = compiled.script;
    const version = { major: 1, minor: 0, scriptHash, script: null, progress: "keep" };
    const grants = grantsForAll(connections);
    await world.ask("activate_version", { ...version, grants, ...declarationsOf(manifest) });
    return world;
  }

  /** Milliseconds until a host has answered the command and has nothing to do any more. */
  async ask(kind: string, body: object): Promise<number> {
    this.#commands += 1;
    const bytes = encodeCanonical(body as CanonicalValue);
    const commandId = `c-${this.#commands}`;
    const command = { commandId, workflow, actor: "bench", kind, body: bytes, at: Date.now() };
    await this.#store.appendCommand(command);
    this.#lives += 1;
    const incarnation = `bench-${this.#lives}`;
    await this.#store.openHost({ incarnation, leaseMs: 3_600_000 });
    const { claims } = await this.#store.claim(incarnation, 1);
    const [claim] = claims;
    if (claim === undefined) throw new Error("nothing is due");
    const startedAt = performance.now();
    const end = await this.#loop(claim, incarnation).work();
    const ms = performance.now() - startedAt;
    if (end.kind !== "resting") throw new Error(JSON.stringify(end));
    await this.#store.closeHost(incarnation);
    return ms;
  }

  /** Of the run that waits. */
  async openRun(): Promise<string> {
    const { rows } = await this.#store.load(workflow, [{ kind: "base" }]);
    const run = rows.find((each) => each.table === "runs");
    if (run?.table !== "runs") throw new Error("no run is open");
    return run.row.runId;
  }

  /** As if a run had worked them off: to do that for all of them takes a sync for each. */
  async putDoneItems(itemIds: readonly string[]): Promise<void> {
    const { head } = await this.#store.load(workflow, []);
    const rows = itemIds.map((itemId) => {
      return insertRow("items", { ...doneItem, itemId, position: head.seq, touchedSeq: head.seq });
    });
    await persistRows(this.#store, workflow, rows);
  }

  /** The head of the journal: who writes nothing leaves it where it is. */
  async headSeq(): Promise<number> {
    return (await this.#store.load(workflow, [])).head.seq;
  }

  close(): Promise<void> {
    return this.#store.close();
  }

  #loop(claim: { workflow: string; epoch: number; unclean: boolean }, incarnation: string) {
    const store = this.#store;
    return new WorkflowLoop({
      store,
      ownership: { ...claim, mayAct: () => true, mayActUntil: Number.POSITIVE_INFINITY },
      owner: new WorkflowOwner(store, claim),
      scripts: { load: async () => this.#hosted },
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

const doneItem = {
  handler: "renew",
  title: "Item",
  status: "done",
  attempt: 1,
  createdBy: "r1",
  lastRunId: "r1",
  mutationId: null,
  older: false,
  createdAt: 0,
  updatedAt: 0,
} as const;

/** The gate is closed: whoever comes there waits for a person, and then begins at the top. */
const closed = { class: "auth", message: "closed", location: "gate" } as const;

const promptShop: OutsideWorld = {
  read: async ({ operation }) => {
    if (operation === "gate") return { says: "failed", failure: closed, retryAt: null };
    return { says: "value", value: '{"number":1}' };
  },
  describe: (call) => plainCall(call),
  send: async () => ({ says: "applied", result: encodeCanonical({ number: 1 }) }),
  reconcile: async () => ({ says: "retry", note: "nothing is ever lost here" }),
};
