import { contentHash, type Schema } from "../canonical/index.ts";
import { invariant } from "../ports/invariant.ts";
import { canonicalize } from "./canonicalize.ts";
import { type Cell, cellIdOf } from "./cell.ts";
import { sameBytes } from "./hex.ts";
import { timerEffect } from "./host-effects.ts";
import type { Kernel } from "./kernel.ts";
import type { CompiledMachine, MachineSet } from "./machine-set.ts";
import type { RefitState } from "./refit-state.ts";

/** What stands in the way of another version, and whose it is. */
export type Obstacle = {
  readonly why: ObstacleKind;
  readonly cell: string;
  readonly machine: string;
  readonly key: Uint8Array | null;
  /** Null = it is about the cell itself. */
  readonly intentId: string | null;
  readonly effect: string | null;
  /** Of its mailbox. */
  readonly waiting: number;
  /** In words, where more is known. */
  readonly note: string;
};

export type ObstacleKind =
  | "intent_open" // an effect without its receipt
  | "timer_set"
  | "event_waiting" // its cell has not had its turn
  | "machine_gone" // the version has no such machine, and something waits for it
  | "state_unfit" // the state does not fit the version's schema
  | "state_unmigrated" // the version has a function for it, and it was not asked
  | "migration_failed" // that function threw, or made no state that fits
  | "cells_too_many" // of a machine whose states the version reads otherwise
  | "event_unfit"; // what a failed cell failed on does not fit the version's schema

/** What is under way: it ends by itself. A cell that is idle or failed is not in it. */
export function workUnderWay(kernel: Kernel): readonly Obstacle[] {
  const found: Obstacle[] = [];
  for (const cell of inOrder(kernel)) {
    for (const id of [...cell.open].sort()) {
      const effect = kernel.intents.get(id)?.effect ?? null;
      const why = effect === timerEffect ? "timer_set" : "intent_open";
      found.push({ ...aboutCell(cell, why), intentId: id, effect });
    }
    if (cell.failed === null && cell.mailbox.count > 0) {
      found.push(aboutCell(cell, "event_waiting"));
    }
  }
  return found;
}

export type Fitted = {
  /** What a person has to do something about. */
  readonly unfit: readonly Obstacle[];
  /** States that are written otherwise in the version: a field that may be left out, say. */
  readonly refit: readonly RefitState[];
};

/**
 * How the cells there are would be to another version; `given` are states in its own form. Whoever
 * asks has brought those here that it may read otherwise (`loadToFit`).
 */
export function fitCells(
  kernel: Kernel,
  set: MachineSet,
  given: readonly RefitState[] = [],
): Fitted {
  const unfit: Obstacle[] = [];
  const refit: RefitState[] = [...given];
  const known = new Set(given.map(({ machine, key }) => cellIdOf(machine, key)));
  const change = new Changed(kernel.set, set);
  for (const cell of inOrder(kernel)) {
    const machine = set.machines.get(cell.machine);
    if (machine === undefined) {
      if (cell.failed !== null) unfit.push(aboutCell(cell, "machine_gone"));
      continue;
    }
    if (change.ofEvents(machine) && !eventsFit(cell, machine)) {
      unfit.push(aboutCell(cell, "event_unfit"));
    }
    if (!change.ofState(machine) || known.has(cell.id)) continue;
    invariant(!cell.isAway, `${cell.id} is away`);
    if (cell.state === null) continue;
    if (machine.migrates) {
      unfit.push(aboutCell(cell, "state_unmigrated"));
      continue;
    }
    const fitted = canonicalize(machine.state, cell.state);
    if (!fitted.ok) unfit.push(aboutCell(cell, "state_unfit"));
    else if (!sameBytes(fitted.bytes, cell.state)) {
      refit.push({ machine: cell.machine, key: cell.key, state: fitted.bytes });
    }
  }
  return { unfit, refit };
}

/** Those that both versions have, with another schema of their state. */
export function machinesWithOtherState(before: MachineSet, after: MachineSet): readonly string[] {
  const change = new Changed(before, after);
  const both = [...after.machines.values()].filter(({ name }) => before.machines.has(name));
  return both.filter((machine) => change.ofState(machine)).map(({ name }) => name);
}

/** Those of them that have more cells, as far as can be said without looking at any. */
export function machinesOver(
  { set: before, roots, dirty }: Kernel,
  after: MachineSet,
  countMax: number,
): readonly Obstacle[] {
  return machinesWithOtherState(before, after).flatMap((machine) => {
    const changed = [...dirty.values()].filter((cell) => cell.machine === machine).length;
    const count = (roots.get(machine)?.count ?? 0) + changed;
    if (count <= countMax) return [];
    const note = `it has up to ${count} cells, and ${countMax} may be written anew at once`;
    const about = { key: null, intentId: null, effect: null, waiting: 0, note };
    return [{ why: "cells_too_many" as const, cell: machine, machine, ...about }];
  });
}

/** Whose schemas are others than before. */
class Changed {
  readonly #before: MachineSet;
  readonly #after: MachineSet;
  readonly #known = new Map<string, boolean>();

  constructor(before: MachineSet, after: MachineSet) {
    this.#before = before;
    this.#after = after;
  }

  ofState({ name }: CompiledMachine): boolean {
    return this.#is(`state ${name}`, ({ machines }) => machines.get(name)?.state.schema);
  }

  /** The schema may name others, which are the version's own. */
  ofEvents({ name }: CompiledMachine): boolean {
    return this.#is(`event ${name}`, ({ machines, topics }) => {
      const schemas = [...topics].map(([topic, { schema }]) => [topic, schema]);
      return [machines.get(name)?.event.compiled.schema ?? null, schemas] as unknown as Schema;
    });
  }

  #is(what: string, of: (set: MachineSet) => Schema | undefined): boolean {
    const known = this.#known.get(what);
    if (known !== undefined) return known;
    const hash = (set: MachineSet) => contentHash((of(set) ?? null) as never);
    const isChanged = hash(this.#before) !== hash(this.#after);
    this.#known.set(what, isChanged);
    return isChanged;
  }
}

function eventsFit({ mailbox }: Cell, { event }: CompiledMachine): boolean {
  return mailbox.entries().every(({ value }) => canonicalize(event.compiled, value).ok);
}

/** By their ids. */
export function inOrder({ cells }: Kernel): readonly Cell[] {
  return [...cells].sort(([left], [right]) => (left < right ? -1 : 1)).map(([, cell]) => cell);
}

export function aboutCell({ id, machine, key, mailbox }: Cell, why: ObstacleKind): Obstacle {
  const none = { intentId: null, effect: null, note: "" };
  return { why, cell: id, machine, key, waiting: mailbox.count, ...none };
}
