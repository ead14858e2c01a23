import {
  type Claim,
  type CommitAnswer,
  HostError,
  insertRow,
  type Store,
  sealRecords,
} from "@holdfast/core";
import { LifeClock } from "./life-clock.ts";
import { bytesOf, ordersTopic, reportTopic } from "./life-commands.ts";
import type { Outside } from "./outside.ts";
import { SentCalls } from "./sent-calls.ts";
import { WorkflowDriver } from "./workflow-driver.ts";

export const workflowNames = ["amber", "birch", "cedar", "dune"] as const;
/** Have a producer; the others only get what is published by hand. */
const collectingNames: readonly string[] = ["amber", "birch"];

/** Orders that have to be consumed in the end: two are collected, one comes by hand. */
export function orderCountOf(workflow: string): number {
  return collectingNames.includes(workflow) ? 3 : 1;
}

/** Both are given to every workflow in every life: the same command twice is one command. */
export const commandIds = { deploy: "deploy-1", publish: "publish-1" } as const;

const leaseMs = 60_000;
/** What was written a moment ago, too. */
const sweepAll = -1_000;
/** A life meets one misfortune, and a few more as its consequence. */
const triesMax = 5;
const actor = "tester";

type Parts = {
  /** The store itself, for changes that must not land. */
  readonly store: Store;
  readonly witnessed: Store;
  readonly outside: Outside;
  readonly life: number;
  readonly sentCalls?: SentCalls;
};

/**
 * One life of a small host: deploys four workflows, runs what is due, is given an event by hand,
 * runs that too and ends well. The workflows move side by side, so that their changes share groups.
 */
export class Life {
  readonly #parts: Parts;
  readonly #clock: LifeClock;
  readonly #sentCalls: SentCalls;
  #incarnation: string;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#incarnation = `host-${parts.life}`;
    this.#clock = new LifeClock(parts.life);
    this.#sentCalls = parts.sentCalls ?? new SentCalls();
  }

  async live(): Promise<void> {
    const { witnessed } = this.#parts;
    await this.#join();
    await Promise.all(workflowNames.map((workflow) => this.#deploy(workflow)));
    const first = await this.#runDue();
    const [one] = first;
    await Promise.all([
      ...workflowNames.map((workflow) => this.#publish(workflow)),
      ...(one === undefined ? [] : [this.#tryStrays(one), one.takeCheckpoint()]),
    ]);
    if (one !== undefined) await this.#tryRefused(one);
    await one?.keepPart();
    await Promise.all(first.map(({ owner }) => witnessed.release(this.#incarnation, owner)));
    await this.#runDue();
    await witnessed.pruneTraces(0, 1);
    for (const workflow of workflowNames) {
      const parts = await witnessed.listParts(workflow, null, 9);
      await witnessed.sweepParts(workflow, parts, sweepAll);
    }
    await witnessed.closeHost(this.#incarnation);
  }

  /** A name that may have been registered without our hearing of it is never used again. */
  async #join(): Promise<void> {
    for (let tried = 1; ; tried += 1) {
      try {
        return await this.#parts.witnessed.openHost({ incarnation: this.#incarnation, leaseMs });
      } catch (error) {
        const isLost = error instanceof HostError && error.code === "STORE_UNREACHABLE";
        if (!isLost || tried === triesMax) throw error;
        this.#incarnation = `host-${this.#parts.life}-${tried + 1}`;
      }
    }
  }

  async #runDue(): Promise<readonly WorkflowDriver[]> {
    const { witnessed } = this.#parts;
    const { claims } = await witnessed.claim(this.#incarnation, workflowNames.length);
    const drivers = claims.map((claim) => this.#driver(claim));
    const alive = witnessed.heartbeat(this.#incarnation);
    await Promise.all(drivers.map((driver) => driver.runToRest()));
    if (!(await alive)) throw new Error("the lease ran out");
    return drivers;
  }

  #driver(claim: Claim): WorkflowDriver {
    const { witnessed: store, outside } = this.#parts;
    const [incarnation, clock, sentCalls] = [this.#incarnation, this.#clock, this.#sentCalls];
    return new WorkflowDriver({ store, claim, incarnation, clock, outside, sentCalls });
  }

  async #deploy(workflow: string): Promise<void> {
    await this.#parts.witnessed.createWorkflow(workflow);
    const shared = {
      onMutationFailed: "prepare",
      catchUp: "once",
      webhook: false,
      start: "manual",
    } as const;
    await this.#append(workflow, commandIds.deploy, "activate_version", {
      major: 1,
      minor: 0,
      scriptHash: "none",
      script: null,
      connections: [],
      grants: null,
      progress: "keep",
      topics: [
        { name: ordersTopic, subscriber: "deliver", observed: false, schema: null },
        { name: reportTopic, subscriber: null, observed: true, schema: null },
      ],
      handlers: [
        {
          name: "collect",
          kind: "producer",
          ...shared,
          subscribe: [],
          publishes: [ordersTopic],
          scheduled: collectingNames.includes(workflow),
        },
        {
          name: "deliver",
          kind: "consumer",
          ...shared,
          subscribe: [ordersTopic],
          publishes: [reportTopic],
          scheduled: false,
        },
      ],
    });
  }

  #publish(workflow: string): Promise<void> {
    return this.#append(workflow, commandIds.publish, "publish_event", {
      topic: ordersTopic,
      messageId: "by-hand",
      payload: bytesOf({ text: "late" }),
      title: null,
    });
  }

  async #append(
    workflow: string,
    commandId: string,
    kind: string,
    body: Parameters<typeof bytesOf>[0],
  ): Promise<void> {
    const command = {
      commandId,
      workflow,
      actor,
      kind,
      body: bytesOf(body),
      at: this.#clock.now(),
    };
    await this.#parts.witnessed.appendCommand(command);
  }

  /** Beside honest changes in one group: one of an owner long gone, one the tables refuse. */
  #tryStrays(driver: WorkflowDriver): Promise<void> {
    return this.#mustBeAnswered("lease_lost,refused", async () => {
      const stray = await this.#strayChange(driver);
      return this.#parts.store.commit([{ ...stray, epoch: stray.epoch - 1 }, stray]);
    });
  }

  /** Alone in its group: then it is the whole transaction that is taken back. */
  #tryRefused(driver: WorkflowDriver): Promise<void> {
    return this.#mustBeAnswered("refused", async () => {
      return this.#parts.store.commit([await this.#strayChange(driver)]);
    });
  }

  /** Tried again where the answer was lost: nothing of it can ever land. */
  async #mustBeAnswered(
    expected: string,
    commit: () => Promise<readonly CommitAnswer[]>,
  ): Promise<void> {
    let kinds = "";
    for (let tried = 0; tried < triesMax; tried += 1) {
      kinds = (await commit()).map(({ kind }) => kind).join();
      if (kinds === expected) return;
    }
    throw new Error(`strays were answered ${kinds}`);
  }

  /** Right in all but one row, which is there already: refused after its journal is written. */
  async #strayChange({ owner }: WorkflowDriver) {
    const { workflow, epoch } = owner;
    const view = await owner.loadView();
    const { head } = view;
    const fact = { kind: "workflow_error_cleared", actor } as const;
    return {
      workflow,
      epoch,
      expectedHead: head.seq,
      records: sealRecords(workflow, head, [{ seq: head.seq + 1, at: head.at, fact }]),
      rows: [insertRow("topics", view.load("topics", ordersTopic))],
      blobs: [],
      dueAt: null,
      settledBelow: [],
      trace: null,
      budgets: [],
      forgetTracesThrough: null,
    };
  }
}
