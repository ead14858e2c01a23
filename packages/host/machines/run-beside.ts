import type { Hash, JournalThread, MachineFrameRow } from "@holdfast/core";
import { type JournalAnswer, type JournalAsk, StateFault } from "@holdfast/core/machine";
import { bytesOf } from "../engine/values.ts";
import { ExecutorKeys } from "./executor-keys.ts";
import { type ClosedFrame, type FrameBody, splitFrameBody } from "./frame-body.ts";
import { KeptBlobs } from "./kept-blobs.ts";
import { checkLineage, type KeptSnapshot } from "./kept-snapshots.ts";
import { MachinesDiverge } from "./machines-diverge.ts";
import { type KernelParts, machineLimits, Versions } from "./open-kernel.ts";
import { PartReader } from "./part-reader.ts";

/** It cannot be done there, or was lost on the way; it says nothing about the journal. */
export class NotBeside extends Error {}

type ReadFrame = { readonly body: ClosedFrame; readonly blobs: KeptBlobs };

/** As `RunAgain`, with the kernel in the thread that has the isolates. */
export class RunBeside {
  readonly #parts: KernelParts;
  readonly #versions: Versions;
  readonly #keys = new ExecutorKeys();
  readonly #reader: PartReader;
  readonly #learned = new Set<Hash>();
  #thread: JournalThread | null = null;
  #isBegun = false;

  constructor(parts: KernelParts) {
    this.#parts = parts;
    this.#versions = new Versions(parts.loadScript);
    this.#reader = new PartReader(parts);
  }

  /** While the thread has one frame the next is read. */
  async frames(rows: readonly MachineFrameRow[]): Promise<void> {
    let running: Promise<void> = Promise.resolve();
    for (const row of rows) {
      const reading = this.#read(row);
      // Both are waited for, the earlier one first: what is wrong with it is the finding.
      const [ran, read] = await Promise.allSettled([running, reading]);
      if (ran.status === "rejected") throw ran.reason;
      if (read.status === "rejected") throw read.reason;
      running = this.#run(read.value);
    }
    await running;
  }

  async snapshot(kept: KeptSnapshot): Promise<void> {
    const { row, body } = kept;
    if (body.previous !== null) await checkLineage(this.#parts, body.previous);
    if (this.#isBegun) await this.compare(kept);
    this.#keys.learn(body.keys);
    await this.#learn([body.version]);
    const { kernel: snapshot, version } = body;
    const opened = await this.#ask({ kind: "open", snapshot, version }, body.keys);
    if (opened.kind !== "opened") throw new NotBeside("it was asked to open a snapshot");
    this.#isBegun = true;
    if (opened.seq === row.lastSeq) return;
    const what = `it is of record ${opened.seq}, not ${row.lastSeq}`;
    throw new StateFault("snapshot.lineage", what);
  }

  /** The kernel that it came to in the end. */
  async taken(): Promise<{ readonly snapshot: Uint8Array; readonly seq: number }> {
    const taken = await this.#ask({ kind: "take" });
    if (taken.kind !== "taken") throw new NotBeside("it was asked for a snapshot");
    return taken;
  }

  /** Others may have the thread; what was left there stays, in case it goes on after all. */
  rest(): void {
    this.#thread?.rest();
  }

  end(): void {
    this.#thread?.end();
    this.#thread = null;
  }

  async #read({ body, firstSeq }: MachineFrameRow): Promise<ReadFrame> {
    const read = splitFrameBody(await bytesOf(this.#parts.store, this.#parts.workflow, body));
    const blobs = new KeptBlobs(this.#parts);
    for (const hash of read.kept ?? []) await blobs.load(hash, firstSeq);
    return { body: read, blobs };
  }

  async #run({ body, blobs }: ReadFrame): Promise<void> {
    this.#keys.learn(body.keys);
    await this.#learn(body.versions);
    const named = (body.kept ?? []).flatMap((hash) => {
      const bytes = blobs.find(hash);
      return bytes === null ? [] : [[hash, bytes] as const];
    });
    const ran = await this.#ask({ kind: "run", records: body.records, blobs: named }, body.keys);
    if (ran.kind !== "ran") throw new NotBeside("it was asked to run records");
    this.#isBegun = true;
    if (ran.divergence !== null) throw new MachinesDiverge(ran.divergence);
  }

  /** The kernel has to be it to the byte, and to know the keys that it names. */
  async compare({ row, body }: KeptSnapshot): Promise<void> {
    const { snapshot: made } = await this.taken();
    const recorded = body.kernel;
    if (Buffer.compare(made, recorded) === 0 && this.#keys.haveAll(body.keys)) return;
    const divergence = { seq: row.lastSeq, code: "snapshot.differs", recorded, made } as const;
    throw new MachinesDiverge(divergence);
  }

  async #learn(versions: readonly Hash[]): Promise<void> {
    for (const version of versions) {
      if (this.#learned.has(version)) continue;
      await this.#versions.load(version);
      const machines = this.#versions.of(version);
      this.#thread ??= machines.runJournal?.(machineLimits) ?? null;
      if (this.#thread?.learn(machines) !== true) throw new NotBeside(version);
      this.#learned.add(version);
    }
  }

  /** Whatever it wants on the way is read here. */
  async #ask(
    first: JournalAsk,
    keys: FrameBody["keys"] = [],
  ): Promise<Exclude<JournalAnswer, { kind: "wants" | "fault" }>> {
    let answer = await this.#thread?.ask(first, keys);
    while (answer?.kind === "wants") {
      const { parts } = await this.#reader.answer(answer);
      answer = await this.#thread?.ask({ kind: "parts", parts });
    }
    if (answer == null) throw new NotBeside("the thread was lost");
    if (answer.kind !== "fault") return answer;
    throw new StateFault(answer.code, answer.what);
  }
}
