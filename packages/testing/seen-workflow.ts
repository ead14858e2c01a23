import type { LogLine } from "@holdfast/core";
import { whyOf } from "@holdfast/host";
import { isoText } from "./duration.ts";
import {
  type LedgerEntry,
  look,
  type Question,
  type Seen,
  type SeenEvent,
  type SeenInput,
  type SeenRun,
} from "./look.ts";
import { lookAtCells, type SeenCell } from "./machines.ts";
import type { SeenCall, SentMutation } from "./scripted-outside.ts";
import { TestError } from "./test-error.ts";
import type { TestWorld } from "./test-world.ts";

/** What there is to see of a workflow in a test, as of the last time somebody looked. */
export class SeenWorkflow {
  protected readonly workflow: string;
  protected readonly world: TestWorld;
  #seen: Seen | null = null;
  #cells: readonly SeenCell[] = [];

  constructor(workflow: string, world: TestWorld) {
    this.workflow = workflow;
    this.world = world;
  }

  /** The virtual clock. */
  get now(): string {
    return isoText(this.world.now);
  }

  /** Every mutation that reached a service, in order. */
  get sent(): readonly SentMutation[] {
    return [...this.world.outside.sent];
  }

  /** Every read that reached a service, in order. */
  get reads(): readonly SeenCall[] {
    return [...this.world.outside.reads];
  }

  /** How many hosts have died. */
  get crashCount(): number {
    return this.world.dead.size;
  }

  /** Whether the workflow is active, paused or archived, and what stopped it. */
  get status(): string {
    const row = this.seen.workflow;
    return row?.error ?? row?.status ?? "not created";
  }

  events(topic?: string): readonly SeenEvent[] {
    const { events } = this.seen;
    return topic === undefined ? events : events.filter((event) => event.topic === topic);
  }

  /** Of one machine, by its short name, or of all; ordered by name. */
  cells(machine?: string): readonly SeenCell[] {
    const isMeant = ({ machine: name }: SeenCell) => name.includes(`/${machine}@`);
    return machine === undefined ? this.#cells : this.#cells.filter(isMeant);
  }

  /** The cell with this key, or the only one; undefined = it is not there. */
  cell(machine: string, key: unknown = null): SeenCell | undefined {
    return this.cells(machine).find((each) => JSON.stringify(each.key) === JSON.stringify(key));
  }

  inputs(): readonly SeenInput[] {
    return this.seen.inputs;
  }

  runs(handler?: string): readonly SeenRun[] {
    const { runs } = this.seen;
    return handler === undefined ? runs : runs.filter((run) => run.handler === handler);
  }

  ledger(): readonly LedgerEntry[] {
    return this.seen.ledger;
  }

  /** What a person is asked and has not answered. */
  questions(): readonly Question[] {
    return this.seen.questions;
  }

  /** What the handler returned last; undefined = nothing yet. */
  state(handler: string): unknown {
    const { states } = this.seen;
    if (states.has(handler)) return states.get(handler);
    const known = [...states.keys()].join(", ");
    throw new TestError("test_invalid", `there is no handler ${handler}; there are ${known}`);
  }

  /** Lines that the script wrote with `ctx.log` or `console.log`, of one run or of all. */
  logs(runId?: string): readonly string[] {
    const { logs } = this.world;
    const lines: readonly LogLine[] =
      runId === undefined ? [...logs.values()].flat() : (logs.get(runId) ?? []);
    return lines.map(({ text }) => text);
  }

  /**
   * Why a run, an input or an event is where it is, in words; without an id, the workflow. An event
   * is named by its message id, or by `topic/messageId`.
   */
  async why(id: string = this.workflow): Promise<string> {
    const { store, now } = this.world;
    const answer = await whyOf(store, this.workflow, id, now);
    if (answer.kind === "explained") return answer.why.text;
    const fault = answer.kind === "ambiguous" ? `several: ${answer.ids.join(", ")}` : "nothing";
    throw new TestError("test_invalid", `the id ${id} names ${fault}`);
  }

  protected async lookAgain(): Promise<void> {
    const { store, scripts } = this.world;
    this.#seen = await look(store, this.workflow);
    this.#cells = await lookAtCells({ store, workflow: this.workflow, scripts });
  }

  protected get seen(): Seen {
    if (this.#seen === null) throw new Error("nothing was deployed");
    return this.#seen;
  }
}
