import {
  type Command,
  type CoreCommand,
  type EventRow,
  encodeCanonical,
  type Instant,
  inputIdOf,
  payloadInlineBytesMax,
  type View,
} from "@holdfast/core";

/** Commands of such names go from the store to whichever workflow somebody tells. */
export const toldByStore = "brake ";

export const ordersTopic = "orders";
export const collector = "collect";
const deliverer = "deliver";
const actor = "tester";

/** These hosts judge nothing: no grants are in force. */
export const verdict = { envelope: 0, grant: 0, says: "allow" } as const;

function bytesOf(value: Parameters<typeof encodeCanonical>[0]): Uint8Array {
  return encodeCanonical(value);
}

function commandOf(
  workflow: string,
  commandId: string,
  order: { readonly kind: string; readonly body: Parameters<typeof encodeCanonical>[0] },
): Command {
  const { kind, body } = order;
  return { commandId, workflow, actor, kind, body: bytesOf(body), at: Date.now() };
}

/** A producer that runs again and again, and a consumer of what it finds. */
export function deploying(workflow: string): Command {
  const shared = {
    onMutationFailed: "prepare",
    catchUp: "once",
    webhook: false,
    start: "manual",
  } as const;
  const body = {
    major: 1,
    minor: 0,
    scriptHash: "none",
    script: null,
    connections: [],
    grants: null,
    progress: "keep",
    topics: [{ name: ordersTopic, subscriber: deliverer, observed: false, schema: null }],
    handlers: [
      {
        name: collector,
        kind: "producer",
        ...shared,
        subscribe: [],
        publishes: [ordersTopic],
        scheduled: true,
      },
      {
        name: deliverer,
        kind: "consumer",
        ...shared,
        subscribe: [ordersTopic],
        publishes: [],
        scheduled: false,
      },
    ],
  };
  return commandOf(workflow, "deploy", { kind: "activate_version", body });
}

export function publishing(workflow: string, messageId: string): Command {
  const body = { topic: ordersTopic, messageId, payload: bytesOf({ by: "hand" }), title: null };
  return commandOf(workflow, messageId, { kind: "publish_event", body });
}

export function startRun(view: View, handler: string): CoreCommand {
  return { kind: "start_run", handler, asOf: view.head.seq, trigger: null };
}

export function finishPrepare(runId: string, events: readonly EventRow[]): CoreCommand {
  const reservations = events.map(({ topic, messageId, revision }) => {
    return { topic, messageId, revision };
  });
  const prepareResult = bytesOf({ count: events.length });
  // Cut to the head: the run has looked at all there is.
  const asOf = Number.MAX_SAFE_INTEGER;
  const unset = { asOf, selectionId: null, uiTitle: null, trigger: null, wakeAt: null };
  return { kind: "finish_prepare", runId, reservations, prepareResult, ...unset };
}

export function recordMutation(runId: string, workflow: string): CoreCommand {
  return {
    kind: "record_mutation",
    runId,
    connector: "post",
    connection: "post",
    connectorVersion: "1",
    operation: "deliver",
    target: workflow,
    identity: bytesOf({ to: workflow }),
    payload: bytesOf({ to: workflow, what: "parcel" }),
    canReconcile: true,
    retentionMs: null,
    // Whoever looks into the file sees at once what was written before.
    visibilityDelayMs: 0,
    timeoutMs: 1_000,
    verdict,
    amount: null,
    ask: null,
  };
}

export function settleApplied(mutationId: string): CoreCommand {
  const outcome = { says: "applied", result: bytesOf({ answer: "yes" }) } as const;
  return { kind: "settle_mutation", mutationId, outcome };
}

export function commitDelivery(runId: string): CoreCommand {
  const unset = { state: null, nextRunAt: null, kv: [], deliveries: [] };
  return { kind: "commit_run", runId, inputs: [], publishes: [], ...unset };
}

/** Of so many orders one is too big for its fact. */
const bigEvery = 4;

/** One new order, known by the head it was found at. */
export function commitCollection(view: View, runId: string, nextRunAt: Instant): CoreCommand {
  const { workflow, head } = view;
  const input = { source: "mail", type: "order", externalId: `${head.seq}`, title: "An order" };
  const text = head.seq % bigEvery === 0 ? workflow.repeat(payloadInlineBytesMax) : workflow;
  const order = {
    topic: ordersTopic,
    messageId: `order-${head.seq}`,
    payload: bytesOf({ text }),
    title: null,
    inputId: inputIdOf(input),
  };
  const kept = { state: bytesOf({ seen: head.seq }), kv: [], deliveries: [] };
  return { kind: "commit_run", runId, inputs: [input], publishes: [order], nextRunAt, ...kept };
}
