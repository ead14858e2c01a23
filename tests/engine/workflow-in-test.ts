import {
  type CanonicalValue,
  type Claim,
  type Connections,
  decodeCanonical,
  encodeCanonical,
  type HostedScript,
  type Instant,
  type Payload,
  type Progress,
  policyDefaults,
  type Rows,
  type RunRow,
  runSeqOf,
  type Store,
  type TableName,
} from "@holdfast/core";
import type { EffectDeclaration } from "@holdfast/core/machine";
import {
  type EngineObserver,
  KnownTimes,
  type LoopEnd,
  type OutsideWorld,
  QuietTimes,
  realTimers,
  type Timers,
  type TraceReport,
  traceOf,
  verify,
  type WorkDesk,
  WorkflowLoop,
  WorkflowOwner,
} from "@holdfast/host";
import { grantsForAll, Wakes } from "@holdfast/host/testing";
import {
  compileScript,
  declarationsOf,
  type HostedParts,
  hostedScript,
  type Known,
  type Sandbox,
  validate,
} from "@holdfast/sandbox";
import { expect } from "vitest";

const leaseMs = 60_000;

/** What is outside, and hears when the host dies. */
export type WorldInTest = OutsideWorld & {
  readonly connections: Connections;
  onDeath: () => void;
};

type Parts = {
  readonly store: Store;
  readonly sandbox: Sandbox;
  readonly world: WorldInTest;
  /** The store's and the host's. */
  readonly clock: { now: Instant };
  readonly secretsOf?: NonNullable<HostedParts["secretsOf"]>;
  readonly workflow?: string;
  /** What its machines may ask for. */
  readonly effects?: readonly EffectDeclaration[];
};

type PreparedScript = Awaited<ReturnType<typeof compileAndLoad>>;

/** Tests deploy the same few scripts over and over. */
const prepared = new WeakMap<Sandbox, Map<string, Promise<PreparedScript>>>();

function prepareScript(sandbox: Sandbox, text: string, known: Known): Promise<PreparedScript> {
  const ofSandbox = prepared.get(sandbox) ?? new Map<string, Promise<PreparedScript>>();
  prepared.set(sandbox, ofSandbox);
  const script = ofSandbox.get(text) ?? compileAndLoad(sandbox, text, known);
  ofSandbox.set(text, script);
  return script;
}

async function compileAndLoad(sandbox: Sandbox, text: string, known: Known) {
  const source = { entry: "orders.ts", files: { "orders.ts": text } };
  const { manifest, problems } = await validate(source, (each) => sandbox.inspect(each), known);
  expect(problems.filter(({ severity }) => severity === "error")).toEqual([]);
  const compiled = await compileScript(source);
  if (!compiled.ok || manifest === null) throw new Error("not deployable");
  const loaded = await sandbox.load(compiled.script.code);
  if (!loaded.ok) throw new Error(loaded.failure.message);
  return { manifest, compiled: compiled.script, code: loaded.script };
}

/** One workflow with a real sandbox, a clock that is set by hand, and no network. */
export class WorkflowInTest {
  readonly workflow: string;
  readonly store: Store;
  readonly world: WorldInTest;
  /** The host's way to the store. */
  way: (store: Store) => Store = (store) => store;
  /** To the code that it runs. */
  wayToCode: (script: HostedScript) => HostedScript = (script) => script;
  /** And to what is outside. */
  wayOut: (world: OutsideWorld) => OutsideWorld = (world) => world;
  /** Where executors in other processes ask for work; null = there are none. */
  desk: WorkDesk | null = null;
  policy = policyDefaults;
  /** In whose name commands are given. */
  actor = "ada";
  readonly troubles: string[] = [];
  /** How far the host's wall clock is from the store's. */
  clockErrorMs = 0;
  onPhase: NonNullable<EngineObserver["onPhase"]> = () => {};
  readonly #sandbox: Sandbox;
  readonly #clock: { now: Instant };
  readonly #secretsOf: Parts["secretsOf"];
  readonly #known: Known;
  readonly #scripts = new Map<string, ReturnType<typeof hostedScript>>();
  #lives = 0;
  /** A host hears of what comes in while it works; here it is told by the test. */
  readonly wakes = new Wakes();
  timers: Timers = realTimers;
  /** Of the process: a new one knows nothing of what the last has counted. */
  quietTimes = new QuietTimes();
  knownTimes = new KnownTimes();
  #version = { major: 1, minor: -1 };
  /** The first version comes with everything granted; later ones leave that as it is. */
  #isGranted = false;
  #commands = 0;

