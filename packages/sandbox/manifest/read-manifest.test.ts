import { describe, expect, test } from "vitest";
import { readManifest } from "./read-manifest.ts";
import { isCron, isTimeZone, parseInterval } from "./read-schedule.ts";

const call = { $function: "handler" };
const text = { type: "text" };

const full = {
  $kind: "workflow",
  name: "All forms",
  connections: { shop: { connector: "http", account: "shop" }, mail: { connector: "gmail" } },
  topics: { "order.received": { schema: text }, booked: { observed: true } },
  producers: {
    bare: call,
    poll: { $kind: "producer", handler: call, schedule: { interval: "5m" }, publishes: ["booked"] },
    nightly: { handler: call, schedule: { cron: "0 3 * * *", timeZone: "Europe/Vienna" } },
    hook: { handler: call, webhook: { path: "orders" } },
    signed: { handler: call, webhook: { secret: "shop", signature: "sha256", idHeader: "X-Id" } },
    hand: { handler: call, manual: true },
  },
  consumers: {
    book: {
      $kind: "consumer",
      subscribe: ["order.received"],
      prepare: call,
      mutate: call,
      mutateReads: "byId",
      onMutationFailed: "replay",
    },
  },
  jobs: { sweep: { handler: call, subscribe: ["booked"], publishes: [] } },
  machines: {
    pay: {
      state: text,
      event: text,
      key: text,
      effects: ["http/book@1"],
      subscribe: [{ topic: "order.received", key: "id" }],
      step: call,
    },
  },
};

const faultsOf = (raw: unknown): string[] => {
  const read = readManifest(raw);
  return read.ok ? [] : read.faults.map(({ code, path }) => `${code} ${path.join(".")}`.trim());
};
const producer = (definition: unknown) => ({ name: "a", producers: { p: definition } });
const consumer = (definition: object) => {
  const whole = { subscribe: ["t"], prepare: call, ...definition };
  return { name: "a", topics: { t: {} }, consumers: { c: whole } };
};

