import type {
  Change,
  CommitAnswer,
  Instant,
  RowKey,
  Rows,
  Store,
  TableName,
  WorkflowSummary,
} from "@holdfast/core";
import { type ConstraintName, constraintNames } from "../constraint-names.ts";
import {
  closedError,
  requireHeading,
  requireWorkflowName,
  unknownWorkflow,
} from "../store-errors.ts";
import { compareText } from "../text-order.ts";
import { Watchers } from "../watchers.ts";
import { listAttentions } from "./attentions.ts";
import { listAwaiting } from "./awaiting.ts";
import { loadBlob } from "./blobs.ts";
import { type Budgets, sumBudget } from "./budgets.ts";
import { ChangeOrder } from "./changes.ts";
import { commitChange } from "./commit.ts";
import { sumReads } from "./counted-reads.ts";
import { appendCommand, findVerdict, readInbox } from "./inbox.ts";
import { readJournal } from "./journal.ts";
import { findKept } from "./kept-results.ts";
import { claimDue, claimOne, Leases, nextDueAt, release, takeCensus } from "./lease.ts";
import { countRows, listRows } from "./lists.ts";
import { load } from "./load.ts";
import { listParts, loadParts, sweepParts } from "./parts.ts";
import { peek } from "./peek.ts";
import { rowsInKeyOrder } from "./scan.ts";
import { findStoreBrake, type KeptBrake, tellOfStoreBrake, turnStoreBrake } from "./store-brake.ts";
import { pruneTraces, readTraces } from "./traces.ts";
import { sumActive, sumUsage } from "./usage.ts";
import { emptyWorkflow, type WorkflowState } from "./workflow-state.ts";

export type MemoryStoreOptions = {
  readonly clock: () => Instant;
  readonly newIncarnation: () => string;
};

/**
 * A store without a disk, for tests and the simulator. It does everything at once when it is
 * called and answers with a promise that is already resolved: no timer, no clock and no chance
 * but those it is given, so the same calls give the same answers. Durable means: until the
 * process ends.
 */
export function openMemoryStore(options: MemoryStoreOptions): Store {
  const all = Object.keys(constraintNames) as ConstraintName[];
  return openWithConstraints(options, new Set(all));
}

/** For the negative control only: a store in which some constraints do not hold. */
export function openWithConstraints(
  options: MemoryStoreOptions,
  enforced: ReadonlySet<ConstraintName>,
): Store {
  const memory: Memory = {
    clock: options.clock,
    enforced,
    storeIncarnation: options.newIncarnation(),
    workflows: new Map(),
    budgets: new Map(),
    brake: { last: null },
    leases: new Leases(),
    order: new ChangeOrder(),
    watchers: new Watchers(),
    closed: false,
  };
  return {
    storeIncarnation: memory.storeIncarnation,
    restoredFrom: null,
    ...workflowCalls(memory),
    ...hostCalls(memory),
    close: async () => {
      memory.closed = true;
      memory.watchers.endAll();
    },
  };
}

type Memory = {
  readonly clock: () => Instant;
  readonly enforced: ReadonlySet<ConstraintName>;
  readonly storeIncarnation: string;
  readonly workflows: Map<string, WorkflowState>;
  readonly budgets: Budgets;
  readonly brake: KeptBrake;
  readonly leases: Leases;
  readonly order: ChangeOrder;
  readonly watchers: Watchers;
  closed: boolean;
};

/** Every call asks for the workflows first, so none works on a closed store. */
function allOf(memory: Memory): Map<string, WorkflowState> {
  if (memory.closed) throw closedError();
  return memory.workflows;
}

function stateOf(memory: Memory, workflow: string): WorkflowState {
  const state = allOf(memory).get(workflow);
  if (state === undefined) throw unknownWorkflow(workflow);
  return state;
}

type HostCall =
  | "openHost"
  | "heartbeat"
  | "closeHost"
  | "claim"
  | "claimOne"
  | "release"
  | "nextDueAt"
  | "census"
  | "watch";

type StoreName = "storeIncarnation" | "restoredFrom";

