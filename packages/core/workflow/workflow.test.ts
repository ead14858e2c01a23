import { describe, expect, test } from "vitest";
import { decide } from "../decide.ts";
import {
  byHand,
  bytesOf,
  consumer,
  type EventName,
  emptyCommit,
  factsOf,
  kindsOf,
  producer,
  Scenario,
  version,
} from "../testing/scenario.ts";
import { View } from "../view/view.ts";

const first = version(1, 0, {
  topics: ["orders", "returns"],
  handlers: [producer("poll"), consumer("book", ["orders"]), consumer("accept", ["returns"])],
});
const o1: EventName = ["orders", "o1"];
const actor = "ada";

function shop(): Scenario {
  const s = new Scenario();
  s.do(first);
  return s;
}

describe("a new version", () => {
  const second = version(2, 0, {
    topics: ["orders", "mails"],
    handlers: [producer("poll"), consumer("book", ["orders"]), consumer("read", ["mails"])],
  });

  test("says which topics and handlers are new, kept and gone", () => {
    const s = shop();
    const [fact] = factsOf(s.do(second));
    expect(fact).toMatchObject({
      kind: "version_activated",
      newTopics: [{ name: "mails", subscriber: "read" }],
      keptTopics: [{ name: "orders" }],
      goneTopics: ["returns"],
      newHandlers: [{ name: "read" }],
      keptHandlers: [{ name: "poll" }, { name: "book" }],
      goneHandlers: ["accept"],
    });
    expect(s.view.load("workflows")).toMatchObject({ versionMajor: 2, versionMinor: 0 });
  });

  test("keeps state, events and what was consumed", () => {
    const s = shop();
    s.do(byHand("orders", "o1"));
    s.do(byHand("orders", "o2"));
    s.do(emptyCommit(s.mutated("book", [o1]), { state: bytesOf(7) }));
    s.do(second);
    expect(s.handler("book").state?.inline).toEqual(bytesOf(7));
    expect(s.event("orders", "o1").status).toBe("consumed");
    expect(s.event("orders", "o2").status).toBe("pending");
  });

  test("lets its consumers look once more at what the old code had left", () => {
    const s = shop();
    s.do(byHand("orders", "o1"));
    s.do(emptyCommit(s.prepared("book", [])));
    s.produce("poll", { nextRunAt: null });
    expect(s.nextWork()).toMatchObject({ kind: "wait" });
    s.do(second);
    expect(s.nextWork()).toMatchObject({ kind: "start_run", handler: "book", why: "event" });
  });

  test("closes a gone topic to publishing and a gone handler to running", () => {
    const s = shop();
    s.do(second);
    expect(s.refused(byHand("returns", "r1"))).toBe("topic_not_declared");
    const start = { kind: "start_run", handler: "accept", asOf: 0, trigger: null } as const;
    expect(s.refused(start)).toBe("handler_not_declared");
    expect(s.refused({ ...start, handler: "nobody" })).toBe("handler_not_found");
    expect(s.view.load("topics", "returns")).toMatchObject({ declared: false, subscriber: null });
  });

  test("brings back a topic and a handler that had gone, with what they had", () => {
    const s = shop();
    s.do(byHand("returns", "r1"));
    s.do(emptyCommit(s.prepared("accept", []), { state: bytesOf(1) }));
    s.do(second);
    s.do({ ...first, major: 3 });
    expect(s.handler("accept")).toMatchObject({ declared: true, state: { inline: bytesOf(1) } });
    expect(s.event("returns", "r1").status).toBe("pending");
  });

  const stale: readonly (readonly [text: string, major: number, minor: number])[] = [
    ["the same", 1, 0],
    ["an older minor of an older major", 0, 9],
  ];
  test.each(stale)("must be newer: %s is refused", (_, major, minor) => {
    const s = shop();
    expect(s.refused({ ...second, major, minor })).toBe("version_not_newer");
  });

  test("a higher major is newer whatever the minor", () => {
    const s = shop();
    s.do(second);
    s.do({ ...second, major: 2, minor: 9 });
    s.do({ ...second, major: 3, minor: 0 });
  });

  const book = consumer("book", ["orders"]);
  const topic = { name: "orders", subscriber: "book", observed: false, schema: null };
  const wrong: readonly (readonly [what: string, part: Partial<typeof first>, code: string])[] = [
    ["two topics of one name", { topics: [topic, topic], handlers: [book] }, "version_invalid"],
    ["two handlers of one name", { topics: [topic], handlers: [book, book] }, "version_invalid"],
    [
      "two subscribers of one topic",
      { topics: [topic], handlers: [book, consumer("other", ["orders"])] },
      "version_invalid",
    ],
    ["a subscription to an unknown topic", { topics: [], handlers: [book] }, "version_invalid"],
    [
      "publishing to an unknown topic",
      { topics: [topic], handlers: [consumer("book", ["orders"], { publishes: ["x"] })] },
      "version_invalid",
    ],
    [
      "a topic that names another subscriber",
      { topics: [{ ...topic, subscriber: null }], handlers: [book] },
      "version_invalid",
    ],
    ["a name that is no id", { topics: [], handlers: [producer("a\nb")] }, "id_invalid"],
  ];
  test.each(wrong)("is refused with %s", (_, part, code) => {
    const s = shop();
    expect(s.refused({ ...second, ...part })).toBe(code);
  });
});

