/**
 * All that a kernel is, as canonical bytes: equal kernels have equal snapshots, whatever way they
 * came. Lists that have no order of their own are sorted. It may be taken with work open.
 */
import { decodeCanonical, encodeCanonical, type Hash } from "../canonical/index.ts";
import { invariant } from "../ports/invariant.ts";
import { type Cell, cellIdOf, type Mail, Mailbox } from "./cell.ts";
import type { EffectKind } from "./effect.ts";
import { bool, bytes, list, nat, option, readerOf, record, text, time } from "./form.ts";
import { hashBytes, hashOfBytes } from "./hash-bytes.ts";
import { hex, unhex } from "./hex.ts";
import { intentRecord, type OpenIntent } from "./intent.ts";
import { Kernel, type KernelOptions } from "./kernel.ts";
import { type Stamp, stampRecord } from "./stamp.ts";

export function takeSnapshot(kernel: Kernel): Uint8Array {
  const { seq, logicalNowNs, set, cells, ring, intents, settled } = kernel;
  return encodeCanonical({
    format: 1,
    seq,
    logical_now_ns: logicalNowNs,
    manifest_hash: hashBytes(set.manifestHash),
    cells: inOrder(cells).map(([, cell]) => cellRecord(cell)),
    ring: [...ring],
    intents: inOrder(intents).map(([, intent]) => ({
      ...intentRecord(intent),
      cursor: intent.cursor,
      cancel_asked: intent.cancelAsked,
    })),
    settled: inOrder(settled).map(([id, { machine, key }]) => {
      return { intent_hash: unhex(id), machine, key };
    }),
  });
}

function inOrder<T>(map: ReadonlyMap<string, T>): [string, T][] {
  return [...map].sort(([left], [right]) => (left < right ? -1 : 1));
}

function cellRecord(cell: Cell) {
  return {
    id: cell.id,
    machine: cell.machine,
    key: cell.key,
    state: cell.state,
    mailbox: cell.mailbox.entries().map((mail) => ({
      value: mail.value,
      stamp: stampRecord(mail.stamp),
      depth: mail.depth,
      intent_id: mail.intentId,
    })),
    open: [...cell.open].sort(),
    failed: cell.failed,
    completed: cell.completed,
    last_event_seq: cell.lastEventSeq,
    module_version: cell.moduleVersion,
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
  state: option(bytes),
  mailbox: list(mailForm),
  open: list(text),
  failed: option(text),
  completed: bool,
  last_event_seq: nat,
  module_version: text,
});
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
const settledForm = record({ intent_hash: bytes, machine: text, key: option(bytes) });
const readSnapshot = readerOf(
  record({
    format: nat,
    seq: nat,
    logical_now_ns: time,
    manifest_hash: bytes,
    cells: list(cellForm),
    ring: list(text),
    intents: list(intentForm),
    settled: list(settledForm),
  }),
);
type Read = ReturnType<typeof readSnapshot>;

/** Throws for bytes that are no snapshot, or one of another version of the workflow. */
export function openSnapshot(given: Uint8Array, options: KernelOptions): Kernel {
  const read = readSnapshot(decodeCanonical(given));
  invariant(read.format === 1n, "a snapshot of a form that is not known");
  const manifestHash = hashOfBytes(read.manifest_hash);
  invariant(manifestHash === options.set.manifestHash, "the snapshot is of another version");
  const kernel = new Kernel(options);
  kernel.seq = Number(read.seq);
  kernel.logicalNowNs = read.logical_now_ns;
  for (const each of read.cells) kernel.cells.set(each.id, cellOf(each));
  for (const each of read.settled) {
    kernel.settled.set(hex(each.intent_hash), { machine: each.machine, key: each.key });
  }
  for (const each of read.intents) {
    const intent = intentOf(each);
    kernel.openIntent(intent, kernel.cellFor(intent.machine, intent.key));
  }
  for (const id of read.ring) kernel.ring.add(id);
  return kernel;
}

function cellOf(read: Read["cells"][number]): Cell {
  const { id, machine, key, state, completed, failed } = read;
  return {
    id,
    machine,
    key,
    state,
    mailbox: new Mailbox(read.mailbox.map(mailOf)),
    open: new Set(read.open),
    failed: failed === null ? null : failed === "step" ? "step" : "receipt",
    completed,
    lastEventSeq: Number(read.last_event_seq),
    moduleVersion: read.module_version,
  };
}

function mailOf({
  value,
  stamp,
  depth,
  intent_id,
}: Read["cells"][number]["mailbox"][number]): Mail {
  return { value, stamp: stampOf(stamp), depth: Number(depth), intentId: intent_id };
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
    cursor: Number(read.cursor),
    cancelAsked: read.cancel_asked,
  };
}
