import type { ActivateVersion } from "@holdfast/core";
import { definitionsOf } from "@holdfast/core/machine";
import type { Manifest, Start } from "./manifest/manifest.ts";

/** What a version of a workflow declares, as the core wants to know it. */
export function declarationsOf({
  name: workflow,
  topics,
  producers,
  consumers,
  jobs,
  machines,
  connections,
  operations,
  forms,
}: Manifest): Pick<
  ActivateVersion,
  "topics" | "handlers" | "connections" | "machines" | "definitions"
> {
  const subscribers = [
    ...consumers.map(({ name, subscribe }) => ({ name, subscribe })),
    ...jobs.map(({ name, start }) => ({ name, subscribe: subscribedBy(start) })),
  ];
  return {
    topics: topics.map(({ name, observed, schema }) => {
      const subscriber =
        subscribers.find(({ subscribe }) => subscribe.includes(name))?.name ?? null;
      const isForMachines = machines.some(({ subscribe }) =>
        subscribe.some(({ topic }) => topic === name),
      );
      // With machines alone nobody works its events off: they have their copies from the start.
      const isSeen = observed || (isForMachines && subscriber === null);
      const forMachines = isForMachines ? { machines: true } : {};
      return { name, observed: isSeen, schema, subscriber, ...forMachines };
    }),
    ...(machines.length === 0
      ? {}
      : { machines: true, definitions: definitionsOf({ workflow, machines, topics }) }),
    handlers: handlersOf({ producers, consumers, jobs, forms }),
    connections: usedOutside(connections, operations),
  };
}

function handlersOf({
  producers,
  consumers,
  jobs,
  forms,
}: Pick<Manifest, "producers" | "consumers" | "jobs" | "forms">): ActivateVersion["handlers"] {
  const formsOf = (name: string) => forms.find(({ handler }) => handler === name)?.forms ?? null;
  return [
    ...producers.map(({ name, publishes, start }) => ({
      ...clocked(start),
      name,
      kind: "producer" as const,
      subscribe: [],
      publishes,
      forms: formsOf(name),
    })),
    ...consumers.map(({ name, subscribe, publishes, onMutationFailed }) => ({
      name,
      kind: "consumer" as const,
      subscribe,
      publishes,
      onMutationFailed,
      catchUp: "once" as const,
      webhook: false,
      start: "topics",
      scheduled: false,
      forms: formsOf(name),
    })),
    ...jobs.map(({ name, publishes, start }) => ({
      ...clocked(start),
      name,
      kind: "job" as const,
      subscribe: subscribedBy(start),
      publishes,
      forms: formsOf(name),
    })),
  ];
}

/** A connection with its account, and each operation that the script's code names. */
function usedOutside(
  connections: Manifest["connections"],
  operations: Manifest["operations"],
): readonly string[] {
  const texts = [
    ...connections.map(({ name, connector, account }) => {
      return `${name} (${connector}${account === null ? "" : ` of ${account}`})`;
    }),
    ...operations.map(({ connection, operation }) => `${connection}.${operation}`),
  ];
  return [...new Set(texts)].sort();
}

/** Equal for equal ways to be started, whatever words declared them. */
function startText(start: Start): string {
  switch (start.kind) {
    case "interval":
      return `every ${start.everyMs} ms`;
    case "cron":
      return `cron ${start.cron} in ${start.timeZone ?? "UTC"}`;
    case "webhook":
      return ["webhook", ...Object.entries(start.options).sort().flat()].join(" ");
    case "topics":
    case "manual":
      return start.kind;
  }
}

function subscribedBy(start: Start): readonly string[] {
  return start.kind === "topics" ? start.subscribe : [];
}

function clocked(start: Start) {
  const scheduled = start.kind === "interval" || start.kind === "cron";
  const catchUp = scheduled ? start.catchUp : "once";
  const webhook = start.kind === "webhook";
  const text = startText(start);
  return { scheduled, catchUp, webhook, start: text, onMutationFailed: "prepare" } as const;
}
