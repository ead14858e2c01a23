import { literalText, propertyOf, unwrap } from "../../compile/tree/plain-expression.ts";
import { type Node, walk } from "../../compile/tree/syntax-node.ts";
import type { Problem } from "../problem.ts";
import type { Handler } from "../reading/handlers.ts";
import type { Use } from "../reading/use.ts";
import { type Check, type CheckContext, problemIn, problemOf } from "./check-context.ts";

/** R3, R16, R145: every topic is declared, and used only by those who say so. */
export const topicNames: Check = (context) => {
  const topics = new Set(context.manifest.topics.map(({ name }) => name));
  const named = namesInDefinition(context).flatMap(({ path, topic }) => {
    if (topics.has(topic)) return [];
    return [problemOf(context, path, "undeclared_topic", undeclared(topic))];
  });
  const used = context.handlers.flatMap((handler) => [
    ...handler.uses.all.flatMap((use) => checkUse(handler, use, topics)),
    ...checkReservations(handler, topics),
  ]);
  return [...named, ...used];
};

function namesInDefinition({ manifest }: CheckContext) {
  const listed = (path: readonly string[], names: readonly string[] | null) =>
    (names ?? []).map((topic, at) => ({ path: [...path, String(at)], topic }));
  return [
    ...manifest.producers.flatMap(({ name, publishes }) =>
      listed(["producers", name, "publishes"], publishes),
    ),
    ...manifest.consumers.flatMap(({ name, publishes, subscribe }) => [
      ...listed(["consumers", name, "subscribe"], subscribe),
      ...listed(["consumers", name, "publishes"], publishes),
    ]),
    ...manifest.jobs.flatMap(({ name, publishes, start }) => [
      ...listed(["jobs", name, "subscribe"], start.kind === "topics" ? start.subscribe : []),
      ...listed(["jobs", name, "publishes"], publishes),
    ]),
    ...manifest.machines.flatMap(({ name, subscribe }) =>
      subscribe.map(({ topic }, at) => {
        return { path: ["machines", name, "subscribe", String(at), "topic"], topic };
      }),
    ),
  ];
}

function checkUse(handler: Handler, use: Use, topics: ReadonlySet<string>): Problem[] {
  const argument = use.operation === null ? use.call?.arguments[0] : undefined;
  const topic = literalText(argument);
  if (!argument || topic === null) return [];
  if (use.member === "publish") {
    if (!topics.has(topic)) {
      return [problemIn(use.file, argument, "undeclared_topic", undeclared(topic))];
    }
    if (handler.publishes === null || handler.publishes.includes(topic)) return [];
    const cause = `\`publishes\` of ${handler.name} does not name "${topic}".`;
    return [problemIn(use.file, argument, "topic_not_in_publishes", cause)];
  }
  if (use.member !== "peek" && use.member !== "getByIds") return [];
  return checkSubscribed(handler, { node: argument, file: use.file, topic }, topics);
}

function checkSubscribed(
  handler: Handler,
  { node, file, topic }: { node: Node; file: Use["file"]; topic: string },
  topics: ReadonlySet<string>,
): Problem[] {
  if (!topics.has(topic)) return [problemIn(file, node, "undeclared_topic", undeclared(topic))];
  if (handler.phase !== "prepare" || handler.subscribe.includes(topic)) return [];
  const cause = `${handler.name} does not subscribe to "${topic}".`;
  return [problemIn(file, node, "topic_not_subscribed", cause)];
}

/** `reservations: [{ topic: "order.received", ids }]` written out in `prepare`. */
function checkReservations(handler: Handler, topics: ReadonlySet<string>): Problem[] {
  if (handler.phase !== "prepare") return [];
  const problems: Problem[] = [];
  walk(handler.code.node, (node) => {
    const reservations = propertyOf(node, "reservations");
    if (reservations?.type !== "Property") return true;
    const list = unwrap(reservations.value);
    if (list.type !== "ArrayExpression") return true;
    for (const element of list.elements) {
      const property = element && propertyOf(unwrap(element), "topic");
      const topic = property?.type === "Property" ? literalText(property.value) : null;
      if (property?.type !== "Property" || topic === null) continue;
      const at = { node: property.value, file: handler.code.file, topic };
      problems.push(...checkSubscribed(handler, at, topics));
    }
    return true;
  });
  return problems;
}

function undeclared(topic: string): string {
  return `The topic ${JSON.stringify(topic.slice(0, 80))} is not declared in \`topics\`.`;
}
