import type { DefinitionReader, Path } from "./definition-reader.ts";
import type { Start } from "./manifest.ts";
import { type Data, type DataRecord, isRecord } from "./plain-copy.ts";
import { readSchedule } from "./read-schedule.ts";

/** Words of a webhook's declaration; the host that receives it gives them their meaning. */
const headerKeys = ["idHeader", "secretHeader", "signatureHeader"] as const;
const webhookKeys = ["path", "secret", "signature", ...headerKeys];
const webhookCharsMax = 200;
const headerName = /^[a-z][a-z0-9-]{0,99}$/i;

/** The one thing that starts a producer or job. Null = wrong, and noted. */
export function readStart(
  reader: DefinitionReader,
  data: DataRecord,
  path: Path,
  ways: readonly ("schedule" | "webhook" | "manual" | "subscribe")[],
): Start | null {
  const given = ways.filter((way) => data[way] !== undefined);
  const [way, second] = given;
  if (second !== undefined) {
    const cause = `\`${path.join(".")}\` starts in more than one way: ${given.join(", ")}.`;
    reader.fault([...path, second], "invalid_schedule", cause);
    return null;
  }
  const value = way === undefined ? undefined : data[way];
  if (way === undefined || value === undefined) {
    reader.warn(path, "manual_only", `\`${path.join(".")}\` runs only when a person starts it.`);
    return { kind: "manual" };
  }
  const inner = [...path, way];
  if (way === "schedule") return readSchedule(reader, value, inner);
  if (way === "webhook") return readWebhook(reader, value, inner);
  if (way === "manual") {
    if (value !== true) reader.expected(inner, "true", value);
    return { kind: "manual" };
  }
  const subscribe = reader.texts(value, inner);
  if (subscribe.length === 0) reader.expected(inner, "a list with at least one topic", value);
  return { kind: "topics", subscribe };
}

const idleHeader = {
  secretHeader: "a webhook whose body is not signed",
  signatureHeader: 'a webhook with signature: "sha256"',
} as const;

function readWebhook(reader: DefinitionReader, data: Data, path: Path): Start {
  if (data === true) return { kind: "webhook", options: {} };
  const options: Record<string, string> = {};
  const record = reader.object(data, path, webhookKeys);
  if (!isRecord(data) || record === null) return { kind: "webhook", options };
  const { path: under, secret, signature } = record;
  if (under !== undefined) {
    if (typeof under === "string" && under.length <= webhookCharsMax) options["path"] = under;
    else
      reader.expected([...path, "path"], `a text of at most ${webhookCharsMax} characters`, under);
  }
  if (secret !== undefined) {
    // A name, so that nobody puts the secret itself into a script.
    if (typeof secret !== "string") reader.expected([...path, "secret"], "a name", secret);
    else if (reader.name(secret, [...path, "secret"])) options["secret"] = secret;
  }
  if (signature !== undefined) {
    if (signature !== "sha256") reader.expected([...path, "signature"], '"sha256"', signature);
    else if (secret === undefined) reader.expected([...path, "secret"], "a name", secret);
    else options["signature"] = signature;
  }
  for (const key of headerKeys) {
    const header = record[key];
    if (header === undefined) continue;
    const isName = typeof header === "string" && headerName.test(header);
    // Only one of the two is looked at, and which one the signature decides.
    const isIdle = key !== "idHeader" && (key === "signatureHeader") !== (signature !== undefined);
    if (!isName) reader.expected([...path, key], "the name of a header", header);
    else if (isIdle) reader.expected([...path, key], idleHeader[key], header);
    else options[key] = header.toLowerCase();
  }
  return { kind: "webhook", options };
}
