import {
  type CoreCommand,
  encodeCanonical,
  type Instant,
  inputIdOf,
  invariant,
  policyDefaults,
  type Store,
} from "@holdfast/core";
import { type DescribedCall, type Executed, WorkflowOwner } from "@holdfast/host";

export const topic = "order.received";
const [poll, book] = ["poll", "book"] as const;

/** Any instant will do: nothing here waits. */
export const startOfTime = Date.UTC(2026, 0, 1);
const oneMinuteMs = 60_000;

/** Nothing is judged here: no grants are in force. */
const verdict = { envelope: 0, grant: 0, says: "allow" } as const;

const activate: CoreCommand = {
  kind: "activate_version",
  major: 1,
  minor: 0,
  scriptHash: "sha256:bench",
  script: null,
  connections: [],
  grants: null,
  progress: "keep",
  topics: [{ name: topic, subscriber: book, observed: false, schema: null }],
  handlers: [
    {
      name: poll,
      kind: "producer",
      subscribe: [],
      publishes: [topic],
      onMutationFailed: "prepare",
      catchUp: "once",
      webhook: false,
      start: "manual",
      scheduled: false,
    },
    {
      name: book,
      kind: "consumer",
      subscribe: [topic],
      publishes: [],
      onMutationFailed: "prepare",
      catchUp: "once",
      webhook: false,
      start: "manual",
      scheduled: false,
    },
  ],
  actor: "bench",
};

/** About as long as a small order. */
export function orderPayload(no: number): Uint8Array {
  const lines = [{ sku: `sku-${no % 977}`, qty: 1 + (no % 7), cents: 1_995 }];
  return encodeCanonical({ order: no, customer: `customer-${no % 4_999}`, lines, express: false });
}

type CommitRun = Pick<
  Extract<CoreCommand, { kind: "commit_run" }>,
  "inputs" | "publishes" | "nextRunAt"
>;

/** One workflow with a producer and a consumer, moved only through its owner, as a host would. */
export class BenchWorkflow {
  readonly owner: WorkflowOwner;
  /** Of the open run; null = none is open. */
  #runId: string | null = null;
  #mutationId: string | null = null;
  #publishedCount = 0;

  private constructor(owner: WorkflowOwner) {
    this.owner = owner;
  }

  static async create(
    store: Store,
    workflow: string,
    version: CoreCommand = activate,
  ): Promise<BenchWorkflow> {
    await store.createWorkflow(workflow);
    const { epoch } = await store.load(workflow, []);
    const created = new BenchWorkflow(new WorkflowOwner(store, { workflow, epoch }));
    await created.#must([{ kind: "create_workflow", name: workflow }, version]);
    return created;
  }

  /** Publishes one event and brings a consumer run to where its mutation may be on the wire. */
  async sendMutation(): Promise<void> {
    await this.prepareOrder();
    await this.recordAndSend(someCall);
  }

  /** A consumer run that has prepared one order, and not called anybody yet. */
  async prepareOrder(): Promise<void> {
    const no = ++this.#publishedCount;
    const messageId = `order-${no}`;
    const payload = orderPayload(no);
    const publish = { kind: "publish_event", topic, messageId, payload, title: null } as const;
    const runId = await this.#start(book, [...this.#commitRun(), { ...publish, actor: "bench" }]);
    await this.#must([this.#prepare(runId, [messageId])]);
  }

  /** A producer run whose script was wrong: a person is asked. */
  async failRun(): Promise<void> {
    const runId = await this.#start(poll, this.#commitRun());
    const failure = { class: "logic", message: "it is wrong", location: "poll handler" } as const;
    await this.#must([{ kind: "fail_run", runId, failure }]);
  }

  /** One change, as a host makes it: recorded, and allowed to be sent. */
  async recordAndSend(call: Omit<DescribedCall, "preview">): Promise<void> {
    const runId = this.#runId;
    invariant(runId !== null, "an order is prepared");
    const identity = encodeCanonical({ order: this.#publishedCount });
    const judged = { ...call, identity, verdict, amount: null, ask: null };
    await this.#must([
      { ...judged, kind: "record_mutation", runId, connection: "shop", operation: "post" },
      (view) => {
        const { mutationId } = view.load("runs", runId);
        invariant(mutationId !== null, "a recorded mutation is the run's");
        this.#mutationId = mutationId;
        return {
          kind: "send_mutation",
          mutationId,
          incarnation: "bench",
          epoch: this.owner.epoch,
          sendBy: startOfTime + oneMinuteMs,
          timeoutMs: oneMinuteMs,
          verdict,
        };
      },
    ]);
  }

