import { describe, expect, test } from "vitest";
import type { CanonicalValue } from "../canonical/index.ts";
import { rules } from "../decide.ts";
import { bytesOf } from "../testing/scenario.ts";
import { actorOfHost, bodies, type InboxKind, inboxKinds, parseCommand } from "./parse-command.ts";

type Body = Readonly<Record<string, CanonicalValue>>;

const handler = {
  name: "book",
  kind: "consumer",
  subscribe: ["orders"],
  publishes: null,
  onMutationFailed: "prepare",
  catchUp: "once",
  webhook: false,
  start: "manual",
  scheduled: false,
  forms: null,
};
const event = { topic: "orders", messageId: "o1" };

const anyVersion = {
  major: 1,
  minor: 0,
  scriptHash: "h",
  script: null,
  connections: [],
  grants: bytesOf([]),
  progress: "keep",
  topics: [{ name: "orders", subscriber: "book", observed: false, schema: null, machines: true }],
  handlers: [handler],
};

/** One good body for every kind; the compiler asks for a new one with every new kind. */
const good: { readonly [K in InboxKind]: Body } = {
  activate_version: anyVersion,
  pause_workflow: {},
  resume_workflow: {},
  archive_workflow: {},
  restore_workflow: {},
  publish_event: { ...event, payload: bytesOf(1), title: null },
  receive_delivery: { handler: "hook", deliveryId: "d1", body: bytesOf("b"), title: null },
  skip_event: event,
  skip_input: { inputId: "in_1" },
  reprocess_event: event,
  reprocess_input: { inputId: "in_1" },
  reset_topic: { topic: "orders" },
  reset_producer: { handler: "poll" },
  run_now: {},
  resume_run: { runId: "r1" },
  retry_run: { runId: "r1" },
  stop_run: { runId: "r1" },
  approve_mutation: { mutationId: "m1", payloadHash: "h", previewHash: "p" },
  // biome-ignore lint/suspicious/noThenProperty: the word of the contract; never awaited
  reject_mutation: { mutationId: "m1", reason: "no", then: "skip" },
  edit_mutation: {
    mutationId: "m1",
    editedHash: "h",
    connector: "http",
    connectorVersion: "1",
    target: "t",
    identity: bytesOf("i"),
    payload: bytesOf("p"),
    canReconcile: true,
    retentionMs: null,
    visibilityDelayMs: null,
    timeoutMs: 1,
    verdict: { envelope: 1, grant: 0, says: "ask" },
    amount: null,
    ask: { previewHash: "p", preview: "it", expiresAt: 1, fourEyes: false },
  },
  resolve_mutation: { mutationId: "m1", answer: { says: "skip" } },
  acknowledge: { attentionId: "a1" },
  set_envelope: { grants: bytesOf([]) },
  set_brake: { operation: "*", reason: "look" },
  release_brake: { operation: "*" },
  continue_restored: { attentionId: "a1" },
  reprocess_items: { itemIds: ["i1"] },
  skip_item: { itemId: "i1" },
  start_fresh: { handler: "tidy" },
  accept_payload: { itemId: "i1", payloadHash: "h" },
  send_to_machine: { machine: "w/m@1", key: bytesOf("k"), value: bytesOf("v") },
  cancel_intent: { intentId: "0".repeat(64) },
  snapshot_machines: {},
  restart_cell: { machine: "w/m@1", key: bytesOf("k"), poison: "drop" },
  propose_version: { ...anyVersion, base: "h0", description: null },
  shadow_version: { number: 1, patchHash: "p", report: bytesOf("r") },
  decide_version: { number: 1, patchHash: "p", says: "approve", reason: null },
  apply_version: { number: 1, waits: true },
};

function parse(kind: string, body: CanonicalValue | Uint8Array, actor = "ada") {
  return parseCommand({ kind, actor, body: body instanceof Uint8Array ? body : bytesOf(body) });
}

function fault(kind: string, body: CanonicalValue | Uint8Array): string {
  const refusal = parse(kind, body);
  if (!("code" in refusal)) throw new Error("expected a refusal");
  expect(refusal.code).toBe("command_malformed");
  return refusal.note;
}

/** What may be left out, as it is read then. */
const leftOut: Partial<Record<InboxKind, object>> = {
  activate_version: { keepsEnvelope: null, machines: null, definitions: null },
  propose_version: { keepsEnvelope: null, machines: null, definitions: null },
  set_envelope: { expects: null },
};

describe("every kind", () => {
  test("has a parser and a rule", () => {
    expect(Object.keys(bodies).sort()).toEqual(Object.keys(good).sort());
    for (const kind of inboxKinds) expect(Object.hasOwn(rules, kind)).toBe(true);
  });

  test.each(inboxKinds)("%s is read as it was written, with the actor of the envelope", (kind) => {
    const read = { ...good[kind], ...leftOut[kind], kind, actor: "bob" };
    expect(parse(kind, good[kind], "bob")).toEqual(read);
  });

  test.each(inboxKinds)("%s refuses every missing field by its path", (kind) => {
    for (const name of Object.keys(good[kind])) {
      const { [name]: _, ...rest } = good[kind];
      expect(fault(kind, rest)).toContain(`${kind}.${name}`);
    }
  });

  test.each(inboxKinds)("%s refuses a field it does not know, the actor included", (kind) => {
    expect(fault(kind, { ...good[kind], extra: 1 })).toBe(`${kind}.extra: expected no such field`);
    expect(fault(kind, { ...good[kind], actor: "eve" })).toContain(`${kind}.actor`);
  });

  test.each(inboxKinds)("%s refuses a wrong type in every field", (kind) => {
    for (const name of Object.keys(good[kind])) {
      expect(fault(kind, { ...good[kind], [name]: -1 })).toContain(`${kind}.${name}`);
    }
  });
});

