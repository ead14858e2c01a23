import {
  askedIntents,
  type CoreCommand,
  type Hash,
  hashText,
  type Instant,
  invariant,
  type Policy,
  type View,
} from "@holdfast/core";
import {
  createKernel,
  type Executor,
  type Given,
  joinFrame,
  type Kernel,
  openWork,
  type Publication,
  putAway,
  type Served,
  type ServeOptions,
  serve,
} from "@holdfast/core/machine";
import { type Judged, judgeProposal, wantsTurn } from "./apply-proposal.ts";
import { bearable, needsOf, nextBatch, readWaiting, refusedOf, type Waiting } from "./batch.ts";
import { Deadlines } from "./deadlines.ts";
import { earliest, nextByClock, roomFor } from "./due-effects.ts";
import { sampleAt } from "./entropy.ts";
import { encodeFrameBody } from "./frame-body.ts";
import { HeldCalls, type HeldWhile, holdsOf } from "./held-calls.ts";
import { commandFor } from "./intent-calls.ts";
import { tellOlder } from "./older-inputs.ts";
import { machineLimits, type OpenedKernel, openKernel } from "./open-kernel.ts";
import { cellNewsOf, heldNewsOf, publicationsOf, withdrawalOf } from "./order-commands.ts";
import { Origins } from "./origins.ts";
import { dueOf, type Executed, OwnEffects } from "./own-effects.ts";
import { signed, takenBackBy } from "./receipts.ts";
import { SnapshotPieces, type SnapshotTime } from "./snapshot-pieces.ts";
import { Streams } from "./streams.ts";
import { inputsOf } from "./turn-inputs.ts";
import type { TurnParts } from "./turn-parts.ts";

export type TurnKind = {
  /** Something is being sent: only what is said of it is taken in, and nothing is begun. */
  readonly isBeside: boolean;
  /** When its loop has something else to do than turns; null = it waits for nothing. */
  readonly elsewhereAt: () => Instant | null;
};

type TakingIn = {
  readonly how: TurnKind;
  readonly waiting: readonly Waiting[];
  readonly now: Instant;
  /** It has something to say anyway. */
  readonly isWanted: boolean;
};

const none = { settled: [], parts: [], leftCount: 0, isUnjudged: false } as const;
const nothing: Executed = { ...none, isCutShort: false, isWaiting: false };

/** Steps of one frame; what is left over has the next one. */
const turnsMax = 512;
/** Steps that the sandbox has while a frame is kept and the next one begun. */
const runAhead = 256;
/** Calls that one change takes into the ledger. */
const recordedMax = 50;

/**
 * The machines of one owned workflow: inputs are served, and the change that takes them out of
 * waiting is the one that keeps the frame. What a frame orders is done by who finds it durable.
 */
export class MachineTurns {
  readonly #parts: TurnParts;
  readonly #own: OwnEffects;
  readonly #origins: Origins;
  readonly streams = new Streams();
  #opened: OpenedKernel | null = null;
  #deadlines = new Deadlines();
  /** Intents that are not in the ledger, as far as is known here; oldest first. */
  #unrecorded: string[] = [];
  #held = new HeldCalls();
  /** All that was due when the last turn ended is under way. */
  #isResting = false;
  readonly #snapshots: SnapshotPieces;

  constructor(parts: TurnParts) {
    this.#parts = parts;
    this.#snapshots = new SnapshotPieces(parts.monotonicMs);
    this.#origins = new Origins(parts);
    this.#own = new OwnEffects({ ...parts, streams: this.streams });
  }

  /** Who is to execute it; null = its kernel is not open here. */
  executorOf(intentId: string): Executor | null {
    return this.#opened?.kernel.intents.get(intentId)?.executor ?? null;
  }

