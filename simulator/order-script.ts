import type {
  GuestCall,
  HostedHandler,
  HostedScript,
  JsonText,
  PhaseCall,
  PhaseOutcome,
  PhaseRecord,
  RunOptions,
} from "@holdfast/core";

/** Ends a phase because the host stopped one of its calls. */
class Stopped extends Error {
  readonly reason: unknown;

  constructor(reason: unknown) {
    super("stopped");
    this.reason = reason;
  }
}

type Event = { readonly messageId: string; readonly payload: { readonly id: string } };

const common = { mutateReads: "none", publishes: ["booked", "orders"] } as const;

const handlers: readonly HostedHandler[] = [
  {
    ...common,
    name: "poll",
    kind: "producer",
    subscribe: [],
    hasMutate: false,
    hasNext: false,
    nextRunAt: (after) => after + 60_000,
  },
  {
    ...common,
    name: "book",
    kind: "consumer",
    subscribe: ["orders"],
    hasMutate: true,
    hasNext: true,
    nextRunAt: () => null,
  },
];

/**
 * Polls orders and books them one by one, as a script would, but as a function of this process:
 * the simulator is about the host, and a sandbox has no place in virtual time.
 */
export const orderScript: HostedScript = {
  handlers: new Map(handlers.map((handler) => [handler.name, handler])),
  connections: { shop: { list: "read:list", book: "mutation" } },
  run: (call, options) => runPhase(call, options),
  runConsumer: async ({ prepare, mutate }, options) => {
    const first = await runPhase(prepare, options);
    const value = first.result.kind === "returned" ? first.result.value : null;
    const { reservations = [] } = JSON.parse(value ?? "{}") as { reservations?: unknown[] };
    if (value === null || reservations.length === 0) return { prepare: first, mutate: null };
    const given = { prepared: value };
    return { prepare: first, mutate: await runPhase({ ...mutate, given }, options) };
  },
};

/** The same orders, each an item of a job with three bookings. */
export const itemScript: HostedScript = {
  ...orderScript,
  handlers: new Map(
    handlers.map((handler) => {
      const job = { ...handler, kind: "job", hasMutate: false, hasNext: false } as const;
      return [handler.name, handler.name === "book" ? job : handler];
    }),
  ),
};

/** What an item books for an order. */
export function bookingsOf(id: string): readonly string[] {
  return ["a", "b", "c"].map((part) => `${id}/${part}`);
}

/** What every phase takes, so that there is something to be told, kept and verified. */
const activeMs = 7;

async function runPhase(call: PhaseCall, options: RunOptions): Promise<PhaseOutcome> {
  const record: PhaseRecord = { logs: [], inputs: [], publications: [], kvWrites: [] };
  let callId = 0;
  const ask = async (name: string, kind: GuestCall["kind"], params: unknown) => {
    const asked = { callId: ++callId, name, kind, params: JSON.stringify(params) };
    const answer = await options.perform(asked, activeMs);
    if (answer.kind === "stop") throw new Stopped(answer.reason);
    return JSON.parse(answer.value ?? "null") as unknown;
  };
  const publish = (topic: string, id: string) =>
    record.publications.push({
      topic,
      messageId: id,
      inputId: null,
      title: null,
      payload: JSON.stringify({ id }),
    });
  try {
    return {
      result: (await phases[call.handler + call.phase]?.({ call, ask, publish })) ?? none,
      record,
      trace: [],
      activeMs,
    };
  } catch (error) {
    if (!(error instanceof Stopped)) throw error;
    return { result: { kind: "stopped", reason: error.reason }, record, trace: [], activeMs };
  }
}

type Parts = {
  readonly call: PhaseCall;
  readonly ask: (name: string, kind: GuestCall["kind"], params: unknown) => Promise<unknown>;
  readonly publish: (topic: string, id: string) => void;
};

const returned = (value: unknown): PhaseOutcome["result"] => ({
  kind: "returned",
  value: value === undefined ? null : JSON.stringify(value),
});
const none = returned(undefined);

const phases: Readonly<Record<string, (parts: Parts) => Promise<PhaseOutcome["result"]>>> = {
  pollproducer: async ({ ask, publish }) => {
    const orders = (await ask("shop.list", "read:list", {})) as { readonly id: string }[];
    for (const { id } of orders) publish("orders", id);
    return returned({ seen: orders.length });
  },
  bookprepare: async ({ ask }) => {
    const events = (await ask("ctx.peek", "context", ["orders", { limit: 1 }])) as Event[];
    const ids = events.map(({ messageId }) => messageId);
    return returned({ reservations: [{ topic: "orders", ids }], data: { id: ids[0] ?? null } });
  },
  bookmutate: async ({ call }) => {
    const { data } = JSON.parse(call.given.prepared ?? "{}") as { data: { id: string } };
    const params: JsonText = JSON.stringify({ id: data.id });
    return { kind: "mutation", call: { connection: "shop", operation: "book", params } };
  },
  bookjob: async ({ call, ask }) => {
    const { event } = JSON.parse(call.trigger ?? "{}") as { readonly event?: Event };
    if (event === undefined) return none;
    const { messageId } = event;
    const named = [`order:${messageId}`, `Order ${messageId}`];
    const { isDone } = (await ask("ctx.withItem", "context", named)) as { isDone: boolean };
    for (const id of isDone ? [] : bookingsOf(messageId)) {
      await ask("shop.book", "mutation", { id });
    }
    await ask("ctx.itemDone", "context", []);
    return none;
  },
  booknext: async ({ call, publish }) => {
    const { data } = JSON.parse(call.given.prepared ?? "{}") as { data: { id: string } };
    const { status } = JSON.parse(call.given.mutationResult ?? "{}") as { status: string };
    if (status === "applied") publish("booked", data.id);
    return none;
  },
};
