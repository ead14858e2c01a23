import type { CanonicalValue, HostedHandler, HostedScript, PhaseOutcome } from "@holdfast/core";

const book: HostedHandler = {
  name: "book",
  kind: "consumer",
  subscribe: ["orders"],
  publishes: [],
  hasMutate: true,
  hasNext: false,
  mutateReads: "none",
  nextRunAt: () => null,
};

type Event = { readonly messageId: string; readonly payload: CanonicalValue };

/** What every call says of itself: which versions made it, and who edited it on the way. */
export type BookedParams = {
  readonly sum: number;
  readonly to: string;
  readonly preparedBy: string;
  readonly madeBy: string;
  readonly editedBy: readonly string[];
};

/** Books every event as it is, one by one; `scale` is what a script does to the sum by then. */
export function bookingScript(madeBy: string, scale: () => number): HostedScript {
  const ended = (result: PhaseOutcome["result"]): PhaseOutcome => {
    return {
      result,
      record: { logs: [], inputs: [], publications: [], kvWrites: [] },
      trace: [],
      activeMs: 0,
    };
  };
  const returned = (value: unknown) => ended({ kind: "returned", value: JSON.stringify(value) });
  const mutate = (prepared: string): PhaseOutcome => {
    const { data } = JSON.parse(prepared) as { data: Omit<BookedParams, "madeBy" | "editedBy"> };
    const booked: BookedParams = { ...data, sum: data.sum * scale(), madeBy, editedBy: [] };
    const params = JSON.stringify(booked);
    return ended({ kind: "mutation", call: { connection: "shop", operation: "book", params } });
  };
  return {
    handlers: new Map([["book", book]]),
    connections: { shop: { book: "mutation" } },
    run: async (call) => mutate(call.given.prepared ?? ""),
    runConsumer: async ({ prepare: _ }, { perform }) => {
      const peek = {
        callId: 1,
        name: "ctx.peek",
        kind: "context",
        params: '["orders",{"limit":1}]',
      };
      const answer = await perform(peek as Parameters<typeof perform>[0], 0);
      const text = answer.kind === "value" ? (answer.value ?? "[]") : "[]";
      const [event] = JSON.parse(text) as Event[];
      if (event === undefined) return { prepare: returned({ reservations: [] }), mutate: null };
      const reservations = [{ topic: "orders", ids: [event.messageId] }];
      const prepared = { reservations, data: { ...(event.payload as object), preparedBy: madeBy } };
      return { prepare: returned(prepared), mutate: mutate(JSON.stringify(prepared)) };
    },
  };
}

/** As it is deployed. With a machine that nobody runs: only such workflows have proposals. */
export function bookingVersion(minor: number) {
  return {
    major: 1,
    minor,
    scriptHash: `v${minor}`,
    script: null,
    connections: [],
    grants: null,
    progress: "keep",
    machines: true,
    definitions: ["orders/order@1 a"],
    topics: [{ name: "orders", subscriber: "book", observed: false, schema: null }],
    handlers: [
      {
        name: "book",
        kind: "consumer",
        subscribe: ["orders"],
        publishes: [],
        onMutationFailed: minor % 2 === 0 ? "replay" : "prepare",
        catchUp: "once",
        webhook: false,
        start: "manual",
        scheduled: false,
      },
    ],
  };
}
