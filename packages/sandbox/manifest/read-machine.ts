import { isDefinitionName } from "@holdfast/core/machine/names";
import type { DefinitionReader, Path } from "./definition-reader.ts";
import type { MachineDeclaration } from "./manifest.ts";
import { type Data, isList, isRecord } from "./plain-copy.ts";
import { mayHaveFunction, needFunction } from "./read-handlers.ts";

const machineKeys = [
  "state",
  "event",
  "key",
  "context",
  "annotations",
  "version",
  "effects",
  "subscribe",
  "step",
  "migrate",
];

/** Null = wrong, and noted. */
export function readMachine(
  reader: DefinitionReader,
  name: string,
  data: Data,
): MachineDeclaration | null {
  const path = ["machines", name];
  const record = reader.object(data, path, machineKeys);
  if (record === null) return null;
  reader.kind(record, path, "machine");
  needFunction(reader, record, path, "step");
  const migrates = mayHaveFunction(reader, record, path, "migrate") ? { migrates: true } : {};
  const at = (key: string): Path => [...path, key];
  const optional = (key: string) =>
    record[key] === undefined ? null : reader.schema(record[key], at(key));
  const state = reader.schema(record["state"], at("state"));
  const event = reader.schema(record["event"], at("event"));
  const key = optional("key");
  const annotations = optional("annotations");
  const context = reader.flag(record["context"], at("context"));
  const { version = 1 } = record;
  if (typeof version !== "number" || !Number.isSafeInteger(version) || version < 1) {
    reader.expected(at("version"), "a whole number from 1", version);
    return null;
  }
  const effects = readEffects(reader, record["effects"], at("effects"));
  const subscribe = readSubscriptions(reader, record["subscribe"] ?? [], at("subscribe"));
  if (state === null || event === null) return null;
  const about = { context, annotations, version, effects, subscribe, ...migrates };
  return { name, state, event, key, ...about };
}

/** Effects by name, `<connector>/<operation>@<n>`; a machine without any says so with `[]`. */
function readEffects(reader: DefinitionReader, data: Data | undefined, path: Path) {
  if (!isList(data)) {
    reader.expected(path, "a list of effects, [] for none", data);
    return [];
  }
  return data.flatMap((each, at) => {
    if (typeof each === "string" && isDefinitionName(each)) return [each];
    reader.expected([...path, String(at)], "an effect such as http/request@1", each);
    return [];
  });
}

function readSubscriptions(reader: DefinitionReader, data: Data, path: Path) {
  if (!isList(data)) {
    reader.expected(path, "a list of { topic, key }", data);
    return [];
  }
  return data.flatMap((each, at) => {
    const inner = [...path, String(at)];
    if (typeof each === "string")
      return reader.name(each, inner) ? [{ topic: each, key: null }] : [];
    const record = reader.object(each, inner, ["topic", "key"]);
    if (record === null || !isRecord(each)) return [];
    const { topic, key = null } = record;
    if (typeof topic !== "string" || !reader.name(topic, [...inner, "topic"])) {
      if (typeof topic !== "string") reader.expected([...inner, "topic"], "a text", topic);
      return [];
    }
    if (key !== null && typeof key !== "string") {
      reader.expected([...inner, "key"], "the name of a field", key);
      return [];
    }
    return [{ topic, key }];
  });
}
