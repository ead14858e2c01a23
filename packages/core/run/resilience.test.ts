import { describe, expect, test } from "vitest";
import { decide } from "../decide.ts";
import { genesisHash, sealRecords } from "../journal/record.ts";
import { InvariantError } from "../ports/invariant.ts";
import { partialView } from "../testing/partial-view.ts";
import {
  asking,
  byHand,
  bytesOf,
  call,
  consumer,
  emptyCommit,
  kindsOf,
  phasesToRun,
  producer,
  publication,
  Scenario,
  version,
} from "../testing/scenario.ts";
import { inputStatus, isStaleInput } from "../topic/events-of-input.ts";
import { inputIdOf } from "../topic/input-id.ts";

const topics = ["orders", "a", "a/b"];
const o1 = ["orders", "o1"] as const;

function shop(): Scenario {
  const s = new Scenario();
  s.do(version(1, 0, { topics, handlers: [producer("poll"), consumer("book", topics)] }));
  return s;
}

describe("a run that looks again", () => {
  test("[R159] takes what was published since it started, once it has looked anew", () => {
    const s = shop();
    const runId = s.start("book");
    s.do(byHand(...o1));
    expect(s.refused(s.preparing(runId, [o1]))).toBe("prepare_again");
    const again = s.preparing(runId, [o1], { asOf: s.view.head.seq });
    s.do(again);
    expect(s.event(...o1).reservedBy).toBe(runId);
  });

  test("[R34] goes to next, not to mutate, when it had reserved nothing", () => {
    const s = shop();
    const runId = s.prepared("book", []);
    s.do({ kind: "pause_run", runId, because: { reason: "user" } });
    const { actions } = s.do({ kind: "resume_run", runId, actor: "ada" });
    expect(phasesToRun(actions)).toEqual(["next"]);
  });

  test("[R105] finishes in a paused workflow once the outside has been changed", () => {
    const s = shop();
    s.do(byHand(...o1));
    const runId = s.mutated("book", [o1]);
    s.do({ kind: "pause_workflow", actor: "ada" });
    expect(s.nextWork()).toEqual({ kind: "continue_run", runId });
    s.do(emptyCommit(runId));
    expect(s.nextWork()).toMatchObject({ kind: "stopped" });
  });
});

describe("text and numbers from scripts never bring the host down", () => {
  const broken = "\ud800";

  test("broken ids are refused, wherever they stand", () => {
    const s = shop();
    const runId = s.start("poll");
    const publishes = [{ ...publication("orders", "x"), messageId: broken }];
    const inputs = [{ source: "mail", type: "letter", externalId: broken, title: "t" }];
    expect(s.refused(emptyCommit(runId, { publishes }))).toBe("command_malformed");
    expect(s.refused(emptyCommit(runId, { inputs }))).toBe("command_malformed");
    expect(s.refused(emptyCommit(runId, { nextRunAt: Number.NaN }))).toBe("command_malformed");
    expect(s.refused({ ...byHand("orders", "x"), messageId: broken })).toBe("command_malformed");
  });

  test("a broken target is refused before anything is hashed", () => {
    const s = shop();
    s.do(byHand(...o1));
    const runId = s.prepared("book", [o1]);
    expect(s.refused(call(runId, { target: broken }))).toBe("command_malformed");
    expect(s.refused(call(runId, { connector: "" }))).toBe("id_invalid");
  });

  test("a failure's broken or endless message is mended and cut, and the failure kept", () => {
    const s = shop();
    const runId = s.start("book");
    const message = `${broken}${"x".repeat(1_000_000)}`;
    s.do({ kind: "fail_run", runId, failure: { class: "logic", message, location: broken } });
    const kept = s.view.load("runs", runId).failure?.message ?? "";
    expect(kept.length).toBeLessThanOrEqual(s.view.policy.noteCharsMax);
    expect(kept.isWellFormed()).toBe(true);
    expect(() => sealRecords("shop", { seq: 0, hash: genesisHash }, s.records)).not.toThrow();
  });

  test("a decision that did not load what it must compare with stops the process", () => {
    const s = shop();
    s.do(byHand(...o1));
    const first = s.prepared("book", [o1]);
    // Nobody has held these events before: only its own calls can be for them.
    expect(decide(partialView(s.view), call(first), s.now).ok).toBe(true);
    s.do({ kind: "stop_run", runId: first, actor: "ada" });
    s.do({ kind: "resume_workflow", actor: "ada" });
    const second = s.prepared("book", [o1]);
    expect(() => decide(partialView(s.view), call(second), s.now)).toThrow(InvariantError);
  });
});

