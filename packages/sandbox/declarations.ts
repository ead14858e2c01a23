import type { ActivateVersion } from "@holdfast/core";
import type { Manifest, Start } from "./manifest/manifest.ts";

/** What a version of a workflow declares, as the core wants to know it. */
export function declarationsOf({
  topics,
  producers,
  consumers,
  jobs,
}: Manifest): Pick<ActivateVersion, "topics" | "handlers"> {
  const subscribers = [
    ...consumers.map(({ name, subscribe }) => ({ name, subscribe })),
    ...jobs.map(({ name, start }) => ({ name, subscribe: subscribedBy(start) })),
  ];
  return {
    topics: topics.map(({ name, observed, schema }) => ({
      name,
      observed,
      schema,
      subscriber: subscribers.find(({ subscribe }) => subscribe.includes(name))?.name ?? null,
    })),
    handlers: [
      ...producers.map(({ name, publishes, start }) => ({
        ...clocked(start),
        name,
        kind: "producer" as const,
        subscribe: [],
        publishes,
      })),
      ...consumers.map(({ name, subscribe, publishes, onMutationFailed }) => ({
        name,
        kind: "consumer" as const,
        subscribe,
        publishes,
        onMutationFailed,
        catchUp: "once" as const,
        webhook: false,
        scheduled: false,
      })),
      ...jobs.map(({ name, publishes, start }) => ({
        ...clocked(start),
        name,
        kind: "job" as const,
        subscribe: subscribedBy(start),
        publishes,
      })),
    ],
  };
}

function subscribedBy(start: Start): readonly string[] {
  return start.kind === "topics" ? start.subscribe : [];
}

function clocked(start: Start) {
  const scheduled = start.kind === "interval" || start.kind === "cron";
  const catchUp = scheduled ? start.catchUp : "once";
  const webhook = start.kind === "webhook";
  return { scheduled, catchUp, webhook, onMutationFailed: "prepare" } as const;
}
