import type { FailureCode } from "../failure.ts";
import type { SandboxLimits } from "../limits.ts";
import type { PhaseCall, ScriptPublication } from "./phase.ts";

type Reading = {
  readonly call: PhaseCall;
  readonly limits: SandboxLimits;
  readonly fail: (code: FailureCode, message: string) => never;
  readonly spend: (bytes: number) => void;
  /** Of the next event that is published without an id. */
  readonly nextIndex: number;
};

/** Keys that mean something to the host; without `payload` all others are the payload [R145]. */
const reservedKeys = new Set(["messageId", "inputId", "title", "payload"]);

/** publish(topic or topics, event or events): all of them, or none. */
export function readPublications(text: string, reading: Reading): readonly ScriptPublication[] {
  const [given, events] = JSON.parse(text) as readonly [unknown, unknown];
  const topics = Array.isArray(given) ? given : [given];
  const list = Array.isArray(events) ? events : [events];
  const { limits, fail, spend } = reading;
  const count = topics.length * list.length;
  if (count > limits.eventsPerPublishMax) {
    fail("SCRIPT_EVENTS", `One publish holds ${count} events (${limits.eventsPerPublishMax} may).`);
  }
  // The text itself is counted; each further topic keeps a copy of it.
  spend(Math.max(topics.length - 1, 0) * text.length);
  return topics.flatMap((topic) => {
    const checked = checkTopic(topic, reading);
    return list.map((event) => readEvent(checked, event, reading));
  });
}

function checkTopic(topic: unknown, { call, fail }: Reading): string {
  if (typeof topic === "string" && call.publishes.includes(topic)) return topic;
  const named = typeof topic === "string" ? topic.slice(0, 200) : "what was given";
  return fail("SCRIPT_TOPIC", `${named} is not a topic that ${call.handler} publishes to.`);
}

function readEvent(topic: string, event: unknown, { call, fail }: Reading): ScriptPublication {
  if (typeof event !== "object" || event === null || Array.isArray(event)) {
    return fail("SCRIPT_PUBLISH", `An event of ${topic} has to be an object.`);
  }
  const fields = event as Record<string, unknown>;
  const field = (name: string): string | null => {
    const value = fields[name];
    if (value === undefined || value === null) return null;
    if (typeof value === "string" && value !== "") return value;
    return fail("SCRIPT_PUBLISH", `${name} of an event of ${topic} has to be a text.`);
  };
  const inputId = field("inputId");
  if (inputId !== null && call.phase !== "producer") {
    fail("SCRIPT_PUBLISH", `inputId is for producers: ${call.phase} inherits its causes.`);
  }
  const payload = Object.hasOwn(fields, "payload") ? fields["payload"] : withoutReserved(fields);
  return {
    topic,
    messageId: field("messageId"),
    inputId,
    title: field("title"),
    payload: JSON.stringify(payload),
  };
}

function withoutReserved(fields: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.entries(fields).filter(([key]) => !reservedKeys.has(key)));
}
