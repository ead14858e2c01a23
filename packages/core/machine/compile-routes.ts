import type { NamedSchemas, Schema } from "../canonical/index.ts";
import type { Problems } from "./compile-set.ts";
import type { SetDeclaration, SubscriptionDeclaration } from "./declaration.ts";
import { isOwnSchema } from "./event-shape.ts";
import { followRef, parseKeyPath, sameSchema, typeAtPath } from "./key-path.ts";
import type { CompiledMachine, CompiledTopic, Route } from "./machine-set.ts";
import { machineName } from "./names.ts";

type Known = {
  readonly machines: ReadonlyMap<string, CompiledMachine>;
  readonly topics: ReadonlyMap<string, CompiledTopic>;
  readonly names: NamedSchemas;
  readonly problems: Problems;
};

/** Who gets the events of each topic, in the order of the source. */
export function compileRoutes(
  { workflow, machines, topics }: SetDeclaration,
  known: Known,
): ReadonlyMap<string, readonly Route[]> {
  const routes = new Map<string, Route[]>();
  const declared = new Set(topics.map(({ name }) => name));
  for (const { name, version, subscribe } of machines) {
    const machine = known.machines.get(machineName({ workflow, machine: name, version }));
    if (machine === undefined) continue;
    for (const subscription of subscribe) {
      const { topic } = subscription;
      const found = known.topics.get(topic);
      if (found === undefined) {
        const code = declared.has(topic) ? "topic_without_schema" : "topic_unknown";
        known.problems.add(code, machine.name, topic);
        continue;
      }
      for (const [from, route] of routesOf(machine, subscription, found.schema, known)) {
        const others = routes.get(from) ?? [];
        // A whole family and one of its arms: the same event would come twice.
        if (others.some((other) => other.machine === machine)) {
          known.problems.add("subscription_twice", machine.name, from);
        }
        routes.set(from, [...others, route]);
      }
    }
  }
  return routes;
}

/** One subscription leads to several topics when its own is a family of theirs. */
function routesOf(
  machine: CompiledMachine,
  subscription: SubscriptionDeclaration,
  schema: Schema,
  known: Known,
): [topic: string, route: Route][] {
  const { topic } = subscription;
  const keyPath = checkKey(machine, subscription, schema, known);
  const own = { machine, keyPath };
  if (!isOwnSchema(machine.event, topic, schema)) {
    if (machine.event.tags.has(topic)) {
      return [[topic, { ...own, wrapAs: topic, keyInWrapped: false }]];
    }
    known.problems.add("subscription_unfit", machine.name, topic);
    return [];
  }
  const family = [...machine.event.tags.keys()].filter((name) => known.topics.has(name));
  return [
    [topic, { ...own, wrapAs: null, keyInWrapped: false }],
    ...family.map((name): [string, Route] => [name, { ...own, wrapAs: name, keyInWrapped: true }]),
  ];
}

function checkKey(
  machine: CompiledMachine,
  { topic, key }: SubscriptionDeclaration,
  schema: Schema,
  { names, problems }: Known,
): readonly string[] | null {
  if (machine.key === null || key === null) {
    if (machine.key !== null) problems.add("key_missing", machine.name, topic);
    if (key !== null) problems.add("key_unexpected", machine.name, `${topic}: ${key}`);
    return null;
  }
  const path = parseKeyPath(key);
  const found = path === null ? null : typeAtPath(schema, path, names);
  const wanted = followRef(machine.key.schema, names);
  if (found === null || wanted === null || !sameSchema(found, wanted)) {
    problems.add("key_type", machine.name, `${topic}: ${key}`);
  }
  return path;
}
