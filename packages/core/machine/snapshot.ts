/**
 * All that a kernel is, as canonical bytes and the parts they name: equal kernels have equal
 * snapshots, whatever way they came. Lists that have no order of their own are sorted. It may be
 * taken with work open, and writes what changed since the last one.
 */
import {
  CanonicalError,
  decodeCanonical,
  encodeCanonical,
  type Hash,
  SchemaError,
} from "../canonical/index.ts";
import type { Loading } from "./ask.ts";
import { type Cell, cellIdOf, isIdle, type Mail, Mailbox, newCell } from "./cell.ts";
import type { EffectKind } from "./effect.ts";
import { bool, bytes, list, nat, option, readerOf, record, text, time } from "./form.ts";
import { hashBytes, hashOfBytes } from "./hash-bytes.ts";
import { hex } from "./hex.ts";
import { intentRecord, type OpenIntent } from "./intent.ts";
import { Kernel, type KernelOptions } from "./kernel.ts";
import { type Stamp, stampRecord } from "./stamp.ts";
import type { NodeRef } from "./state/branch.ts";
import { type IndexRoot, loadNodes } from "./state/index-node.ts";
import { type Part, StateFault } from "./state/load.ts";
import { keepRest } from "./state/next-snapshot.ts";

const snapshotFormat = 2;

export type TakenSnapshot = {
  readonly bytes: Uint8Array;
  /** What it names, no snapshot before it had and no piece of it has kept. */
  readonly parts: readonly Part[];
};

/** From here on the kernel holds it to be kept: who cannot keep it has to drop the kernel. */
export function* takeSnapshot(kernel: Kernel): Loading<TakenSnapshot> {
  const parts = yield* keepRest(kernel);
  return { bytes: snapshotBytes(kernel), parts };
}

/** A kernel whose cells are all kept, apart from its parts. */
function snapshotBytes(kernel: Kernel): Uint8Array {
  const { seq, logicalNowNs, set, ring, intents, roots, settledRoot } = kernel;
  return encodeCanonical({
    format: snapshotFormat,
    seq,
    logical_now_ns: logicalNowNs,
    manifest_hash: hashBytes(set.manifestHash),
    module_version: set.moduleVersion,
    cell_index_roots: inOrder(roots).flatMap(([machine, root]) =>
      root === null ? [] : [{ machine, ...root }],
    ),
    settled_root: settledRoot === null ? null : { ...settledRoot },
    cells: inOrder(busyOf(kernel)).map(([, cell]) => cellRecord(cell)),
    ring: [...ring],
    intents: inOrder(intents).map(([, intent]) => ({
      ...intentRecord(intent),
      cursor: intent.cursor,
      cancel_asked: intent.cancelAsked,
    })),
  });
}

/** Found among those that something came for: most of the cells at hand are idle. */
function busyOf({ cells, stirred }: Kernel): ReadonlyMap<string, Cell> {
  const busy = new Map<string, Cell>();
  for (const id of stirred) {
    const cell = cells.get(id);
    if (cell === undefined || isIdle(cell)) stirred.delete(id);
    else busy.set(id, cell);
  }
  return busy;
}

function inOrder<T>(map: ReadonlyMap<string, T>): [string, T][] {
  return [...map].sort(([left], [right]) => (left < right ? -1 : 1));
}

function cellRecord(cell: Cell) {
  return {
    id: cell.id,
    machine: cell.machine,
    key: cell.key,
    mailbox: cell.mailbox.entries().map((mail) => ({
      value: mail.value,
      stamp: stampRecord(mail.stamp),
      depth: mail.depth,
      intent_id: mail.intentId,
    })),
    open: [...cell.open].sort(),
    failed: cell.failed,
  };
}

const stampForm = record({
  now_ns: time,
  logical_now_ns: time,
  entropy: bytes,
  journal_height: nat,
  manifest_hash: bytes,
});
const mailForm = record({
  value: bytes,
  stamp: stampForm,
  depth: nat,
  intent_id: option(text),
});
const cellForm = record({
  id: text,
  machine: text,
  key: option(bytes),
  mailbox: list(mailForm),
  open: list(text),
  failed: option(text),
});
const rootForm = record({ hash: bytes, count: nat });
const machineRootForm = record({ machine: text, hash: bytes, count: nat });
const intentForm = record({
  intent_hash: bytes,
  machine: text,
  machine_hash: bytes,
  key: option(bytes),
  effect: text,
  effect_hash: bytes,
  effect_kind: text,
  executor_module: text,
  executor_module_hash: bytes,
  executor_entrypoint: text,
  params: bytes,
  params_hash: bytes,
  idempotency_key: bytes,
  requested_key: option(bytes),
  issuer_ref: option(text),
  effect_index: nat,
  emitted_at_seq: nat,
  deadline_ns: option(time),
  cursor: nat,
  cancel_asked: bool,
});
const readSnapshot = readerOf(
  record({
    format: nat,
    seq: nat,
    logical_now_ns: time,
    manifest_hash: bytes,
    module_version: text,
    cell_index_roots: list(machineRootForm),
    settled_root: option(rootForm),
    cells: list(cellForm),
    ring: list(text),
    intents: list(intentForm),
  }),
);
type Read = ReturnType<typeof readSnapshot>;

/**
 * A kernel as it was, with its cells away. Refuses bytes that are no snapshot, one of another
 * version, and one whose indexes are not there: then nothing below them can be relied on.
 */