function workflowCalls(memory: Memory): Omit<Store, HostCall | StoreName | "close"> {
  const state = (workflow: string) => stateOf(memory, workflow);
  return {
    createWorkflow: async (workflow) => createWorkflow(memory, workflow),
    commit: async (changes) => {
      allOf(memory);
      return changes.map((change) => commitOne(memory, change));
    },
    load: async (workflow, needs) => load(state(workflow), needs),
    peek: async (workflow, topic, limit) => peek(state(workflow), topic, limit),
    sumUsage: async (workflow, of) => sumUsage(state(workflow), of),
    sumActive: async (workflow, after) => sumActive(state(workflow), after),
    sumReads: async (workflow, of) => sumReads(state(workflow), of),
    findKept: async (workflow, of) => findKept(state(workflow), of),
    sumBudget: async (of) => sumBudget(allOf(memory), memory.budgets, of),
    loadBlob: async (workflow, hash) => loadBlob(state(workflow), hash),
    loadParts: async (workflow, hashes) => loadParts(state(workflow), hashes),
    listParts: async (workflow, after, limit) => listParts(state(workflow), after, limit),
    sweepParts: async (workflow, hashes, untouchedMs) =>
      sweepParts(state(workflow), hashes, memory.clock() - untouchedMs),
    appendCommand: async (command) => {
      allOf(memory);
      requireHeading(command);
      const receipt = appendCommand(state(command.workflow), command, memory.clock());
      if (receipt.verdict === null) memory.watchers.wake({ workflows: [command.workflow] });
      return receipt;
    },
    readInbox: async (workflow, limit) => readInbox(state(workflow), limit),
    findVerdict: async (workflow, commandId) => findVerdict(state(workflow), commandId),
    turnStoreBrake: async (turn) => {
      allOf(memory);
      return turnStoreBrake(memory.brake, turn);
    },
    tellOfStoreBrake: async (workflow) => {
      tellOfStoreBrake(memory.brake, state(workflow), memory.clock());
      memory.watchers.wake({ workflows: [workflow] });
    },
    findStoreBrake: async () => {
      allOf(memory);
      return findStoreBrake(memory.brake);
    },
    readJournal: async (workflow, after, limit) => readJournal(state(workflow), after, limit),
    readTraces: async (workflow, after, limit) => readTraces(state(workflow), after, limit),
    pruneTraces: async (before, limit) => pruneTraces(allOf(memory), before, limit),
    listWorkflows: async (after, limit) => listWorkflows(allOf(memory), after, limit),
    readChanges: async (after) => memory.order.read(allOf(memory), after, memory.storeIncarnation),
    scan: (workflow, table, under = []) => scan(() => state(workflow), table, under),
    listAttentions: async (query) => {
      const states = query.workflow === null ? allOf(memory).values() : [state(query.workflow)];
      return listAttentions(states, query);
    },
    listAwaiting: async (...wanted) => listAwaiting(allOf(memory).values(), ...wanted),
    listRows: async (query) => listRows(state(query.workflow), query),
    countRows: async (query) => countRows(state(query.workflow), query),
    findDamage: async () => {
      allOf(memory);
      return [];
    },
  };
}

function hostCalls(memory: Memory): Pick<Store, HostCall> {
  const { clock, leases } = memory;
  return {
    openHost: async ({ incarnation, leaseMs }) => {
      allOf(memory);
      leases.open(incarnation, leaseMs, clock());
    },
    heartbeat: async (incarnation) => {
      allOf(memory);
      return leases.renew(incarnation, clock());
    },
    closeHost: async (incarnation) => {
      for (const state of allOf(memory).values()) release(state, incarnation);
      leases.close(incarnation);
    },
    claim: async (incarnation, limit) =>
      claimDue(allOf(memory), leases, { incarnation, limit, now: clock() }),
    claimOne: async (incarnation, workflow) =>
      claimOne(stateOf(memory, workflow), leases, { incarnation, now: clock() }),
    release: async (incarnation, { workflow, epoch }) => {
      const state = allOf(memory).get(workflow);
      if (state?.epoch === epoch) release(state, incarnation);
    },
    nextDueAt: async () => nextDueAt(allOf(memory), leases, clock()),
    census: async () => takeCensus(allOf(memory), leases, clock()),
    watch: (onWake) => {
      allOf(memory);
      return memory.watchers.add(onWake);
    },
  };
}

function commitOne(memory: Memory, change: Change): CommitAnswer {
  const { workflows, enforced, order, budgets } = memory;
  const answer = commitChange(workflows.get(change.workflow), change, {
    enforced,
    budgets,
    now: memory.clock(),
  });
  if (answer.kind === "committed" && change.records.length > 0) order.note(change.workflow);
  return answer;
}

function createWorkflow(memory: Memory, workflow: string): { readonly created: boolean } {
  const workflows = allOf(memory);
  requireWorkflowName(workflow);
  if (workflows.has(workflow)) return { created: false };
  const state = emptyWorkflow(workflow);
  workflows.set(workflow, state);
  const { brake, clock } = memory;
  if (brake.last?.isOn === true) tellOfStoreBrake(brake, state, clock());
  return { created: true };
}

function listWorkflows(
  workflows: ReadonlyMap<string, WorkflowState>,
  after: string | null,
  limit: number,
): readonly WorkflowSummary[] {
  return [...workflows.values()]
    .filter((state) => after === null || compareText(state.workflow, after) > 0)
    .sort((left, right) => compareText(left.workflow, right.workflow))
    .slice(0, limit)
    .map(({ workflow, head, epoch, owner, dueAt, factVersion, inbox }) => ({
      workflow,
      head,
      epoch,
      owner,
      dueAt,
      factVersion,
      inboxTail: inbox.length,
    }));
}

/** Takes its moment at the first row that is asked for. */
async function* scan<T extends TableName>(
  find: () => WorkflowState,
  table: T,
  under: RowKey,
): AsyncGenerator<Rows[T]> {
  yield* rowsInKeyOrder(find(), table, under);
}
