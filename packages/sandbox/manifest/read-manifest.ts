import { hasRef, type Schema } from "@holdfast/core/canonical";
import { isReservedMember } from "../validate/reading/context-members.ts";
import { DefinitionReader, type Fault, type Path } from "./definition-reader.ts";
import {
  type ConnectionDeclaration,
  emptyManifest,
  type Manifest,
  type SecretDeclaration,
} from "./manifest.ts";
import { copyPlain, type Data, type DataRecord, shown } from "./plain-copy.ts";
import { readConsumer, readJob, readProducer } from "./read-handlers.ts";
import { readMachine } from "./read-machine.ts";

export type { Fault } from "./definition-reader.ts";

export type ReadManifest =
  | { readonly ok: true; readonly manifest: Manifest; readonly warnings: readonly Fault[] }
  | {
      readonly ok: false;
      readonly faults: readonly Fault[];
      readonly warnings: readonly Fault[];
    };

/** What could be read, with everything that could not; a part with a fault is left out. */
export type ReadDefinition = {
  readonly manifest: Manifest;
  readonly faults: readonly Fault[];
  readonly warnings: readonly Fault[];
};

/** UTF-16 units of a workflow's name; it is shown to people and may have spaces. */
const workflowNameCharsMax = 100;
const identifier = /^[A-Za-z][A-Za-z0-9_]*$/;

const parts = [
  "name",
  "connections",
  "secrets",
  "topics",
  "producers",
  "consumers",
  "jobs",
  "machines",
];
/** Of the text in UTF-8. */
const digestText = /^sha256:[0-9a-f]{64}$/;

/** `raw` is what an isolate handed out; functions stand in it as `{ "$function": name }`. */
export function readManifest(raw: unknown): ReadManifest {
  const { manifest, faults, warnings } = readDefinition(raw);
  return faults.length > 0 ? { ok: false, faults, warnings } : { ok: true, manifest, warnings };
}

export function readDefinition(raw: unknown): ReadDefinition {
  const reader = new DefinitionReader();
  const done = (manifest: Manifest): ReadDefinition => {
    return { manifest, faults: reader.faults, warnings: reader.warnings };
  };
  const copied = copyPlain(raw);
  if (!copied.ok) {
    reader.fault(copied.path, "definition_invalid", `The definition ${copied.cause}.`);
    return done(emptyManifest);
  }
  const data = reader.object(copied.data, [], parts);
  if (data === null) return done(emptyManifest);
  reader.kind(data, [], "workflow");
  const every = <T>(part: string, read: (name: string, data: Data) => T | null): T[] =>
    reader.named(data[part], [part]).flatMap(([name, value]) => read(name, value) ?? []);
  const secrets = every("secrets", (name, value) => readSecret(reader, name, value));
  return done({
    name: readName(reader, data),
    connections: every("connections", (name, value) => readConnection(reader, name, value)),
    ...(secrets.length === 0 ? {} : { secrets }),
    topics: every("topics", (name, value) => readTopic(reader, name, value)),
    producers: every("producers", (name, value) => readProducer(reader, name, value)),
    consumers: every("consumers", (name, value) => readConsumer(reader, name, value)),
    jobs: every("jobs", (name, value) => readJob(reader, name, value)),
    machines: every("machines", (name, value) => readMachine(reader, name, value)),
    operations: [],
    forms: [],
  });
}

function readName(reader: DefinitionReader, data: DataRecord): string {
  const { name } = data;
  if (typeof name === "string" && isWorkflowName(name)) return name;
  const cause = `The workflow's name must be text of 1 to ${workflowNameCharsMax} characters, `;
  reader.fault(name === undefined ? [] : ["name"], "name_invalid", `${cause}got ${shown(name)}.`);
  return "";
}

/** No control characters: it stands in lines of logs and notifications. */
function isWorkflowName(name: string): boolean {
  if (name.length > workflowNameCharsMax || name.trim() === "" || !name.isWellFormed())
    return false;
  return !/\p{Cc}|\p{Cf}/u.test(name);
}

function readConnection(
  reader: DefinitionReader,
  name: string,
  data: Data,
): ConnectionDeclaration | null {
  const path = ["connections", name];
  if (!identifier.test(name) || isReservedMember(name)) {
    reader.fault(path, "name_invalid", `A connection cannot be called "${name}" on ctx.`);
  }
  const record = reader.object(data, path, ["connector", "account"]);
  if (record === null) return null;
  const { connector, account = null } = record;
  if (typeof connector !== "string" || !reader.name(connector, [...path, "connector"])) {
    if (typeof connector !== "string") reader.expected([...path, "connector"], "a text", connector);
    return null;
  }
  if (account !== null && typeof account !== "string") {
    reader.expected([...path, "account"], "a text", account);
    return null;
  }
  return { name, connector, account };
}

function readSecret(reader: DefinitionReader, name: string, data: Data): SecretDeclaration | null {
  const path = ["secrets", name];
  const record = reader.object(data, path, ["binding", "digest"]);
  if (record === null) return null;
  const { binding, digest = null } = record;
  if (typeof binding !== "string" || !reader.name(binding, [...path, "binding"])) {
    if (typeof binding !== "string") reader.expected([...path, "binding"], "a text", binding);
    return null;
  }
  if (digest !== null && (typeof digest !== "string" || !digestText.test(digest))) {
    reader.expected([...path, "digest"], "sha256: and 64 hexadecimal digits", digest);
    return null;
  }
  return { name, binding, digest };
}

function readTopic(reader: DefinitionReader, name: string, data: Data) {
  const path = ["topics", name];
  const record = reader.object(data, path, ["schema", "observed"]);
  if (record === null) return null;
  const given = record["schema"];
  const schema = given === undefined ? null : readTopicSchema(reader, given, [...path, "schema"]);
  return { name, schema, observed: reader.flag(record["observed"], [...path, "observed"]) };
}

/** Events are checked by their topic's schema alone, where other names are not known. */
function readTopicSchema(reader: DefinitionReader, given: Data, path: Path): Schema | null {
  const schema = reader.schema(given, path);
  if (schema === null || !hasRef(schema)) return schema;
  reader.fault(path, "schema_invalid", "A ref is for the schemas of machines, not of topics.");
  return null;
}
