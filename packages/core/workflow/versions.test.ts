import { describe, expect, test } from "vitest";
import type { Schema } from "../canonical/index.ts";
import { plainGrants } from "../grant/grant.ts";
import { encodeGrants } from "../grant/read-grants.ts";
import {
  byHand,
  consumer,
  emptyCommit,
  kindsOf,
  producer,
  publication,
  Scenario,
  version,
} from "../testing/scenario.ts";
import { inputIdOf } from "../topic/input-id.ts";
import type { ActivateVersion } from "./activate-version.ts";
import { differencesOf } from "./differences.ts";
import { type Holdings, orphansOf } from "./orphans.ts";

const text: Schema = { type: "text" };
const manifest = {
  topics: ["orders", "returns"],
  observed: ["booked"],
  schemas: { orders: text },
  handlers: [
    producer("poll", { start: "every 60000 ms", publishes: ["orders", "returns"] }),
    consumer("book", ["orders", "returns"], { publishes: ["booked"] }),
  ],
};
const first: ActivateVersion = { ...version(1, 0, manifest), connections: ["shop.book"] };
const [poll, book] = manifest.handlers as [
  ReturnType<typeof producer>,
  ReturnType<typeof consumer>,
];

describe("[R117] what two versions make ids of", () => {
  const of = (name: string, forms: readonly string[] | null) =>
    [poll, book].map((each) => (each.name === name ? { ...each, forms } : each));
  const read = (...forms: string[]) => [...forms, "reading 2"].sort();
  type Row = readonly [string, readonly string[] | null, readonly string[] | null, string | null];
  const rows: readonly Row[] = [
    ["the same", read("message orders {*.id}"), read("message orders {*.id}"), null],
    [
      "another message id",
      read("message orders {*.id}"),
      read("message orders {*.number}"),
      "no message orders {*.id}, now message orders {*.number}",
    ],
    [
      "another input",
      read("input shop order {*.id}"),
      read("input shop return {*.id}"),
      "no input shop order {*.id}, now input shop return {*.id}",
    ],
    ["what was not written down then", null, read("message orders {*.id}"), null],
    ["what an older reader of jobs did not look for", ["item a"], read("item a", "input b"), null],
    ["what that reader did see", ["item a"], read("item b", "input b"), "no item a, now item b"],
    [
      "what a later reader words otherwise",
      read("message a {b}"),
      ["message a {c}", "reading 3"],
      null,
    ],
  ];
  test.each(rows)("%s", (_, was, is, note) => {
    const before = { ...first, handlers: of("poll", was) };
    const found = differencesOf(before, { ...first, handlers: of("poll", is) });
    const told = expect.stringContaining(`(${note})`);
    expect(found).toEqual(note === null ? [] : [{ what: "identity", name: "poll", note: told }]);
  });
});

describe("[R117] what two versions declare differently", () => {
  const withHandlers = (...handlers: (typeof poll)[]) => ({ ...first, handlers });
  const rows: readonly (readonly [string, ActivateVersion, readonly string[]])[] = [
    ["nothing, in another order", { ...first, topics: first.topics.toReversed() }, []],
    ["the code alone", { ...first, scriptHash: "another" }, []],
    [
      "what becomes of a failed mutation",
      withHandlers(poll, { ...book, onMutationFailed: "replay" }),
      [],
    ],
    ["a schedule", withHandlers({ ...poll, start: "every 1000 ms" }, book), ["schedule poll"]],
    ["what is missed", withHandlers({ ...poll, catchUp: "skip" }, book), ["schedule poll"]],
    ["a webhook", withHandlers({ ...poll, webhook: true }, book), ["schedule poll"]],
    [
      "a subscription",
      withHandlers(poll, { ...book, subscribe: ["orders"] }),
      ["subscription book"],
    ],
    [
      "the order of subscriptions",
      withHandlers(poll, { ...book, subscribe: ["returns", "orders"] }),
      [],
    ],
    ["publishing", withHandlers({ ...poll, publishes: null }, book), ["publishing poll"]],
    ["a handler", withHandlers(poll, { ...book, name: "file" }), ["handler book", "handler file"]],
    ["a topic", { ...first, topics: first.topics.slice(1) }, ["topic orders"]],
    [
      "a schema",
      { ...first, topics: first.topics.map((topic) => ({ ...topic, schema: text })) },
      ["topic booked", "topic returns"],
    ],
    [
      "what is observed",
      { ...first, topics: first.topics.map((topic) => ({ ...topic, observed: true })) },
      ["topic orders", "topic returns"],
    ],
    [
      "what is used outside",
      { ...first, connections: ["shop.cancel"] },
      ["connection shop.cancel", "connection shop.book"],
    ],
  ];
  test.each(rows)("%s", (_, after, found) => {
    expect(differencesOf(first, after).map(({ what, name }) => `${what} ${name}`)).toEqual(found);
  });
});

function shop(): Scenario {
  const s = new Scenario();
  s.do(first);
  return s;
}