export function* openSnapshot(given: Uint8Array, options: KernelOptions): Loading<Kernel> {
  const read = readOrRefuse(given);
  if (hashOfBytes(read.manifest_hash) !== options.set.manifestHash) {
    throw new StateFault("snapshot.lineage", "it is of another version");
  }
  const kernel = new Kernel(options);
  kernel.seq = Number(read.seq);
  kernel.logicalNowNs = read.logical_now_ns;
  const { roots, settledRoot } = rootsOf(read);
  for (const [machine, root] of roots) kernel.roots.set(machine, root);
  kernel.settledRoot = settledRoot;
  for (const each of read.cells) {
    kernel.cells.set(each.id, cellOf(each, kernel));
    kernel.stirred.add(each.id);
  }
  for (const each of read.intents) {
    const intent = intentOf(each);
    kernel.openIntent(intent, kernel.cellFor(intent.machine, intent.key));
  }
  for (const id of read.ring) kernel.ring.add(id);
  yield* loadNodes([...kernel.roots.values(), kernel.settledRoot].flatMap((root) => root ?? []));
  return kernel;
}

/** Where the indexes of a snapshot begin. */
export function readRoots(given: Uint8Array): SnapshotRoots {
  return rootsOf(readOrRefuse(given));
}

export type SnapshotWork = {
  readonly mails: readonly { readonly machine: string; readonly value: Uint8Array }[];
  readonly intents: readonly { readonly effect: string; readonly params: Uint8Array }[];
};

/** What waits in it, and what it has asked for. */
export function readWork(given: Uint8Array): SnapshotWork {
  const { cells, intents } = readOrRefuse(given);
  const mails = cells.flatMap(({ machine, mailbox }) =>
    mailbox.map(({ value }) => ({ machine, value })),
  );
  return { mails, intents };
}

export type SnapshotDescription = {
  readonly seq: number;
  readonly logicalNowNs: bigint;
  readonly manifestHash: Hash;
  readonly roots: readonly {
    readonly machine: string;
    readonly hash: Hash;
    readonly count: number;
  }[];
};

/** What can be said of one without its parts. */
export function describeSnapshot(given: Uint8Array): SnapshotDescription {
  const read = readOrRefuse(given);
  return {
    seq: Number(read.seq),
    logicalNowNs: read.logical_now_ns,
    manifestHash: hashOfBytes(read.manifest_hash),
    roots: read.cell_index_roots.map(({ machine, hash, count }) => {
      return { machine, hash: hashOfBytes(hash), count: Number(count) };
    }),
  };
}

type SnapshotRoots = {
  readonly roots: ReadonlyMap<string, NodeRef>;
  readonly settledRoot: IndexRoot;
};

function rootsOf({ cell_index_roots, settled_root }: Read): SnapshotRoots {
  return {
    roots: new Map(cell_index_roots.map(({ machine, ...root }) => [machine, refOf(root)])),
    settledRoot: settled_root && refOf(settled_root),
  };
}

function readOrRefuse(given: Uint8Array): Read {
  try {
    const read = readSnapshot(decodeCanonical(given));
    if (read.format === BigInt(snapshotFormat)) return read;
  } catch (error) {
    if (!(error instanceof CanonicalError || error instanceof SchemaError)) throw error;
  }
  throw new StateFault("snapshot.malformed", "no kernel wrote it");
}

function refOf({ hash, count }: { readonly hash: Uint8Array; readonly count: bigint }): NodeRef {
  return { hash, count: Number(count) };
}

function cellOf(read: Read["cells"][number], { roots }: Kernel): Cell {
  const { machine, key, failed } = read;
  return {
    ...newCell(machine, key),
    isAway: roots.has(machine),
    mailbox: new Mailbox(read.mailbox.map(mailOf)),
    open: new Set(read.open),
    failed: failed === null ? null : failed === "step" ? "step" : "receipt",
  };
}

function mailOf({
  value,
  stamp,
  depth,
  intent_id,
}: Read["cells"][number]["mailbox"][number]): Mail {
  const stamped = stampOf(stamp);
  // Nothing but the outside led to an event that no step lies before.
  const root = depth === 0n && intent_id === null ? stamped.height : null;
  return { value, stamp: stamped, depth: Number(depth), intentId: intent_id, root };
}

function stampOf(read: Read["cells"][number]["mailbox"][number]["stamp"]): Stamp {
  return {
    nowNs: read.now_ns,
    logicalNowNs: read.logical_now_ns,
    entropy: read.entropy,
    height: Number(read.journal_height),
    manifestHash: hashOfBytes(read.manifest_hash),
  };
}

function intentOf(read: Read["intents"][number]): OpenIntent {
  const { machine, key, effect, params } = read;
  const hash = (given: Uint8Array): Hash => hashOfBytes(given);
  return {
    machine,
    machineHash: hash(read.machine_hash),
    key,
    emittedAtSeq: Number(read.emitted_at_seq),
    hash: read.intent_hash,
    id: hex(read.intent_hash),
    cellId: cellIdOf(machine, key),
    effect,
    effectHash: hash(read.effect_hash),
    kind: read.effect_kind as EffectKind,
    executor: {
      module: read.executor_module,
      moduleHash: hash(read.executor_module_hash),
      entrypoint: read.executor_entrypoint,
    },
    params,
    paramsHash: hash(read.params_hash),
    idempotencyKey: read.idempotency_key,
    requestedKey: read.requested_key,
    issuerRef: read.issuer_ref,
    effectIndex: Number(read.effect_index),
    deadlineNs: read.deadline_ns,
    root: null,
    cursor: Number(read.cursor),
    cancelAsked: read.cancel_asked,
  };
}
