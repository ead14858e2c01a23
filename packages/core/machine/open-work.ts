import { decodeCanonical } from "../canonical/index.ts";
import { type CellStatus, statusOf } from "./cell.ts";
import { timerEffect } from "./host-effects.ts";
import type { OpenIntent } from "./intent.ts";
import type { Kernel } from "./kernel.ts";

/** Every intent without an outcome, oldest first: what a host has to see to after a restart. */
export function openWork(kernel: Kernel): readonly OpenIntent[] {
  return [...kernel.intents.values()].sort(
    (left, right) => left.emittedAtSeq - right.emittedAtSeq || (left.id < right.id ? -1 : 1),
  );
}

export type Rest = {
  readonly readyCount: number;
  readonly openCount: number;
  /** When time alone brings something: a timer is due, or a deadline passes. */
  readonly nextDueNs: bigint | null; // null = only the outside does
};

/** What the machines wait for, now that nobody has a turn. */
export function restOf(kernel: Kernel): Rest {
  const dues = openWork(kernel).flatMap((intent) => dueOf(intent) ?? []);
  const nextDueNs = dues.reduce<bigint | null>(
    (least, due) => (least === null || due < least ? due : least),
    null,
  );
  return { readyCount: kernel.ring.size, openCount: kernel.intents.size, nextDueNs };
}

function dueOf({ effect, params, deadlineNs }: OpenIntent): bigint | null {
  if (effect !== timerEffect) return deadlineNs;
  const { deliver_at_ns: at } = decodeCanonical(params) as { deliver_at_ns: number | bigint };
  return BigInt(at);
}

/** One instance as people see it. */
export type InstanceView = {
  readonly id: string;
  readonly machine: string;
  readonly key: Uint8Array | null;
  readonly status: CellStatus;
  readonly state: Uint8Array | null;
  readonly openIntents: readonly Uint8Array[];
  readonly mailboxCount: number;
  readonly lastEventSeq: number;
  readonly moduleVersion: string;
};

/** Sorted by id. */
export function instancesOf(kernel: Kernel): readonly InstanceView[] {
  return [...kernel.cells.keys()].sort().flatMap((id) => {
    const cell = kernel.cells.get(id);
    if (cell === undefined) return [];
    const { machine, key, state, lastEventSeq, moduleVersion } = cell;
    const openIntents = [...cell.open]
      .sort()
      .flatMap((open) => kernel.intents.get(open)?.hash ?? []);
    return {
      id,
      machine,
      key,
      status: statusOf(cell),
      state,
      openIntents,
      mailboxCount: cell.mailbox.count,
      lastEventSeq,
      moduleVersion,
    };
  });
}
