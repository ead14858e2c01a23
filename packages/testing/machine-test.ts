import {
  type CanonicalValue,
  encodeCanonical,
  type HostedMachines,
  type Instant,
} from "@holdfast/core";
import { closeStepReturn, findInstance, replay } from "@holdfast/core/machine";
import type { StepResult } from "@holdfast/sdk";
import { instantOf } from "./duration.ts";
import { firstDifference } from "./first-difference.ts";
import { ordersOf } from "./orders.ts";
import { type SeenEffect, type SeenStep, seenStep, stateOf } from "./seen-step.ts";
import { StepKernel, type Stepper, sandboxed, trustingKeys } from "./step-kernel.ts";
import { StepReceipt } from "./step-receipt.ts";
import { TestError } from "./test-error.ts";

type Emitted = { readonly topic: string; readonly messageId?: string; readonly payload: unknown };

/** What a step is expected to return; events and effects that are not named must not be. */
export type StepGives<State> =
  | (StepResult<State, Emitted, string, unknown> & { readonly fault?: undefined })
  | { readonly fault: string };

/** What a cell is in, and what comes. */
export type GivenStep<State, Event> = {
  readonly state: State | null; // null = the cell is new
  readonly event: Event | StepReceipt;
  /** Its key, where the machine has many cells. */
  readonly cell?: unknown;
  /** What a clock in the step shows; absent = as the test began. */
  readonly at?: string | number | Date;
};

export type StepRow<State, Event> = GivenStep<State, Event> & {
  /** How a difference is told; absent = by its number. */
  readonly name?: string;
  readonly gives: StepGives<State>;
};

/** What comes for one cell, in its order. */
export type CellHistory<Event> = {
  readonly cell?: unknown;
  readonly given: readonly (Event | StepReceipt)[];
};

/** A cell after a history. */
export type CellEnd = { readonly status: string; readonly state: unknown };

type Parts = {
  readonly machines: HostedMachines;
  readonly machine: string;
  readonly now: Instant;
  readonly seed: number;
};

/** So many orders are tried; all of them, where there are no more. */
const ordersMax = 40;