  /**
   * Until when what is under way is all there is to a turn, so that everything else goes first;
   * null = one is wanted.
   */
  restUntil(now: Instant): Instant | null {
    if (!this.#isResting || this.#opened === null) return null;
    return this.#clockAt(this.#opened.kernel, now) ?? Number.POSITIVE_INFINITY;
  }

  /** The others had their turn. */
  endRest(): void {
    this.#isResting = false;
  }

  /** Its loop comes to an end. */
  end(): void {
    this.#own.end();
  }

  /** Why whoever wanted it does not any more; null = it is wanted. */
  async whyTakenBack(view: View, intentId: string, now: Instant): Promise<string | null> {
    const opened = await this.#open(view, [], now);
    return opened && takenBackBy(opened.kernel.intents.get(intentId), now);
  }

  /** After a change that is not certain, or was refused: what is durable is opened again. */
  drop(): void {
    this.#opened = null;
    this.#isResting = false;
    this.#origins.forget();
    this.streams.putBack();
  }

  /** One change, or nothing to say; null = the view has to be loaded again. */
  async turn(view: View, now: Instant, how: TurnKind): Promise<readonly CoreCommand[] | null> {
    const { isBeside } = how;
    const waiting = isBeside ? [] : await readWaiting(this.#parts, view);
    const opened = await this.#open(view, waiting, now);
    if (opened === null) return null;
    await tellOlder(this.#parts, view, opened.kernel);
    const judged = await judgeProposal(this.#parts, view, { opened, now });
    if (judged.kind === "stale") return null;
    if (judged.kind === "take") return this.#take(opened, judged, { now, policy: view.policy });
    const { kernel } = opened;
    const isWanted = judged.kind === "hold";
    const taken = await this.#takeIn(opened, view, { waiting, now, how, isWanted });
    if (taken === null || taken === "nothing") return taken && [];
    const { batch, executed, frames, given, read, room } = taken;
    const { machineInputSeq, machineThrough } = view.load("workflows");
    const isLastBatch = (batch.at(-1)?.position ?? machineThrough) >= machineInputSeq;
    const leave = isLastBatch || batch.length === 0 ? 0 : runAhead;
    const opensMax = room + executed.settled.length;
    const served = await this.#serve(opened, given, { leave, opensMax });
    const orders = kernel.flushed(kernel.seq);
    if (orders.some(isOwnStart)) this.#isResting = false;
    this.#origins.remember(batch, served.answers.slice(frames.length));
    const calls = await this.#callsOf(opened, orders, { view, now, isLastBatch });
    const from = served.frame?.firstSeq ?? kernel.seq + 1;
    const held = await heldNewsOf(kernel, { orders, from, view, origins: this.#origins });
    const late = this.#deadlines.passed(kernel, now, this.#unrecorded);
    const { policy } = view;
    const when = { policy, isAsked: batch.some(({ input }) => input.kind === "snapshot") };
    const { frame, parts } = await this.#frameOf(opened, served, read.versions, when);
    putAway(kernel, policy.machineResidentBytesMax);
    return [
      {
        kind: "commit_frame",
        frame,
        served: batch.map(({ position }) => position),
        refused: refusedOf(batch, served.answers.slice(frames.length)),
        publishes: await publicationsOf(orders, this.#origins),
        cells: [...orders.flatMap(cellNewsOf), ...held],
        blobs: served.kept,
        parts: [...parts, ...executed.parts],
        ...(isBeside || executed.isUnjudged || this.#isJudging(view, kernel)
          ? {}
          : this.#held.tell(this.#notMade(kernel))),
        ...(kernel.older && { older: kernel.older.takeChanges() }),
        dueAt:
          wantsTurn(view, opened, judged) || executed.leftCount > 0
            ? now
            : this.#dueAt(kernel, now, served.isDrained),
      },
      ...calls,
      ...late,
      ...(judged.kind === "hold" ? [judged.command] : []),
    ];
  }

  /** What the kernel is given in a turn; null = as with turns. */
  async #takeIn(opened: OpenedKernel, view: View, { waiting, now, how, isWanted }: TakingIn) {
    const { kernel, keys } = opened;
    const room = roomFor(kernel, now, this.#held);
    const next = nextBatch(waiting.slice(0, room), kernel);
    if (!(await this.#parts.loadNeeds(view, needsOf(next)))) return null;
    const holds = { ...holdsOf(view, now), held: this.#held };
    const hasMore = () => isWanted || next.length > 0 || this.#hasMore(kernel, view, holds);
    const clockAt = () => this.#clockAt(kernel, now);
    const nextAt = () => (hasMore() ? now : earliest(how.elsewhereAt(), clockAt()));
    const executed = how.isBeside ? nothing : await this.#own.execute(kernel, { ...holds, nextAt });
    this.#isResting = executed.isWaiting;
    if (executed.isCutShort && !hasMore() && !this.streams.isSaid) return "nothing";
    const answeredBytes = executed.settled.reduce((sum, { payload }) => sum + payload.length, 0);
    const batch = bearable(next, view, answeredBytes);
    const read = await inputsOf(this.#parts, batch, { view, opened });
    // Before what came of it: it was said before.
    const frames = this.streams.take(kernel, keys);
    const inputs = [...frames, ...signed(opened, [...read.inputs, ...executed.settled])];
    // When it was heard, not when it was asked for.
    const heardAt = Math.max(now, this.#parts.clock.now());
    const given = inputs.map((input) => ({ input, sample: sampleAt(heardAt) }));
    return { batch, executed, frames, given, read, room };
  }

  /** When the clock wants a turn, whatever is under way; null = it does not. */
  #clockAt(kernel: Kernel, now: Instant): Instant | null {
    const isUnderway = (id: string) => this.#own.isUnderway(id);
    const next = nextByClock(kernel, now, { held: this.#held, isUnderway });
    return earliest(next, this.#deadlines.next(kernel));
  }

  /** There is something for a turn to do that waits for no answer. */
  #hasMore(kernel: Kernel, view: View, holds: HeldWhile): boolean {
    const deadlineAt = this.#deadlines.next(kernel);
    if (kernel.ring.size > 0 || (deadlineAt !== null && deadlineAt <= holds.now)) return true;
    if (this.#held.hasNews(this.#notMade(kernel)) && !this.#isJudging(view, kernel)) return true;
    return this.#unrecorded.some((id) => {
      const intent = kernel.intents.get(id);
      return intent === undefined || !this.#held.stands(intent, holds);
    });
  }

  /** The kernel and the workflow take the version in one change. */
  async #take(
    opened: OpenedKernel,
    { input, version, command }: Extract<Judged, { kind: "take" }>,
    { now, policy }: { readonly now: Instant; readonly policy: Policy },
  ): Promise<readonly CoreCommand[]> {
    const served = await this.#serve(opened, [{ input, sample: sampleAt(now) }]);
    invariant(served.answers[0]?.ok === true, "a proposal that nothing stands in the way of");
    const when = { policy, isAsked: false };
    const { frame, parts } = await this.#frameOf(opened, served, [version], when);
    putAway(opened.kernel, policy.machineResidentBytesMax);
    const none = { served: [], refused: [], publishes: [], cells: [], blobs: served.kept };
    const dueAt = this.#dueAt(opened.kernel, now, served.isDrained);
    return [{ kind: "commit_frame", frame, ...none, parts, dueAt }, command];
  }

  /** Null = the first version is not here yet, which cannot be. */
  async #open(view: View, waiting: readonly Waiting[], now: Instant): Promise<OpenedKernel | null> {
    const { store, workflow, loadScript } = this.#parts;
    const { machineSeq } = view.load("workflows");
    if (this.#opened?.kernel.seq === machineSeq && machineSeq > 0) return this.#opened;
    const load = (hash: string) => loadScript(view, hash);
    const opened = await openKernel({ store, workflow, loadScript: load });
    if (opened.kernel.seq !== machineSeq) return null;
    this.#snapshots.begin(opened.last, opened.kernel);
    this.#deadlines = new Deadlines();
    this.#held = new HeldCalls();
    if (machineSeq === 0) return this.#begin(opened, waiting, now);
    this.#unrecorded = await this.#findUnrecorded(opened.kernel);
    this.#opened = opened;
    return opened;
  }

  /** The first record of every journal is its first version. */
  async #begin(opened: OpenedKernel, waiting: readonly Waiting[], now: Instant) {
    const [first] = waiting;
    invariant(first?.input.kind === "manifest", "machines begin with a version");
    const set = await opened.versions.load(first.input.scriptHash as Hash);
    const kernel = createKernel({ set, keys: opened.keys, limits: machineLimits }, sampleAt(now));
    this.#unrecorded = [];
    this.#opened = { ...opened, kernel };
    return this.#opened;
  }

  /** Of intents that were found open: those without an item never came as far as the ledger. */
  async #findUnrecorded(kernel: Kernel): Promise<string[]> {
    const { store, workflow } = this.#parts;
    const ids = openWork(kernel).flatMap(({ kind, id }) => (kind === "mutation" ? [id] : []));
    if (ids.length === 0) return [];
    const needs = ids.map((id) => ({ kind: "row", table: "items", key: [id] }) as const);
    const { absent } = await store.load(workflow, needs);
    const unknown = new Set(absent.map(({ key }) => key[0]));
    return ids.filter((id) => unknown.has(id));
  }

  async #serve(
    { kernel, driver }: OpenedKernel,
    given: readonly Given[],
    bounds: Omit<ServeOptions, "turnsMax"> = {},
  ): Promise<Served> {
    const served = await driver.drive(kernel, serve(kernel, given, { turnsMax, ...bounds }));
    driver.runAhead(kernel);
    return served;
  }

  async #frameOf(
    opened: OpenedKernel,
    { frame, kept }: Served,
    versions: readonly Hash[],
    when: SnapshotTime,
  ) {
    if (frame === null) return { frame, parts: [] };
    const { keys } = opened;
    const { firstSeq, lastSeq, records } = frame;
    const joined = joinFrame(firstSeq - 1, frame);
    invariant(joined.ok, "a frame of the kernel is whole");
    const named = { versions, kept: kept.map(hashText) };
    const body = encodeFrameBody({ records, keys: keys.takeAdded(), ...named });
    const at = { firstSeq, recordCount: records.length };
    const { snapshot, parts } = await this.#snapshots.next(opened, at, when);
    return { frame: { firstSeq, lastSeq, body, snapshot }, parts };
  }

  /** In the order they were wished for; after one that is counted the next waits for it. */
  async #callsOf(
    { kernel }: OpenedKernel,
    orders: readonly Publication[],
    { view, now, isLastBatch }: { view: View; now: Instant; isLastBatch: boolean },
  ): Promise<readonly CoreCommand[]> {
    const before = new Set(this.#unrecorded);
    const started = orders.flatMap((order) =>
      order.kind === "start" && order.intent.kind === "mutation" ? [order.intent.id] : [],
    );
    const fresh = new Set(started);
    const holds = holdsOf(view, now);
    const commands: CoreCommand[] = [];
    const left: string[] = [];
    const keys = new Set<string>();
    let mayRecord = true;
    for (const id of [...this.#unrecorded, ...started]) {
      const intent = kernel.intents.get(id);
      if (intent === undefined) continue;
      // What was found open may have its answer among the inputs that wait.
      const isKnown = fresh.has(id) || isLastBatch;
      const stands = this.#held.stands(intent, holds);
      if (stands || !mayRecord || !isKnown || commands.length >= recordedMax) {
        left.push(id);
        continue;
      }
      // The first under a key is in the ledger before the next is compared with it.
      const key = intent.requestedKey && `${intent.cellId} ${hashText(intent.requestedKey)}`;
      if (key !== null && keys.has(key)) {
        left.push(id);
        continue;
      }
      const older = kernel.older?.isOlder(intent) ?? false;
      const origin = await this.#origins.of(intent.root ?? intent.emittedAtSeq);
      const event = origin?.event ?? null;
      const recorded = await commandFor(this.#parts, intent, { view, now, older, event });
      if (recorded.held !== undefined) {
        this.#held.add(recorded.held);
        left.push(id);
        continue;
      }
      if (key !== null) keys.add(key);
      commands.push(recorded.command);
      mayRecord = !recorded.isCounted;
    }
    this.#unrecorded = left;
    this.#held.keepOnly(this.#notMade(kernel));
    return [...commands, ...orders.flatMap((order) => withdrawalOf(order, before, left))];
  }

  /** What a person is asked about is tried again: the question stays until that is over. */
  #isJudging(view: View, kernel: Kernel): boolean {
    return askedIntents(view).some((id) => {
      const intent = kernel.intents.get(id);
      if (intent === undefined || this.#held.has(id)) return false;
      return intent.kind !== "mutation" || this.#unrecorded.includes(id);
    });
  }

  /** Calls that are not in the ledger yet, and reads that are held; oldest first. */
  #notMade(kernel: Kernel): readonly string[] {
    const reads = openWork(kernel).filter(({ kind, id }) => kind === "read" && this.#held.has(id));
    return [...this.#unrecorded, ...reads.map(({ id }) => id)];
  }

  /** Milliseconds; now, where a turn is wanted at once. */
  #dueAt(kernel: Kernel, now: Instant, isDrained: boolean): Instant | null {
    const held = this.#held;
    if (!isDrained || !held.hasAll(this.#unrecorded)) return now;
    const dues = [...kernel.intents.values()].map((intent) => {
      const isHeldRead = intent.kind === "read" && held.has(intent.id);
      return isHeldRead ? held.dueOf(intent, now) : dueOf(intent, now);
    });
    return earliest(...dues, this.#deadlines.next(kernel), this.#held.due);
  }
}

/** Of what is not in the ledger, and was not begun yet. */
function isOwnStart(order: Publication): boolean {
  return order.kind === "start" && order.intent.kind !== "mutation";
}