describe("what the scheduler names can be done", () => {
  function approved(s: Scenario): string {
    s.do(byHand(...o1));
    const runId = s.prepared("book", [o1]);
    s.do(call(runId, { ask: asking(s.now + 100) }));
    const mutationId = s.view.load("runs", runId).mutationId ?? "";
    const { payloadHash } = s.view.load("mutations", mutationId);
    s.do({ kind: "approve_mutation", mutationId, payloadHash, previewHash: "p", actor: "ada" });
    return mutationId;
  }

  test("an approval that ran out unused is withdrawn and asked for again, never sent on", () => {
    const s = shop();
    const mutationId = approved(s);
    s.now += 200;
    expect(s.refused(s.sending(mutationId))).toBe("approval_expired");
    expect(s.nextWork()).toEqual({ kind: "expire_approval", mutationId });
    s.do({ kind: "expire_approval", mutationId });
    const { runId, state, payloadHash } = s.view.load("mutations", mutationId);
    expect(state).toBe("failed");
    const run = s.view.load("runs", runId);
    expect(run).toMatchObject({ status: "paused:approval", reason: "approval" });
    const again = s.view.load("mutations", run.mutationId ?? "");
    expect(again).toMatchObject({ state: "awaiting_approval", payloadHash, callNo: 2 });
  });

  test("a braked call waits instead of being tried in a circle", () => {
    const s = shop();
    approved(s);
    s.do({ kind: "set_brake", operation: "*", reason: "stop", actor: "ada" });
    expect(s.nextWork()).toMatchObject({ kind: "wait", note: "the brake is on" });
    s.do({ kind: "release_brake", operation: "*", actor: "ada" });
    expect(s.nextWork()).toMatchObject({ kind: "send" });
  });

  test("[R150] a yes that runs out behind the brake is asked for again", () => {
    const s = shop();
    const mutationId = approved(s);
    s.do({ kind: "set_brake", operation: "*", reason: "stop", actor: "ada" });
    expect(s.openRun().reason).toBe("brake");
    s.now += 200;
    expect(s.nextWork()).toEqual({ kind: "expire_approval", mutationId });
    s.do({ kind: "expire_approval", mutationId });
    expect(s.openRun()).toMatchObject({ status: "paused:approval", reason: "approval" });
    const open = [...s.view.rows("attentions")].filter(({ closedAt }) => closedAt === null);
    expect(open.map(({ kind }) => kind)).toEqual(["approval"]);
  });
});

describe("names", () => {
  test("[R12] a title that was cut is the same title the next time", () => {
    const s = shop();
    const title = "x".repeat(501);
    s.do(byHand("orders", "o1", { title }));
    expect(kindsOf(s.do(byHand("orders", "o1", { title })))).toEqual([]);
  });

  test("topics and ids with slashes are told apart", () => {
    const s = shop();
    s.do(byHand("a", "b/c"));
    s.do(byHand("a/b", "c"));
    expect([...s.view.rows("inputs")]).toHaveLength(2);
    const runId = s.start("book");
    s.do(
      s.preparing(runId, [
        ["a", "b/c"],
        ["a/b", "c"],
      ]),
    );
    expect(s.view.load("runs", runId).trigger).toBe("a/b/c");
  });

  test("[R145] the longest legal messageId needs no named input", () => {
    const s = shop();
    const publishes = [publication("orders", "x".repeat(512))];
    s.do(emptyCommit(s.start("poll"), { publishes }));
  });

  test("[R23] an input pending for more than a week is stale, until it is done", () => {
    const s = shop();
    s.do(byHand("orders", "o1"));
    const key = { source: "system", type: "manual", externalId: "orders/o1" };
    const id = inputIdOf(key);
    const week = 7 * 24 * 3_600_000;
    expect(isStaleInput(s.view, id, s.now + week)).toBe(false);
    expect(isStaleInput(s.view, id, s.now + week + 1)).toBe(true);
    s.do(emptyCommit(s.mutated("book", [o1])));
    expect(inputStatus(s.view, id)).toBe("done");
    expect(isStaleInput(s.view, id, s.now + week + 1)).toBe(false);
  });
});