describe("a late answer", () => {
  const body = { mutationId: "m1", says: "applied", result: bytesOf(1), note: "came late" };

  test("[R161] is read from a host, and from nobody else", () => {
    const read = parse("record_late_answer", body, actorOfHost("h-1"));
    expect(read).toEqual({ ...body, kind: "record_late_answer" });
    for (const actor of ["ada", "host"]) {
      expect(parse("record_late_answer", body, actor)).toMatchObject({ code: "command_malformed" });
    }
  });

  test("is all that a host may say in its own name", () => {
    for (const kind of inboxKinds) {
      const said = parse(kind, good[kind], actorOfHost("h-1"));
      expect(said).toMatchObject({ code: "command_malformed" });
    }
  });
});

describe("malformed bodies are refused with the path of the fault", () => {
  const version = good.activate_version;
  const topic = { name: "orders", subscriber: "book", observed: false, schema: null };
  const answered = (answer: CanonicalValue) => ({ mutationId: "m1", answer });
  const rows: readonly (readonly [kind: string, body: CanonicalValue, note: string])[] = [
    ["run_now", [], "run_now: expected a record"],
    ["run_now", null, "run_now: expected a record"],
    ["run_now", "{}", "run_now: expected a record"],
    ["skip_event", { ...event, topic: null }, "skip_event.topic: expected text"],
    [
      "publish_event",
      { ...good.publish_event, payload: "x" },
      "publish_event.payload: expected bytes",
    ],
    ["publish_event", { ...good.publish_event, title: 1 }, "publish_event.title: expected text"],
    [
      "activate_version",
      { ...version, major: 1.5 },
      "activate_version.major: expected a whole number, 0 or more",
    ],
    [
      "activate_version",
      { ...version, progress: "later" },
      "activate_version.progress: expected keep or fresh",
    ],
    [
      "activate_version",
      { ...version, progress: { select: "all" } },
      "activate_version.progress.select: expected a list",
    ],
    ["activate_version", { ...version, topics: {} }, "activate_version.topics: expected a list"],
    [
      "activate_version",
      { ...version, topics: [topic, { ...topic, observed: 1 }] },
      "activate_version.topics[1].observed: expected true or false",
    ],
    [
      "activate_version",
      { ...version, topics: [{ ...topic, schema: { type: "list", item: 7 } }] },
      "activate_version.topics[0].schema: not a schema: item: expected a schema, got 7",
    ],
    [
      "activate_version",
      { ...version, topics: [{ ...topic, schema: { type: "ref", name: "orders" } }] },
      "activate_version.topics[0].schema: expected a schema without refs",
    ],
    [
      "activate_version",
      { ...version, handlers: [{ ...handler, kind: "machine" }] },
      "activate_version.handlers[0].kind: expected producer or consumer or job",
    ],
    [
      "activate_version",
      { ...version, handlers: [{ ...handler, subscribe: ["orders", 7] }] },
      "activate_version.handlers[0].subscribe[1]: expected text",
    ],
    [
      "resolve_mutation",
      answered({ says: "maybe" }),
      "resolve_mutation.answer.says: " +
        "expected try_again or did_not_happen or happened or skip or send",
    ],
    [
      "resolve_mutation",
      answered({ says: "happened" }),
      "resolve_mutation.answer.result: expected bytes",
    ],
    [
      "resolve_mutation",
      answered({ says: "skip", result: null }),
      "resolve_mutation.answer.result: expected no such field",
    ],
  ];
  test.each(rows)("%s %j", (kind, body, note) => {
    expect(fault(kind, body)).toBe(note);
  });

  test.each(["no_such_command", "", "start_run", "commit_run", "toString", "__proto__"])(
    "a kind that is not for the inbox: %j",
    (kind) => {
      expect(fault(kind, {})).toBe(`There is no command ${kind}.`);
    },
  );

  const canonical = bytesOf({});
  const bytes: readonly (readonly [what: string, body: Uint8Array])[] = [
    ["no bytes at all", new Uint8Array()],
    ["bytes after the end", new Uint8Array([...canonical, 0])],
    ["a value cut short", canonical.subarray(0, canonical.length - 1)],
    ["a map whose length has a longer form", new Uint8Array([0xd9, 0xd9, 0xf7, 0xb8, 0x00])],
    ["an indefinite map", new Uint8Array([0xd9, 0xd9, 0xf7, 0xbf, 0xff])],
    ["no tag in front", new Uint8Array([0xa0])],
  ];
  test.each(bytes)("bytes that are not canonical: %s", (_, body) => {
    expect(parse("run_now", canonical)).toEqual({ kind: "run_now", actor: "ada" });
    expect(fault("run_now", body)).not.toBe("");
  });
});
