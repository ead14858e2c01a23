import { type CanonicalValue, contentHash } from "../canonical/index.ts";
import type { View } from "../view/view.ts";
import type { HandlerDeclaration, TopicDeclaration } from "./workflow-facts.ts";

type ComparedHandler = Pick<
  HandlerDeclaration,
  "name" | "kind" | "subscribe" | "publishes" | "catchUp" | "webhook" | "start" | "forms"
>;
type ComparedTopic = Pick<TopicDeclaration, "name" | "observed" | "schema">;

/** What a version says about itself, as far as it can be compared. */
export type Declared = {
  readonly topics: readonly ComparedTopic[];
  readonly handlers: readonly ComparedHandler[];
  readonly connections: readonly string[];
};

export type Difference = {
  readonly what:
    | "topic"
    | "handler"
    | "schedule"
    | "subscription"
    | "publishing"
    | "identity"
    | "connection";
  /** Of the topic, handler or connection. */
  readonly name: string;
  /** In words, to stand after "but". */
  readonly note: string;
};

export function declaredIn(view: View): Declared {
  return {
    topics: [...view.rows("topics")].filter(({ declared }) => declared),
    handlers: [...view.rows("handlers")].filter(({ declared }) => declared),
    connections: view.find("workflows")?.connections ?? [],
  };
}

/**
 * What two versions declare differently, and what their code makes ids of. Not in it, because it
 * stands in code that only runs: what belongs into one reservation.
 */
export function differencesOf(before: Declared, after: Declared): Difference[] {
  return [
    ...pairs(before.topics, after.topics).flatMap(topicDifferences),
    ...pairs(before.handlers, after.handlers).flatMap(handlerDifferences),
    ...connectionDifferences(before.connections, after.connections),
  ];
}

type Pair<T> = { readonly name: string; readonly was: T | null; readonly is: T | null };

function pairs<T extends { readonly name: string }>(
  before: readonly T[],
  after: readonly T[],
): Pair<T>[] {
  const find = (list: readonly T[], name: string) => list.find((each) => each.name === name);
  const names = new Set([...before, ...after].map(({ name }) => name));
  return [...names].sort().map((name) => {
    return { name, was: find(before, name) ?? null, is: find(after, name) ?? null };
  });
}

function topicDifferences({ name, was, is }: Pair<ComparedTopic>): Difference[] {
  const topic = (note: string): Difference[] => [{ what: "topic", name, note }];
  if (was === null) return topic(`topic ${name} is new`);
  if (is === null) return topic(`topic ${name} is gone`);
  return [
    ...(was.observed === is.observed ? [] : topic(`topic ${name} is observed or no longer so`)),
    ...(isSame(was.schema, is.schema) ? [] : topic(`topic ${name} has another schema`)),
  ];
}

function handlerDifferences({ name, was, is }: Pair<ComparedHandler>): Difference[] {
  if (was === null) return [{ what: "handler", name, note: `handler ${name} is new` }];
  if (is === null) return [{ what: "handler", name, note: `handler ${name} is gone` }];
  const found: Difference[] = [];
  if (was.kind !== is.kind) {
    found.push({ what: "handler", name, note: `${name} is a ${is.kind}, not a ${was.kind}` });
  }
  if (was.start !== is.start || was.webhook !== is.webhook || was.catchUp !== is.catchUp) {
    found.push({ what: "schedule", name, note: `${name} is started otherwise` });
  }
  if (!isSame(sorted(was.subscribe), sorted(is.subscribe))) {
    found.push({ what: "subscription", name, note: `${name} subscribes to other topics` });
  }
  if (!isSame(sorted(was.publishes), sorted(is.publishes))) {
    found.push({ what: "publishing", name, note: `${name} publishes to other topics` });
  }
  return [...found, ...identityDifferences(name, was.forms ?? null, is.forms ?? null)];
}

/**
 * Whatever is known by another id is a new thing, and done once more. Where one side is not known
 * nothing is said: it was written down before forms were.
 */
function identityDifferences(name: string, was: Forms, is: Forms): Difference[] {
  if (was === null || is === null) return [];
  const isSameReader = isSame(was.filter(isReading), is.filter(isReading));
  const groups = isSameReader ? [itemGroup, messageGroup] : [itemGroup];
  return groups.flatMap(({ words, holds }) => {
    const [before, after] = [was.filter(holds), is.filter(holds)];
    if (isSame(before, after)) return [];
    const note = `${name} makes other ${words} (${shownForms(before, after)})`;
    return [{ what: "identity" as const, name, note }];
  });
}

type Forms = readonly string[] | null;

/** Said by the reader of the code about itself; the oldest one said nothing. */
const isReading = (form: string) => form.startsWith("reading ");
const isOfItem = (form: string) => form.startsWith("item ") || form.startsWith("subkey ");

const itemGroup = { words: "item ids or subkeys", holds: isOfItem };
/** The oldest reader did not look for these. */
const messageGroup = {
  words: "message ids or inputs",
  holds: (form: string) => !isOfItem(form) && !isReading(form),
};

function shownForms(was: readonly string[], is: readonly string[]): string {
  const gone = was.filter((form) => !is.includes(form));
  const added = is.filter((form) => !was.includes(form));
  return [...gone.map((form) => `no ${form}`), ...added.map((form) => `now ${form}`)].join(", ");
}

function connectionDifferences(before: readonly string[], after: readonly string[]): Difference[] {
  const missing = (from: readonly string[], list: readonly string[]) =>
    sorted(list).filter((name) => !from.includes(name));
  const difference = (name: string, note: string): Difference => {
    return { what: "connection", name, note };
  };
  return [
    ...missing(before, after).map((name) => difference(name, `${name} is used now`)),
    ...missing(after, before).map((name) => difference(name, `${name} is no longer used`)),
  ];
}

function sorted(list: readonly string[]): string[];
function sorted(list: readonly string[] | null): string[] | null;
function sorted(list: readonly string[] | null): string[] | null {
  return list && [...new Set(list)].sort();
}

function isSame(a: unknown, b: unknown): boolean {
  return contentHash(a as CanonicalValue) === contentHash(b as CanonicalValue);
}
