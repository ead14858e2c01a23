import {
  type CoreCommand,
  encodeCanonical,
  inputIdOf,
  payloadInlineBytesMax,
  type View,
} from "@holdfast/core";

/** What a host asks of the core in a life, as commands. */

export const ordersTopic = "orders";
export const reportTopic = "reports";

export function startRun(view: View, handler: string): CoreCommand {
  return { kind: "start_run", handler, asOf: view.head.seq, trigger: null };
}

type Wanted = Extract<CoreCommand, { kind: "finish_prepare" }>["reservations"];

export function finishPrepare(runId: string, reservations: Wanted): CoreCommand {
  const prepareResult = bytesOf({ count: reservations.length });
  // Cut to the head: the run has looked at all there is.
  const asOf = Number.MAX_SAFE_INTEGER;
  const unset = { asOf, selectionId: null, uiTitle: null, trigger: null, wakeAt: null };
  return { kind: "finish_prepare", runId, reservations, prepareResult, ...unset };
}

/** `reportOf` null = there was nothing to do, so there is nothing to report. */
export function commitRun(runId: string, reportOf: number | null = null): CoreCommand {
  const report = {
    topic: reportTopic,
    messageId: `after-${reportOf}`,
    payload: bytesOf({ runId }),
    title: null,
    inputId: null,
  };
  const publishes = reportOf === null ? [] : [report];
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

/** The producer's only run: two events of one input, one of them too big for its fact. */
export function collect(workflow: string, runId: string): CoreCommand {
  const input = { source: "mail", type: "order", externalId: workflow, title: "An order" };
  const inputId = inputIdOf(input);
  const payloads = [{ text: "short" }, { text: workflow.repeat(payloadInlineBytesMax) }];
  return {
    kind: "commit_run",
    runId,
    inputs: [input],
    publishes: payloads.map((payload, index) => ({
      topic: ordersTopic,
      messageId: `collected-${index}`,
      payload: bytesOf(payload),
      title: null,
      inputId,
    })),
    state: bytesOf({ seen: payloads.length }),
    nextRunAt: null,
    kv: [{ key: "last", value: bytesOf(inputId) }],
    deliveries: [],
  };
}

export function bytesOf(value: Parameters<typeof encodeCanonical>[0]): Uint8Array {
  return encodeCanonical(value);
}
