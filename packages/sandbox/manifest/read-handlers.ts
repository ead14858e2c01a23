import type { DefinitionReader, Path } from "./definition-reader.ts";
import type { ConsumerDeclaration, JobDeclaration, ProducerDeclaration } from "./manifest.ts";
import { type Data, type DataRecord, isFunctionMark, isList, shown } from "./plain-copy.ts";
import { readStart } from "./read-start.ts";

export function readProducer(
  reader: DefinitionReader,
  name: string,
  data: Data,
): ProducerDeclaration | null {
  const path = ["producers", name];
  if (isFunctionMark(data)) return bareFunction(reader, name, path);
  const keys = ["handler", "publishes", "schedule", "webhook", "manual"];
  const record = reader.object(data, path, keys);
  if (record === null) return null;
  reader.kind(record, path, "producer");
  needFunction(reader, record, path, "handler");
  const publishes = readPublishes(reader, record, path);
  const start = readStart(reader, record, path, ["schedule", "webhook", "manual"]);
  return start && { name, start, publishes };
}

/** The form of the first scripts: a function, and nothing about when it runs. */
function bareFunction(reader: DefinitionReader, name: string, path: Path) {
  reader.warn(path, "manual_only", `\`${path.join(".")}\` runs only when a person starts it.`);
  return { name, start: { kind: "manual" }, publishes: null } as const;
}

export function readJob(reader: DefinitionReader, name: string, data: Data): JobDeclaration | null {
  const path = ["jobs", name];
  if (isFunctionMark(data)) return bareFunction(reader, name, path);
  const keys = ["handler", "publishes", "subscribe", "schedule", "webhook", "manual"];
  const record = reader.object(data, path, keys);
  if (record === null) return null;
  reader.kind(record, path, "job");
  needFunction(reader, record, path, "handler");
  const publishes = readPublishes(reader, record, path);
  const start = readStart(reader, record, path, ["schedule", "webhook", "subscribe", "manual"]);
  return start && { name, start, publishes };
}

export function readConsumer(
  reader: DefinitionReader,
  name: string,
  data: Data,
): ConsumerDeclaration | null {
  const path = ["consumers", name];
  const options = ["mutateReads", "onMutationFailed"];
  const keys = ["subscribe", "publishes", "prepare", "mutate", "next", ...options];
  const record = reader.object(data, path, keys);
  if (record === null) return null;
  reader.kind(record, path, "consumer");
  needFunction(reader, record, path, "prepare");
  const at = (key: string): Path => [...path, key];
  const given = record["subscribe"] ?? [];
  const subscribe = reader.texts(given, at("subscribe"));
  // Anything else that is wrong with it has been said, and this would hide it.
  if (isList(given) && given.length === 0) {
    const cause = `\`${path.join(".")}\` subscribes to nothing.`;
    reader.fault(record["subscribe"] ? at("subscribe") : path, "definition_invalid", cause);
  }
  return {
    name,
    subscribe,
    publishes: readPublishes(reader, record, path),
    mutate: mayHaveFunction(reader, record, path, "mutate"),
    next: mayHaveFunction(reader, record, path, "next"),
    mutateReads: reader.oneOf(record["mutateReads"], at("mutateReads"), ["none", "byId"]),
    onMutationFailed: reader.oneOf(record["onMutationFailed"], at("onMutationFailed"), [
      "prepare",
      "replay",
    ]),
  };
}

export function needFunction(
  reader: DefinitionReader,
  record: DataRecord,
  path: Path,
  key: string,
): void {
  if (isFunctionMark(record[key])) return;
  const cause = `\`${path.join(".")}\` needs a function \`${key}\`, got ${shown(record[key])}.`;
  reader.fault(record[key] === undefined ? path : [...path, key], "handler_missing", cause);
}

export function mayHaveFunction(
  reader: DefinitionReader,
  record: DataRecord,
  path: Path,
  key: string,
): boolean {
  if (record[key] === undefined) return false;
  needFunction(reader, record, path, key);
  return true;
}

function readPublishes(
  reader: DefinitionReader,
  record: DataRecord,
  path: Path,
): readonly string[] | null {
  if (record["publishes"] === undefined) return null;
  return reader.texts(record["publishes"], [...path, "publishes"]);
}