/** The steps of one machine, run in the sandbox and judged by the kernel, without a host. */
export class MachineTest<State = unknown, Event = unknown> {
  readonly #parts: Parts;
  readonly #stepper: Stepper;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#stepper = sandboxed(parts.machines);
  }

  /** One step. It is run twice, and has to say the same. */
  step(given: GivenStep<State, Event>): Promise<SeenStep> {
    return this.#run(given, this.#stepper);
  }

  /** Every row; what differs is told together, each with its place. */
  async table(rows: readonly StepRow<State, Event>[]): Promise<void> {
    const differences: string[] = [];
    for (const [at, row] of rows.entries()) {
      const difference = await this.#differenceOf(row);
      if (difference !== null) differences.push(`${row.name ?? `row ${at + 1}`}: ${difference}`);
    }
    if (differences.length === 0) return;
    throw new TestError("step_differs", ["", ...differences].join("\n  ").trimStart());
  }

  /**
   * Cells beside each other: what comes for each stays in its order, and between them many orders
   * are tried, one seed the same ones. Every journal is run again and compared to the byte, and
   * every cell has to end as it does alone; where steps know their height (`context`), states may
   * differ, and `check` says what has to hold.
   */
  async everyOrder(
    histories: readonly CellHistory<Event>[],
    check: (ends: readonly CellEnd[]) => void = () => {},
  ): Promise<{ readonly orders: number }> {
    const counts = histories.map(({ given }) => given.length);
    const orders = ordersOf(counts, { countMax: ordersMax, seed: this.#parts.seed });
    const [inTurn = []] = orders;
    const expected = await this.#play(histories, inTurn);
    check(expected);
    for (const order of orders.slice(1)) {
      const ends = await this.#play(histories, order);
      check(ends);
      const difference = this.#knowsHeight ? null : firstDifference(ends, expected, "cells");
      if (difference === null) continue;
      const { path, first, second } = difference;
      const names = order.map((at) => JSON.stringify(histories[at]?.cell ?? null)).join(", ");
      const text = `in the order ${names} ${path} is ${shown(first)}, otherwise ${shown(second)}`;
      throw new TestError("order_matters", text);
    }
    return { orders: orders.length };
  }

  get #knowsHeight(): boolean {
    const { machines, machine } = this.#parts;
    return machines.set.machines.get(machine)?.context ?? false;
  }

  async #differenceOf(row: StepRow<State, Event>): Promise<string | null> {
    const { gives } = row;
    const made = await this.step(row);
    if (gives.fault !== undefined) {
      return made.fault === gives.fault ? null : `${told(made)}, expected the fault ${gives.fault}`;
    }
    if (made.fault !== null) return told(made);
    // What is expected is judged as a step's answer is, so both have the form of their schemas.
    const expected = await this.#run(row, async () => closeStepReturn(gives));
    if (expected.fault !== null) {
      const why = `no step may give what is expected: ${expected.fault} ${expected.note}`;
      throw new TestError("test_invalid", why);
    }
    const effects = made.effects.map((each, at) => likeGiven(each, expected.effects[at]));
    const difference = firstDifference({ ...made, effects }, expected);
    if (difference === null) return null;
    const { path, first, second } = difference;
    return `${path} is ${shown(first)}, expected ${shown(second)}`;
  }

  async #run({ state, event, cell, at }: GivenStep<State, Event>, step: Stepper) {
    const { machines, now } = this.#parts;
    const run = new StepKernel(machines, step, at === undefined ? now : instantOf(at));
    const named = this.#named(cell);
    run.place(named, state);
    if (event instanceof StepReceipt) run.ask(named, event);
    return seenStep(run, named, await run.give([run.inputFor(named, event)], 1));
  }

  #named(cell: unknown) {
    const { machine } = this.#parts;
    const key = cell === undefined ? null : encodeCanonical(cell as CanonicalValue);
    return { machine, key };
  }

  /** What can wait together is one batch: a receipt waits until it is asked for. */
  async #play(histories: readonly CellHistory<Event>[], order: readonly number[]) {
    const { machines, now } = this.#parts;
    const run = new StepKernel(machines, this.#stepper, now);
    const next = histories.map(() => 0);
    let batch: Parameters<StepKernel["give"]>[0] = [];
    const flush = async () => {
      await run.give(batch);
      batch = [];
    };
    for (const at of order) {
      const history = histories[at];
      const given = history?.given[next[at] ?? 0];
      next[at] = (next[at] ?? 0) + 1;
      const named = this.#named(history?.cell);
      if (given instanceof StepReceipt) await flush();
      batch = [...batch, run.inputFor(named, given)];
    }
    await flush();
    await this.#replay(run);
    return Promise.all(histories.map(({ cell }) => this.#endOf(run, cell)));
  }

  async #endOf(run: StepKernel, cell: unknown): Promise<CellEnd> {
    const named = this.#named(cell);
    const found = await run.drive(findInstance(run.kernel, named));
    if (found === null) return { status: "ended", state: null };
    return { status: found.status, state: stateOf(run.kernel, named.machine, found.state) };
  }

  async #replay({ journal }: StepKernel): Promise<void> {
    const { machines, now } = this.#parts;
    const again = new StepKernel(machines, this.#stepper, now);
    const options = { keys: trustingKeys, setOf: () => machines.set };
    const replayed = await again.drive(replay(journal, options));
    if (replayed.ok) return;
    const { code, seq } = replayed.divergence;
    const text = `the machines' journal run again differs (${code}) at record ${seq}`;
    throw new TestError("replay_differs", text);
  }
}

/** Handles are made of a step's place, so a table names them only where it means them. */
function likeGiven({ issuerRef, ...rest }: SeenEffect, expected: SeenEffect | undefined) {
  if (expected !== undefined && expected.issuerRef === undefined) return rest;
  return issuerRef === undefined ? rest : { ...rest, issuerRef };
}

function told({ fault, note, state }: SeenStep): string {
  if (fault === null) return `it went on to ${shown(state)}`;
  return `it stopped with ${fault}${note === "" ? "" : ` (${note})`}`;
}

function shown(value: unknown): string {
  if (value === undefined) return "not there";
  const plain = (_: string, part: unknown) => (typeof part === "bigint" ? `${part}` : part);
  return JSON.stringify(value, plain);
}
