import { decodeCanonical } from "../canonical/index.ts";
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

/** What is under way in all machines; where it is all nothing, a version can be applied at once. */
export type Quiescence = {
  /** Nothing at all is under way. A cell that is idle or failed is at rest. */
  readonly isStrict: boolean;
  /** Cells that wait for something, or have a turn to come. */
  readonly instances: number;
  readonly intents: number;
  readonly timers: number;
  /** What waits in the mailboxes of cells that are not failed. */
  readonly queued: number;
};

export function quiescenceOf({ cells, intents }: Kernel): Quiescence {
  let [instances, queued] = [0, 0];
  for (const { failed, mailbox, open } of cells.values()) {
    const turns = failed === null ? mailbox.count : 0;
    if (turns > 0 || open.size > 0) instances++;
    queued += turns;
  }
  let timers = 0;
  for (const { effect } of intents.values()) if (effect === timerEffect) timers++;
  const under = { instances, intents: intents.size - timers, timers, queued };
  return { isStrict: Object.values(under).every((count) => count === 0), ...under };
}

/** Null = time alone does nothing to it. */
export function dueOf({ effect, params, deadlineNs }: OpenIntent): bigint | null {
  if (effect !== timerEffect) return deadlineNs;
  const { deliver_at_ns: at } = decodeCanonical(params) as { deliver_at_ns: number | bigint };
  return BigInt(at);
}