  private constructor({ store, sandbox, world, clock, workflow, ...rest }: Parts) {
    const { secretsOf, effects } = rest;
    this.#known = effects === undefined ? {} : { effects };
    this.workflow = workflow ?? "orders";
    this.#secretsOf = secretsOf;
    this.store = store;
    this.#sandbox = sandbox;
    this.world = world;
    this.#clock = clock;
  }

  get now(): Instant {
    return this.#clock.now;
  }

  set now(at: Instant) {
    this.#clock.now = at;
  }

  static async create(parts: Parts, source: string): Promise<WorkflowInTest> {
    const test = new WorkflowInTest(parts);
    await test.store.createWorkflow(test.workflow);
    await test.deploy(source);
    return test;
  }

  /** A minor version, unless it is said to be a major one. */
  async deploy(
    text: string,
    { isMajor = false, progress = "keep" }: { isMajor?: boolean; progress?: Progress } = {},
  ): Promise<void> {
    const { scriptHash, ...declared } = await this.compile(text);
    const { major, minor } = this.#version;
    this.#version = isMajor ? { major: major + 1, minor: 0 } : { major, minor: minor + 1 };
    const grants = this.#isGranted ? null : grantsForAll(this.world.connections);
    this.#isGranted = true;
    const version = { ...this.#version, scriptHash, script: null, grants, progress, ...declared };
    await this.command("activate_version", version);
  }

  /** What a script declares; from now on it can be run. */
  async compile(text: string) {
    const { manifest, compiled, code } = await prepareScript(this.#sandbox, text, this.#known);
    const { connections } = this.world;
    const { codeHash: scriptHash } = compiled;
    this.#scripts.set(
      scriptHash,
      hostedScript(this.#sandbox, code, {
        compiled,
        manifest,
        connections,
        ...(this.#secretsOf === undefined ? {} : { secretsOf: this.#secretsOf }),
      }),
    );
    return { scriptHash, ...declarationsOf(manifest) };
  }

  /** What the library has of it is gone. */
  loseScripts(): void {
    this.#scripts.clear();
  }

  /** Answers with its id. */
  async command(kind: string, body: object): Promise<string> {
    this.#commands += 1;
    const commandId = `c-${this.#commands}`;
    await this.store.appendCommand({
      commandId,
      workflow: this.workflow,
      actor: this.actor,
      kind,
      body: encodeCanonical(body as CanonicalValue),
      at: this.now,
    });
    return commandId;
  }

  /** Gives the command, lets a host answer it, and answers what it was told. */
  async ask(kind: string, body: object): Promise<string> {
    const commandId = await this.command(kind, body);
    await this.live();
    const verdict = await this.store.findVerdict(this.workflow, commandId);
    return verdict === null ? "not answered" : (verdict.refusal ?? "done");
  }

  /**
   * A host takes the workflow and works until there is nothing to do; null = none, or it died.
   * `spurious`: a handler it starts first, due or not, if no run is open.
   */
  async live(spurious?: string): Promise<LoopEnd | null> {
    const incarnation = await this.#openHost();
    const { claims } = await this.store.claim(incarnation, 10);
    const claim = claims.find(({ workflow }) => workflow === this.workflow);
    for (const other of claims) {
      if (other !== claim) await this.store.release(incarnation, other);
    }
    return claim === undefined ? null : this.#liveWith(incarnation, claim, { spurious });
  }

  /** The same of a host that takes it by its name, due or not. */
  async liveByName(): Promise<LoopEnd | null> {
    const incarnation = await this.#openHost();
    const claim = await this.store.claimOne(incarnation, this.workflow);
    return claim && this.#liveWith(incarnation, claim, { isNamed: true });
  }

  async #openHost(): Promise<string> {
    this.#lives += 1;
    const incarnation = `host-${this.workflow}-${this.#lives}`;
    await this.store.openHost({ incarnation, leaseMs });
    return incarnation;
  }