describe("[R1, R4, R5, R95, R145] readManifest", () => {
  test("reads every form, in the order of the source", () => {
    const read = readManifest(full);
    expect(read).toMatchObject({
      ok: true,
      warnings: [{ code: "manual_only", path: ["producers", "bare"] }],
      manifest: {
        name: "All forms",
        connections: [
          { name: "shop", account: "shop" },
          { name: "mail", account: null },
        ],
        topics: [
          { name: "order.received", schema: text, observed: false },
          { name: "booked", schema: null, observed: true },
        ],
        producers: [
          { name: "bare", start: { kind: "manual" }, publishes: null },
          { name: "poll", start: { kind: "interval", everyMs: 300_000, catchUp: "once" } },
          { name: "nightly", start: { kind: "cron", timeZone: "Europe/Vienna" } },
          { name: "hook", start: { kind: "webhook", options: { path: "orders" } } },
          {
            name: "signed",
            start: {
              kind: "webhook",
              options: { secret: "shop", signature: "sha256", idHeader: "x-id" },
            },
          },
          { name: "hand", start: { kind: "manual" } },
        ],
        consumers: [{ mutate: true, next: false, mutateReads: "byId", onMutationFailed: "replay" }],
        jobs: [{ start: { kind: "topics", subscribe: ["booked"] }, publishes: [] }],
        machines: [
          { name: "pay", version: 1, subscribe: [{ topic: "order.received", key: "id" }] },
        ],
        operations: [],
        forms: [],
      },
    });
  });

  const faulty: readonly (readonly [unknown, readonly string[]])[] = [
    [{}, ["name_invalid"]],
    [{ name: "" }, ["name_invalid name"]],
    [{ name: "a", topic: {} }, ["definition_invalid topic"]],
    [
      { name: "a", topics: { t: { schema: { type: "float" } } } },
      ["schema_invalid topics.t.schema"],
    ],
    [{ name: "a", topics: { t: { observed: 1 } } }, ["definition_invalid topics.t.observed"]],
    [
      { name: "a", connections: { publish: { connector: "x" } } },
      ["name_invalid connections.publish"],
    ],
    [{ name: "a", connections: { "a-b": { connector: "x" } } }, ["name_invalid connections.a-b"]],
    [{ name: "a", connections: { a: {} } }, ["definition_invalid connections.a.connector"]],
    [producer({}), ["handler_missing producers.p"]],
    [producer({ handler: 1 }), ["handler_missing producers.p.handler"]],
    [producer({ handler: call, $kind: "consumer" }), ["definition_invalid producers.p"]],
    [producer({ handler: call, every: "5m" }), ["definition_invalid producers.p.every"]],
    [producer({ handler: call, schedule: "5m" }), ["invalid_schedule producers.p.schedule"]],
    [producer({ handler: call, schedule: {} }), ["invalid_schedule producers.p.schedule"]],
    [
      producer({ handler: call, schedule: { interval: "5m", cron: "* * * * *" } }),
      ["invalid_schedule producers.p.schedule"],
    ],
    [
      producer({ handler: call, schedule: { interval: "5m", catchUp: "all" } }),
      ["definition_invalid producers.p.schedule.catchUp"],
    ],
    [
      producer({ handler: call, webhook: true, manual: true }),
      ["invalid_schedule producers.p.manual"],
    ],
    [
      producer({ handler: call, webhook: { idHeader: "no header" } }),
      ["definition_invalid producers.p.webhook.idHeader"],
    ],
    [
      producer({ handler: call, webhook: { secret: "shop", signatureHeader: "x-sign" } }),
      ["definition_invalid producers.p.webhook.signatureHeader"],
    ],
    [
      producer({ handler: call, webhook: { path: 7 } }),
      ["definition_invalid producers.p.webhook.path"],
    ],
    [
      producer({ handler: call, webhook: { secret: "s3cr3t value" } }),
      ["name_invalid producers.p.webhook.secret"],
    ],
    [
      producer({ handler: call, webhook: { secret: "shop", signature: "md5" } }),
      ["definition_invalid producers.p.webhook.signature"],
    ],
    [
      producer({ handler: call, webhook: { signature: "sha256" } }),
      ["definition_invalid producers.p.webhook.secret"],
    ],
    [call, ["definition_invalid"]],
    [{ name: "a", consumers: { c: call } }, ["definition_invalid consumers.c"]],
    [consumer({ prepare: undefined }), ["handler_missing consumers.c"]],
    [consumer({ next: "later" }), ["handler_missing consumers.c.next"]],
    [consumer({ subscribe: [] }), ["definition_invalid consumers.c.subscribe"]],
    [consumer({ subscribe: undefined }), ["definition_invalid consumers.c"]],
    [consumer({ subscribe: "t" }), ["definition_invalid consumers.c.subscribe"]],
    [consumer({ mutateReads: "all" }), ["definition_invalid consumers.c.mutateReads"]],
    [
      { name: "a", topics: { t: { schema: { type: "list", item: { type: "ref", name: "u" } } } } },
      ["schema_invalid topics.t.schema"],
    ],
    [
      { name: "a", machines: { m: { step: call } } },
      [
        "schema_invalid machines.m.state",
        "schema_invalid machines.m.event",
        "definition_invalid machines.m.effects",
      ],
    ],
  ];

  test.each(faulty)("finds the place of what is wrong in %j", (raw, expected) => {
    expect(faultsOf(raw)).toEqual(expected);
  });
});

describe("[R4] a schedule", () => {
  test.each([
    ["1s", 1_000],
    ["30s", 30_000],
    ["5m", 300_000],
    ["1h", 3_600_000],
    ["2d", 172_800_000],
    ["1500ms", 1_500],
    [60_000, 60_000],
    ["366d", 31_622_400_000],
  ])("has the interval %s", (given, ms) => {
    expect(parseInterval(given)).toBe(ms);
  });

  test.each([
    "",
    "5",
    "m",
    "5 m",
    "5M",
    "-5m",
    "1.5h",
    "0s",
    "999ms",
    "367d",
    "1e3s",
    "５m",
    0,
    1.5,
    1e15,
    Number.NaN,
    null,
    true,
  ])("has no interval %s", (given) => {
    expect(parseInterval(given)).toBeNull();
  });

  test.each(["* * * * *", "*/5 * * * *", "0 9 * * 1-5", "0 0 29 2 *", "@daily", "0 0 L * *"])(
    "has the cron pattern %s",
    (pattern) => expect(isCron(pattern, "Europe/Vienna")).toBe(true),
  );

  test.each([
    "",
    "hello",
    "* * * *",
    "60 * * * *",
    "* 24 * * *",
    "0 0 30 2 *",
    "2020-01-01T00:00:00",
    "2099-01-01T00:00:00",
    "*/0 * * * *",
    "* ".repeat(200),
  ])("has no cron pattern %s", (pattern) => expect(isCron(pattern, null)).toBe(false));

  test("has a time zone that exists", () => {
    expect(isTimeZone("America/New_York")).toBe(true);
    expect(isTimeZone("UTC")).toBe(true);
    expect(isTimeZone("Mars/Base")).toBe(false);
    expect(isTimeZone("")).toBe(false);
  });
});