describe("[R117] [R123] a minor version", () => {
  const second = { ...first, minor: 1, scriptHash: "script 1.1" };

  test("keeps everything and mends the code", () => {
    const s = shop();
    s.do(byHand("returns", "r1"));
    s.do(second);
    expect(s.event("returns", "r1").status).toBe("pending");
    expect(s.view.load("workflows")).toMatchObject({ versionMinor: 1, scriptHash: "script 1.1" });
  });

  test("is refused when it declares something else, and says what", () => {
    const s = shop();
    const handlers = [{ ...poll, start: "every 1000 ms" }, book];
    const refusal = s.refusal({ ...second, handlers, connections: [] });
    expect(refusal).toEqual({
      code: "version_not_minor",
      note:
        "Version 1.1 is a minor one, but poll is started otherwise; " +
        "shop.book is no longer used. Make it 2.0.",
    });
    s.do({ ...second, major: 2, minor: 0, handlers, connections: [] });
  });

  test("shows no endless list", () => {
    const s = shop();
    const connections = Array.from({ length: 9 }, (_, at) => `shop.op${at}`);
    expect(s.refusal({ ...second, connections }).note).toContain("; 5 more. Make it 2.0.");
  });

  test("may not ask for progress to be given up", () => {
    expect(shop().refused({ ...second, progress: "fresh" })).toBe("version_not_minor");
    expect(shop().refused({ ...second, progress: { select: [] } })).toBe("version_not_minor");
  });
});

describe("[R84] [R123] a version whose connection leads to another account", () => {
  const of = (...connections: string[]): ActivateVersion => ({ ...first, connections });
  const next = (...connections: string[]): ActivateVersion => {
    return { ...of(...connections), major: 2, scriptHash: "script 2.0" };
  };
  const granted = { grants: encodeGrants(plainGrants("allow", ["shop.book"])) };
  const workflowOf = (...connections: string[]): Scenario => {
    const s = new Scenario();
    s.do({ ...of(...connections), ...granted });
    return s;
  };
  const acme = "shop (http of acme)";
  const other = "shop (http of other)";

  test("does not get the grants of the one before, and says what leads elsewhere", () => {
    expect(workflowOf(acme, "shop.book").refusal(next(other, "shop.book"))).toEqual({
      code: "grants_for_another_account",
      note:
        "shop leads to http of other, not http of acme. " + "Envelope 1 was given for what it was.",
    });
  });

  test("gets them when a person grants anew, or lets those in force hold there", () => {
    workflowOf(acme).do({ ...next(other), ...granted });
    workflowOf(acme).do({ ...next(other), keepsEnvelope: 1 });
    expect(workflowOf(acme).refused({ ...next(other), keepsEnvelope: 2 })).toBe(
      "grants_for_another_account",
    );
  });

  test.each([
    ["as before", [acme], [acme, "shop.cancel"]],
    ["its own name, declared now", [], ["shop (http of shop)"]],
    ["its own name, no longer declared", ["shop (http of shop)"], []],
  ])("is a plain one when it leads to %s", (_, before, after) => {
    workflowOf(...before).do(next(...after));
  });

  test.each([
    ["the one account there is", [acme], ["shop (http)"]],
    ["another connector", [acme], ["shop (mail of acme)"]],
    ["another one, declared now", ["shop.book"], [acme]],
    ["its own name, no longer declared", [acme], ["shop.book"]],
  ])("is held when it leads to %s", (_, before, after) => {
    expect(workflowOf(...before).refused(next(...after))).toBe("grants_for_another_account");
  });

  test("is a plain one when nothing was ever granted", () => {
    const s = new Scenario();
    s.do(of(acme));
    s.do(next(other));
  });
});