  async #liveWith(
    incarnation: string,
    claim: Claim,
    { spurious, isNamed = false }: { spurious?: string | undefined; isNamed?: boolean },
  ): Promise<LoopEnd | null> {
    const store = this.way(this.store);
    if (spurious !== undefined) {
      const asOf = (await store.load(this.workflow, [])).head.seq;
      const start = { kind: "start_run", handler: spurious, asOf, trigger: null } as const;
      await new WorkflowOwner(store, claim).execute([start], this.now);
    }
    const loop = new WorkflowLoop({
      store,
      ownership: { ...claim, mayAct: () => true, mayActUntil: Number.POSITIVE_INFINITY },
      owner: new WorkflowOwner(store, claim, this.policy),
      scripts: { load: async (_, hash) => this.wayToCode(this.scriptOf(hash)) },
      outside: this.wayOut(this.world),
      clock: { now: () => this.now + this.clockErrorMs },
      monotonicMs: () => this.now,
      timers: this.timers,
      quietTimes: this.quietTimes,
      knownTimes: this.knownTimes,
      random: () => 0.5,
      ...(this.desk && { desk: this.desk }),
      wakes: this.wakes,
      isNamed,
      incarnation,
      observer: { onPhase: (phase) => this.onPhase(phase) },
    });
    const death = Promise.withResolvers<null>();
    this.world.onDeath = () => death.resolve(null);
    const end = await Promise.race([this.#workOut(loop), death.promise]);
    if (end !== null) loop.end();
    if (end !== null) await this.store.closeHost(incarnation);
    return end;
  }

  /** Of all runs of a handler, in their order. */
  async traces(handler: string): Promise<readonly TraceReport[]> {
    const runs = (await this.rows("runs")).filter((run) => run.handler === handler);
    const ids = runs.map(({ runId }) => runId).sort((a, b) => runSeqOf(a) - runSeqOf(b));
    const { store, workflow } = this;
    const reports = await Promise.all(ids.map((runId) => traceOf(store, { workflow, runId })));
    return reports.filter((report) => report !== null);
  }

  /** As a host does: what passes is waited out. */
  async #workOut(loop: WorkflowLoop): Promise<LoopEnd> {
    for (;;) {
      const end = await loop.work();
      if (end.kind !== "troubled") return end;
      this.troubles.push(end.cause.code);
    }
  }

  async rows<T extends TableName>(table: T): Promise<readonly Rows[T][]> {
    const rows: Rows[T][] = [];
    for await (const row of this.store.scan(this.workflow, table)) rows.push(row);
    return rows;
  }

  async statuses(topic: string): Promise<Readonly<Record<string, string>>> {
    const events = await this.rows("events");
    const mine = events.filter((event) => event.topic === topic);
    return Object.fromEntries(mine.map(({ messageId, status }) => [messageId, status]));
  }

  /** A stored value as JSON. */
  async textOf({ inline, hash }: Payload): Promise<string> {
    return JSON.stringify(
      decodeCanonical(inline ?? (await this.store.loadBlob(this.workflow, hash))),
    );
  }

  /** The payloads in a topic, by message id. */
  async payloads(topic: string): Promise<Readonly<Record<string, unknown>>> {
    const mine = (await this.rows("events")).filter((event) => event.topic === topic);
    return Object.fromEntries(mine.map(({ messageId, payload }) => [messageId, read(payload)]));
  }

  /** Undefined = the handler has none. */
  async stateOf(handler: string): Promise<unknown> {
    const row = (await this.rows("handlers")).find(({ name }) => name === handler);
    return row?.state ? read(row.state) : undefined;
  }

  async openRun(): Promise<RunRow> {
    const run = (await this.rows("runs")).find(({ open }) => open);
    if (run === undefined) throw new Error("No run is open.");
    return run;
  }

  /** Questions that wait for a person. */
  async questions(): Promise<readonly string[]> {
    const rows = await this.rows("attentions");
    return rows.filter(({ closedAt }) => closedAt === null).map(({ kind }) => kind);
  }

  async expectSound(): Promise<void> {
    const reports = await verify(this.store, { full: true });
    expect(reports.flatMap(({ problems }) => problems)).toEqual([]);
  }

  scriptOf(hash: string) {
    const script = this.#scripts.get(hash);
    if (script === undefined) throw new Error(`no script ${hash}`);
    return script;
  }
}

function read({ inline }: Payload): unknown {
  if (inline === null) throw new Error("Tests look at small payloads only.");
  return decodeCanonical(inline);
}
