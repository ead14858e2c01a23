import { grantsForAll } from "@holdfast/host/testing";
import { askingGrants } from "./asked-calls.ts";
import { machineActivation } from "./order-machine.ts";

/** Who works the orders off. */
export type Worker = "consumer" | "job" | "machine";

const handler = {
  onMutationFailed: "prepare",
  catchUp: "once",
  webhook: false,
  start: "manual",
} as const;

/** A job is started by the events that a consumer would look for. */
export function activationFor(worker: Worker): object {
  if (worker === "machine") {
    const handlers = activation.handlers.filter(({ name }) => name === "poll");
    return { ...activation, handlers, ...machineActivation };
  }
  const handlers = activation.handlers.map((each) =>
    each.name === "book" ? { ...each, kind: worker } : each,
  );
  // Nobody is asked about the calls of items here: that a replay finds them is what is tried.
  const plain = grantsForAll({ shop: { book: "mutation", list: "read:list" } });
  return { ...activation, handlers, ...(worker === "job" ? { grants: plain } : {}) };
}

const activation = {
  major: 1,
  minor: 0,
  scriptHash: "orders",
  script: null,
  connections: [],
  grants: askingGrants(),
  progress: "keep",
  topics: [
    { name: "orders", subscriber: "book", observed: false, schema: null },
    { name: "booked", subscriber: null, observed: true, schema: null },
  ],
  handlers: [
    {
      ...handler,
      name: "poll",
      kind: "producer",
      subscribe: [],
      publishes: ["orders"],
      scheduled: true,
    },
    {
      ...handler,
      name: "book",
      kind: "consumer",
      subscribe: ["orders"],
      publishes: ["booked"],
      scheduled: false,
    },
  ],
};