describe("a version that cannot be", () => {
  const refusedVersion = (...handlers: Parameters<typeof version>[2]["handlers"]) =>
    shop().refused(version(2, 0, { topics, handlers }));

  test("is refused: a producer that subscribes, a consumer that does not", () => {
    expect(refusedVersion(producer("poll", { subscribe: ["orders"] }))).toBe("version_invalid");
    expect(refusedVersion(consumer("book", []))).toBe("version_invalid");
  });

  const book = consumer("book", ["orders"]);
  const file = consumer("file", ["orders"]);
  const subscribers = {
    "two subscribers": [
      { topics: ["orders"], handlers: [book, file] },
      "Topic orders has more than one subscriber.",
    ],
    "two, the other one named": [
      { topics: ["orders"], handlers: [file, book] },
      "Topic orders has more than one subscriber.",
    ],
    "a subscriber although it is observed": [
      { topics: [], observed: ["orders"], handlers: [book] },
      "Topic orders is observed and has a subscriber.",
    ],
  } as const;
  test.each(Object.entries(subscribers))(
    "[R6] is refused: a topic with %s",
    (_, [manifest, note]) => {
      const refusal = shop().refusal(version(2, 0, manifest));
      expect(refusal).toMatchObject({ code: "version_invalid", note });
    },
  );

  test("[R6] is refused: a topic that names another subscriber than subscribes", () => {
    const one = version(2, 0, { topics: ["orders"], handlers: [book] });
    const naming = (subscriber: string | null) => ({
      ...one,
      topics: [{ name: "orders", subscriber, observed: false, schema: null }],
    });
    for (const wrong of ["file", null]) {
      expect(shop().refused(naming(wrong))).toBe("version_invalid");
    }
    shop().do(naming("book"));
  });

  test("is refused: a handler that changes its kind under the same name", () => {
    expect(refusedVersion(producer("book"))).toBe("version_invalid");
  });
});

test("nobody but the host may act under the host's name", () => {
  const s = shop();
  const verdict = s.fold("pause_workflow", bytesOf({}), "host");
  expect(verdict).toMatchObject({ accepted: false, refusal: "command_malformed" });
});

test("[R108] a change that is proven not to have happened is retried later each time", () => {
  const s = shop();
  s.do(byHand(...o1));
  let runId = s.start("book");
  const dues: number[] = [];
  for (let round = 0; round <= s.view.policy.transientTriesMax; round += 1) {
    s.do(s.preparing(runId, [o1], { asOf: s.view.head.seq }));
    const { mutationId } = s.send(runId, { canReconcile: true, visibilityDelayMs: 0 });
    s.settle(mutationId, { says: "unknown", note: "no answer" });
    const answer = { says: "failed", note: "not there", quietForMs: 1 } as const;
    s.do({ kind: "answer_reconcile", mutationId, answer, jitter: 0 });
    const { dueAt, retryFrom } = s.view.load("runs", runId);
    if (retryFrom === null) break;
    dues.push((dueAt ?? 0) - s.now);
    s.now = dueAt ?? s.now;
    runId = s.retry(runId);
  }
  expect(dues).toEqual([10_000, 20_000, 40_000, 80_000, 160_000]);
  expect(s.view.load("runs", runId)).toMatchObject({ status: "paused:transient", dueAt: null });
  expect([...s.view.rows("attentions")].map((row) => row.kind)).toContain("retries_exhausted");
});

test("[R155] a person's 'it didn't happen' waits until the stopped host can no longer send", () => {
  const s = shop();
  s.do(byHand(...o1));
  const runId = s.prepared("book", [o1]);
  const { mutationId } = s.send(runId, { canReconcile: false });
  s.do({ kind: "recover_run", incarnation: "another" });
  const { quietFrom, state } = s.view.load("mutations", mutationId);
  expect(state).toBe("indeterminate");
  // biome-ignore lint/suspicious/noThenProperty: the word of the contract; never awaited
  const answer = { says: "did_not_happen", then: null } as const;
  const resolve = { kind: "resolve_mutation", mutationId, answer, actor: "ada" } as const;
  expect(s.refused(resolve)).toBe("host_may_still_be_sending");
  s.now = quietFrom ?? 0;
  s.do(resolve);
});
