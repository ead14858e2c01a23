import {
  type CoreCommand,
  encodeCanonical,
  encodeGrants,
  plainGrants,
  type Store,
} from "@holdfast/core";
import { WorkflowOwner } from "../workflow-owner.ts";

const handler = (name: string, kind: "producer" | "consumer", subscribe: readonly string[]) =>
  ({
    name,
    kind,
    subscribe,
    publishes: null,
    onMutationFailed: "prepare",
    catchUp: "once",
    webhook: false,
    start: "manual",
    scheduled: kind === "producer",
  }) as const;

const verdict = { envelope: 1, grant: 0, says: "allow" } as const;

const version: CoreCommand = {
  kind: "activate_version",
  major: 1,
  minor: 0,
  scriptHash: "script",
  script: null,
  connections: [],
  grants: encodeGrants(plainGrants("allow", ["shop.post"])),
  progress: "keep",
  topics: [
    { name: "orders", subscriber: "book", observed: false, schema: null },
    { name: "bookings", subscriber: null, observed: true, schema: null },
  ],
  handlers: [handler("poll", "producer", []), handler("book", "consumer", ["orders"])],
  actor: "ann",
};

/**
 * A small, complete history of one workflow, made as a host would make it: three orders come in,
 * one of them large; one is booked, one waits unanswered in the ledger, one is still pending.
 */
export async function writeSampleHistory(store: Store, workflow: string): Promise<WorkflowOwner> {
  await store.createWorkflow(workflow);
  const { epoch } = await store.load(workflow, []);
  const owner = new WorkflowOwner(store, { workflow, epoch });
  let now = 1_000;
  const execute = async (...commands: CoreCommand[]) => {
    now += 1_000;
    const executed = await owner.execute(commands, now);
    if (executed.kind !== "done") throw new Error(JSON.stringify(executed));
  };
  await execute({ kind: "create_workflow", name: workflow });
  await execute(version);
  const producer = await nextRunId(owner);
  await execute({ kind: "start_run", handler: "poll", asOf: 2, trigger: null }, poll(producer));
  await book(owner, execute, "o1", { says: "applied", result: encodeCanonical({ id: 7 }) });
  const booked = (await openRun(owner)) ?? "";
  await execute(next(booked));
  await book(owner, execute, "o2", { says: "unknown", note: "no answer in time" });
  return owner;
}

type Outcome = Extract<CoreCommand, { kind: "settle_mutation" }>["outcome"];

async function book(
  owner: WorkflowOwner,
  execute: (...commands: CoreCommand[]) => Promise<void>,
  messageId: string,
  outcome: Outcome,
): Promise<void> {
  const head = (await owner.loadView()).head.seq;
  const runId = `r${head + 1}`;
  await execute(
    { kind: "start_run", handler: "book", asOf: head, trigger: null },
    prepare(runId, messageId),
    call(runId),
  );
  const [mutation] = (await owner.loadView()).rows("mutations");
  const mutationId = mutation?.mutationId ?? "";
  const lease = { incarnation: "host1", epoch: owner.epoch, sendBy: 99_000, timeoutMs: 1_000 };
  const sending = { ...lease, verdict };
  await execute({ kind: "send_mutation", mutationId, ...sending });
  await execute({ kind: "settle_mutation", mutationId, outcome });
}

async function nextRunId(owner: WorkflowOwner): Promise<string> {
  return `r${(await owner.loadView()).head.seq + 1}`;
}

async function openRun(owner: WorkflowOwner): Promise<string | undefined> {
  return [...(await owner.loadView()).rows("runs")].find((run) => run.open)?.runId;
}

function poll(runId: string): CoreCommand {
  const large = encodeCanonical({ text: "x".repeat(2_000) });
  const small = encodeCanonical({ text: "a coat" });
  const publishes = ["o1", "o2", "o3"].map((messageId) => ({
    topic: "orders",
    messageId,
    payload: messageId === "o2" ? large : small,
    title: `Order ${messageId}`,
    inputId: null,
  }));
  const kv = [{ key: "cursor", value: encodeCanonical(3) }];
  const state = encodeCanonical({ seen: 3 });
  return {
    kind: "commit_run",
    runId,
    inputs: [],
    publishes,
    state,
    nextRunAt: 60_000,
    kv,
    deliveries: [],
  };
}

function prepare(runId: string, messageId: string): CoreCommand {
  return {
    kind: "finish_prepare",
    runId,
    asOf: Number.MAX_SAFE_INTEGER,
    reservations: [{ topic: "orders", messageId, revision: null }],
    prepareResult: encodeCanonical({ order: messageId }),
    selectionId: null,
    uiTitle: `Book ${messageId}`,
    trigger: null,
    wakeAt: null,
  };
}

function call(runId: string): CoreCommand {
  return {
    kind: "record_mutation",
    runId,
    connector: "http",
    connection: "shop",
    connectorVersion: "1",
    operation: "post",
    target: "/bookings",
    identity: encodeCanonical({ ref: runId }),
    payload: encodeCanonical({ ref: runId, amount: 3 }),
    canReconcile: true,
    retentionMs: null,
    visibilityDelayMs: null,
    timeoutMs: 1_000,
    verdict,
    amount: null,
    ask: null,
  };
}

function next(runId: string): CoreCommand {
  const payload = encodeCanonical({ booked: true });
  const publishes = [{ topic: "bookings", messageId: null, payload, title: null, inputId: null }];
  return {
    kind: "commit_run",
    runId,
    inputs: [],
    publishes,
    state: null,
    nextRunAt: null,
    kv: [],
    deliveries: [],
  };
}
