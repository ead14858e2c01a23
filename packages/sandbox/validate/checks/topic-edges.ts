import type { Schema } from "@holdfast/core/canonical";
import { literalText } from "../../compile/tree/plain-expression.ts";
import type { Problem } from "../problem.ts";
import { type Check, type CheckContext, problemOf } from "./check-context.ts";

type Subscriber = {
  readonly name: string;
  readonly path: readonly string[];
  readonly topic: string;
};

/** R6: one consumer or job per topic; nothing published that nobody takes. */
export const topicEdges: Check = (context) => {
  const { manifest } = context;
  const own = subscribersOf(context);
  const machines = machineSubscriptions(context);
  const taken = new Set([...own, ...machines].map(({ topic }) => topic));
  const published = publishedTopics(context);
  const topics = manifest.topics.flatMap(({ name, observed }) => {
    const path = ["topics", name];
    if (published.names.has(name) && !taken.has(name) && !observed) {
      return [problemOf(context, path, "orphan_topic", `Nobody takes the events of "${name}".`)];
    }
    if (published.names.has(name) || published.any) return [];
    const cause = `No handler publishes to "${name}".`;
    return [problemOf(context, path, "topic_never_published", cause)];
  });
  return [...topics, ...secondConsumers(context, own), ...unreachable(context, published)];
};

function subscribersOf({ manifest }: CheckContext): Subscriber[] {
  return [
    ...manifest.consumers.flatMap(({ name, subscribe }) =>
      subscribe.map((topic, at) => {
        return { name, path: ["consumers", name, "subscribe", String(at)], topic };
      }),
    ),
    ...manifest.jobs.flatMap(({ name, start }) =>
      (start.kind === "topics" ? start.subscribe : []).map((topic, at) => {
        return { name, path: ["jobs", name, "subscribe", String(at)], topic };
      }),
    ),
  ];
}

function machineSubscriptions({ manifest }: CheckContext): Subscriber[] {
  return manifest.machines.flatMap(({ name, subscribe }) =>
    subscribe.map(({ topic }, at) => {
      return { name, path: ["machines", name, "subscribe", String(at)], topic };
    }),
  );
}

function secondConsumers(context: CheckContext, subscribers: readonly Subscriber[]): Problem[] {
  const first = new Map<string, string>();
  return subscribers.flatMap(({ name, path, topic }) => {
    const other = first.get(topic);
    first.set(topic, other ?? name);
    if (other === undefined) return [];
    const cause = `The events of "${topic}" are already for ${other}.`;
    return [problemOf(context, path, "second_consumer", cause)];
  });
}

type Published = { readonly names: ReadonlySet<string>; readonly any: boolean };

/** `any` = some handler chooses its topics at run time, or its code could not be read. */
function publishedTopics({ manifest, handlers }: CheckContext): Published {
  const names = new Set<string>();
  let any = manifest.machines.length > 0;
  const declared = [...manifest.producers, ...manifest.consumers, ...manifest.jobs];
  for (const { publishes } of declared) for (const topic of publishes ?? []) names.add(topic);
  for (const { uses, publishes } of handlers) {
    for (const use of uses.all) {
      if (use.member !== "publish" || use.operation !== null) continue;
      const topic = literalText(use.call?.arguments[0]);
      if (topic !== null) names.add(topic);
      else if (publishes === null) any = true;
    }
  }
  const read = new Set(handlers.map(({ path }) => path.slice(0, 2).join("\u0000")));
  const unread = (kind: string, parts: readonly { name: string; publishes: unknown }[]): boolean =>
    parts.some((each) => each.publishes === null && !read.has(`${kind}\u0000${each.name}`));
  any ||= unread("producers", manifest.producers) || unread("jobs", manifest.jobs);
  any ||= unread("consumers", manifest.consumers);
  return { names, any };
}

function unreachable(context: CheckContext, published: Published): Problem[] {
  if (published.any) return [];
  const { consumers, jobs } = context.manifest;
  const parts = [
    ...consumers.map(({ name, subscribe }) => ({ path: ["consumers", name], subscribe })),
    ...jobs.map(({ name, start }) => {
      return { path: ["jobs", name], subscribe: start.kind === "topics" ? start.subscribe : [] };
    }),
  ];
  return parts.flatMap(({ path, subscribe }) => {
    if (subscribe.length === 0 || subscribe.some((topic) => published.names.has(topic))) return [];
    const cause = `No handler publishes to a topic of ${path[1]}.`;
    return [problemOf(context, path, "unreachable_handler", cause)];
  });
}

/** M.T-7: what a machine sees must be exact, and the same on every replay. */
export const machineTopics: Check = (context) => {
  const schemas = new Map(context.manifest.topics.map(({ name, schema }) => [name, schema]));
  return machineSubscriptions(context).flatMap(({ path, topic }) => {
    const schema = schemas.get(topic);
    if (schema === undefined || (schema !== null && !holdsJson(schema))) return [];
    const why = schema === null ? "has no schema" : "has json in its schema";
    const cause = `The topic "${topic}" ${why}, so no machine may subscribe to it.`;
    return [problemOf(context, path, "machine_topic_schema", cause)];
  });
};

function holdsJson(schema: Schema): boolean {
  switch (schema.type) {
    case "json":
      return true;
    case "list":
      return holdsJson(schema.item);
    case "option":
      return holdsJson(schema.inner);
    case "map":
      return holdsJson(schema.value);
    case "record":
      return Object.values(schema.fields).some(holdsJson);
    case "variant":
      return Object.values(schema.arms).some((arm) => arm !== null && holdsJson(arm));
    default:
      return false;
  }
}