  /** The answer was lost, and so was that to the first question: it is asked again later. */
  async loseAnswer(now: Instant): Promise<void> {
    const mutationId = this.#mutationId;
    invariant(mutationId !== null, "a mutation is on the wire");
    const outcome = { says: "unknown", note: "lost" } as const;
    await this.#must([{ kind: "settle_mutation", mutationId, outcome }], now);
    await this.#must([reconcileLater(mutationId)], now);
  }

  /** The change that the bench is about: the service has answered, the run may go on. */
  async settleApplied(): Promise<void> {
    const mutationId = this.#mutationId;
    invariant(mutationId !== null, "a mutation is on the wire");
    const result = encodeCanonical({ id: mutationId, status: "booked" });
    const outcome = { says: "applied", result } as const;
    await this.#must([{ kind: "settle_mutation", mutationId, outcome }]);
  }

  /** One producer run with that many events, in one change with the start of the run after it. */
  async publish(count: number): Promise<void> {
    const runId = await this.#start(poll, this.#commitRun());
    const externalId = `poll-${runId}`;
    const input = { source: "bench", type: "poll", externalId, title: externalId };
    const inputId = inputIdOf(input);
    const publishes = Array.from({ length: count }, () => {
      const no = ++this.#publishedCount;
      const title = `Order ${no}`;
      return { topic, messageId: `order-${no}`, payload: orderPayload(no), title, inputId };
    });
    await this.#must(this.#commitRun({ inputs: [input], publishes }));
  }

  /** One consumer run that reserves these and needs no outside change. */
  async consume(messageIds: readonly string[]): Promise<void> {
    const runId = await this.#start(book, this.#commitRun());
    await this.#must([this.#prepare(runId, messageIds), { kind: "finish_mutate", runId }]);
    await this.#must(this.#commitRun());
  }

  /** A producer run that finds nothing and asks to be run again then. */
  async sleepUntil(at: Instant): Promise<void> {
    await this.#start(poll, this.#commitRun());
    await this.#must(this.#commitRun({ nextRunAt: at }));
  }

  async #start(handler: string, before: readonly CoreCommand[]): Promise<string> {
    // asOf is cut to the head: the run has looked at all there is.
    const start = { kind: "start_run", handler, asOf: Number.MAX_SAFE_INTEGER } as const;
    const { actions } = await this.#must([...before, { ...start, trigger: null }]);
    const started = actions.find((action) => action.kind === "run_phase");
    invariant(started?.kind === "run_phase", "a started run is ordered to run");
    this.#runId = started.runId;
    return started.runId;
  }

  #prepare(runId: string, messageIds: readonly string[]): CoreCommand {
    const reservations = messageIds.map((messageId) => ({ topic, messageId, revision: null }));
    const prepareResult = encodeCanonical({ orders: messageIds.length });
    const asOf = Number.MAX_SAFE_INTEGER;
    const rest = { asOf, selectionId: null, uiTitle: null, trigger: null, wakeAt: null };
    return { kind: "finish_prepare", runId, reservations, prepareResult, ...rest };
  }

  /** Nothing when no run is open. */
  #commitRun(given: Partial<CommitRun> = {}): CoreCommand[] {
    const runId = this.#runId;
    if (runId === null) return [];
    this.#runId = null;
    const nothing = {
      inputs: [],
      publishes: [],
      state: null,
      nextRunAt: null,
      kv: [],
      deliveries: [],
    };
    return [{ kind: "commit_run", runId, ...nothing, ...given }];
  }

  async #must(
    commands: readonly (CoreCommand | LateCommand)[],
    now = startOfTime,
  ): Promise<Extract<Executed, { kind: "done" }>> {
    const executed = await this.owner.execute(commands, now);
    if (executed.kind === "done") return executed;
    const kinds = commands.map((each) => ("kind" in each ? each.kind : "late"));
    throw new Error(`${kinds}: ${JSON.stringify(executed)}`);
  }
}

type LateCommand = Exclude<Parameters<WorkflowOwner["execute"]>[0][number], CoreCommand>;

/** The service was asked, and could not say. */
export function reconcileLater(mutationId: string): CoreCommand {
  const answer = { says: "retry", note: "come back" } as const;
  return { kind: "answer_reconcile", mutationId, answer, jitter: 0 };
}

const someCall: DescribedCall = {
  connector: "http",
  connectorVersion: "1",
  target: "https://shop.example/orders",
  identity: encodeCanonical(null),
  payload: orderPayload(0),
  canReconcile: true,
  retentionMs: null,
  visibilityDelayMs: null,
  timeoutMs: 1_000,
  preview: "post an order",
};

export const eventsPerBatchMax = Math.min(
  policyDefaults.eventsPerCommitMax,
  policyDefaults.reservationsMax,
);