describe("[R123] a major version", () => {
  const second: ActivateVersion = { ...first, major: 2, scriptHash: "script 2.0" };
  const inputOf = (id: string) =>
    inputIdOf({ source: "system", type: "manual", externalId: `returns/${id}` });

  function worked(): Scenario {
    const s = shop();
    for (const id of ["r1", "r2", "r3"]) s.do(byHand("returns", id));
    for (const id of ["r1", "r2"]) {
      const runId = s.prepared("book", [["returns", id]]);
      s.do({ kind: "finish_mutate", runId }, emptyCommit(runId));
    }
    return s;
  }
  const statuses = (s: Scenario) =>
    ["r1", "r2", "r3"].map((id) => {
      const { status, attempt } = s.event("returns", id);
      return `${status} ${attempt}`;
    });

  test("keeps what is done and what waits, unless it is told otherwise", () => {
    const s = worked();
    expect(kindsOf(s.do(second))).toEqual(["version_activated"]);
    expect(statuses(s)).toEqual(["consumed 1", "consumed 1", "pending 1"]);
  });

  test("fresh: everything once more, as new attempts", () => {
    const s = worked();
    expect(kindsOf(s.do({ ...second, progress: "fresh" }))).toEqual([
      "version_activated",
      "topic_reset",
    ]);
    expect(statuses(s)).toEqual(["pending 2", "pending 2", "pending 1"]);
  });

  test("select: what these inputs caused, and what is pending anyway stays so", () => {
    const s = worked();
    const select = [inputOf("r2"), inputOf("r3"), inputOf("r2")];
    s.do({ ...second, progress: { select } });
    expect(statuses(s)).toEqual(["consumed 1", "pending 2", "pending 1"]);
  });

  test("is refused as a whole for an input nobody knows, and for too many", () => {
    const s = worked();
    const select = (...ids: string[]) => ({ ...second, progress: { select: ids } });
    expect(s.refusal(select(inputOf("r1"), "in_none"))).toEqual({
      code: "input_not_found",
      note: "in_none: There is no such input.",
    });
    const many = Array.from({ length: 1_001 }, () => inputOf("r1"));
    expect(s.refused(select(...many))).toBe("limit_exceeded");
  });

  test("begins nothing anew while a run holds an event", () => {
    const s = worked();
    s.prepared("book", [["returns", "r3"]]);
    expect(s.refused({ ...second, progress: "fresh" })).toBe("topic_has_reserved_event");
    const progress = { select: [inputOf("r3")] };
    expect(s.refused({ ...second, progress })).toBe("event_is_reserved");
    s.do(second);
  });

  test("[R54] leaves an open run the script it began with", () => {
    const s = worked();
    const runId = s.start("book");
    s.do(second);
    expect(s.view.load("runs", runId).scriptHash).toBe("script 1.0");
    s.failLogic(runId);
    s.do({ kind: "retry_run", runId, actor: "ada" });
    expect(s.view.load("runs", s.retry(runId)).scriptHash).toBe("script 2.0");
  });
});

describe("[R124] orphans: what a version would leave without anybody to work it off", () => {
  const holdings: Holdings = {
    topics: [
      { name: "orders", declared: true, subscriber: "book" },
      { name: "returns", declared: true, subscriber: "book" },
      { name: "old", declared: false, subscriber: null },
      { name: "older", declared: false, subscriber: null },
    ],
    handlers: [
      { ...book, declared: true, waitingCount: 0 },
      { ...poll, declared: true, webhook: true, waitingCount: 4 },
      { ...poll, name: "before", declared: false, waitingCount: 9 },
    ],
    pendingCounts: new Map([
      ["orders", 3],
      ["returns", 2],
      ["old", 1],
    ]),
    openRun: { runId: "r9", handler: "book" },
  };
  const hook = { name: "poll", webhook: true };
  const topicsOf = (subscriber: string | null) => [
    { name: "orders", subscriber },
    { name: "returns", subscriber },
  ];

  test("none when everything is taken over, but what had been left before", () => {
    const after = { topics: topicsOf("book"), handlers: [{ name: "book", webhook: false }, hook] };
    expect(orphansOf(holdings, after)).toEqual({
      topics: [{ topic: "old", why: "gone", pendingCount: 1 }],
      handlers: [],
    });
  });

  test("a handler that is gone, with its topics, events and open run", () => {
    const after = { topics: topicsOf(null), handlers: [hook] };
    expect(orphansOf(holdings, after)).toMatchObject({
      topics: [
        { topic: "orders", why: "unsubscribed", pendingCount: 3 },
        { topic: "returns", why: "unsubscribed", pendingCount: 2 },
        { topic: "old" },
      ],
      handlers: [
        { handler: "book", kind: "consumer", why: "gone", pendingCount: 5, openRun: "r9" },
      ],
    });
  });

  test("a handler that was renamed leaves no events when another takes its topics", () => {
    const after = { topics: topicsOf("file"), handlers: [{ name: "file", webhook: false }, hook] };
    const { topics, handlers } = orphansOf(holdings, after);
    expect(topics.map(({ topic }) => topic)).toEqual(["old"]);
    expect(handlers).toMatchObject([{ handler: "book", pendingCount: 0, openRun: "r9" }]);
  });

  test("a topic that is gone, and deliveries that nothing takes any more", () => {
    const after = {
      topics: [{ name: "orders", subscriber: "book" }],
      handlers: [
        { name: "book", webhook: false },
        { name: "poll", webhook: false },
      ],
    };
    expect(orphansOf(holdings, after)).toMatchObject({
      topics: [{ topic: "returns", why: "gone", pendingCount: 2 }, { topic: "old" }],
      handlers: [{ handler: "poll", why: "no_webhook", waitingCount: 4, openRun: null }],
    });
  });
});

test("[R123] events of a topic that goes and comes back are still there", () => {
  const s = shop();
  s.produce("poll", { publishes: [publication("returns", "r1")] });
  const handlers = [poll, { ...book, subscribe: ["orders"] }].map((each) => {
    return { ...each, publishes: ["orders"] };
  });
  const without = version(2, 0, { topics: ["orders"], schemas: manifest.schemas, handlers });
  s.do(without);
  s.do({ ...first, major: 3 });
  expect(s.event("returns", "r1").status).toBe("pending");
});