describe("a new version and the run that was open", () => {
  const mended = (handlers = [consumer("book", ["orders"])]) =>
    version(2, 0, { topics: ["orders"], handlers });

  test("a run that failed on the old script is retried on the new one", () => {
    const s = shop();
    s.do(byHand("orders", "o1"));
    const runId = s.prepared("book", [o1]);
    s.failLogic(runId);
    expect(kindsOf(s.do(mended()))).toEqual([
      "version_activated",
      "attention_closed",
      "run_retry_ordered",
    ]);
    expect(s.nextWork()).toEqual({ kind: "start_retry", runId });
    expect(s.view.load("runs", s.retry(runId)).version).toBe("2.0");
  });

  test("a failure of the host itself is not retried by a deploy", () => {
    const s = shop();
    const runId = s.start("book");
    const failure = { class: "internal", message: "bug", location: "host" } as const;
    s.do({ kind: "fail_run", runId, failure });
    expect(kindsOf(s.do(mended()))).toEqual(["version_activated"]);
  });

  test("a run whose handler is gone is waited on, not looped, and goes on when it is back", () => {
    const s = shop();
    s.do(byHand("orders", "o1"));
    const runId = s.prepared("book", [o1]);
    s.failLogic(runId);
    s.do(version(2, 0, { topics: ["orders"], handlers: [producer("poll")] }));
    expect(s.nextWork(s.now + 1e9)).toMatchObject({ kind: "wait", until: null });
    const open = [...s.view.rows("attentions")].filter((row) => row.closedAt === null);
    expect(open.map((row) => row.kind)).toContain("action_needed");
    expect(s.refused({ kind: "retry_run", runId, actor })).toBe("handler_not_declared");
    s.do({ ...mended(), major: 3 });
    expect(s.nextWork()).toEqual({ kind: "start_retry", runId });
  });

  test("[R54] a run of a gone handler is finished on the version it began with", () => {
    const s = shop();
    s.do(byHand("orders", "o1"));
    const runId = s.mutated("book", [o1]);
    s.do(version(2, 0, { topics: ["orders"], handlers: [producer("poll")] }));
    expect(s.nextWork()).toEqual({ kind: "continue_run", runId });
    expect(s.event(...o1).reservedBy).toBe(runId);
  });
});

describe("pause, resume, archive", () => {
  test("[R126] a person's pause and the host's error are separate, and both stop the work", () => {
    const s = shop();
    s.do({ kind: "pause_workflow", actor });
    expect(s.view.load("workflows")).toMatchObject({ status: "paused", error: null });
    expect(s.nextWork()).toMatchObject({ kind: "stopped" });
    s.do({ kind: "resume_workflow", actor });
    const crashed = s.start("poll");
    s.do({ kind: "recover_run", incarnation: "h2" });
    s.retry(crashed);
    s.do({ kind: "recover_run", incarnation: "h3" });
    const { status, error } = s.view.load("workflows");
    expect(status).toBe("active");
    expect(error).not.toBeNull();
    expect(s.nextWork()).toMatchObject({ kind: "stopped" });
    s.do({ kind: "pause_workflow", actor });
    expect(s.view.load("workflows")).toMatchObject({ status: "paused", error });
    const resumed = s.do({ kind: "resume_workflow", actor });
    expect(kindsOf(resumed).slice(0, 2)).toEqual(["workflow_resumed", "workflow_error_cleared"]);
    expect(s.nextWork()).toMatchObject({ kind: "start_retry" });
  });

  test("a run that a pause had stopped goes on with the resume", () => {
    const s = shop();
    const runId = s.start("poll");
    s.do(
      { kind: "pause_workflow", actor },
      { kind: "pause_run", runId, because: { reason: "user" } },
    );
    s.do({ kind: "resume_workflow", actor });
    expect(s.nextWork()).toEqual({ kind: "continue_run", runId });
  });

  test("an archived workflow does nothing, keeps everything, and comes back paused", () => {
    const s = shop();
    s.do(byHand("orders", "o1"));
    const runId = s.start("book");
    expect(s.refused({ kind: "archive_workflow", actor })).toBe("workflow_has_open_run");
    s.do(s.preparing(runId, []), emptyCommit(runId));
    s.do({ kind: "archive_workflow", actor });
    expect(s.nextWork()).toMatchObject({ kind: "stopped" });
    const other = { ...first, minor: 9 };
    for (const kind of ["pause_workflow", "resume_workflow", "archive_workflow"] as const) {
      expect(s.refused({ kind, actor })).toBe("workflow_is_archived");
    }
    expect(s.refused(other)).toBe("workflow_is_archived");
    s.do({ kind: "restore_workflow", actor });
    expect(s.view.load("workflows").status).toBe("paused");
    expect(s.event(...o1).status).toBe("pending");
  });

  test("asking for what is so already is refused by name", () => {
    const s = shop();
    expect(s.refused({ kind: "resume_workflow", actor })).toBe("workflow_is_active");
    expect(s.refused({ kind: "restore_workflow", actor })).toBe("workflow_is_active");
    s.do({ kind: "pause_workflow", actor });
    expect(s.refused({ kind: "pause_workflow", actor })).toBe("workflow_is_paused");
    expect(s.refused({ kind: "restore_workflow", actor })).toBe("workflow_is_paused");
    expect(s.refused({ kind: "create_workflow", name: "orders" })).toBe("workflow_exists");
  });

  test("nothing can be asked of a workflow that was never created", () => {
    const empty = View.empty("orders");
    const asked = [
      first,
      byHand("orders", "o1"),
      { kind: "pause_workflow", actor },
      { kind: "resume_workflow", actor },
      { kind: "archive_workflow", actor },
      { kind: "restore_workflow", actor },
      { kind: "run_now", actor },
      { kind: "set_brake", operation: "*", reason: "", actor },
    ] as const;
    for (const command of asked) {
      const decision = decide(empty, command, 1);
      expect(decision.ok ? "accepted" : decision.refusal.code).toBe("workflow_not_created");
    }
  });
});
