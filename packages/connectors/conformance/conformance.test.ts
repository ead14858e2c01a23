import { labelOf } from "@holdfast/connector-kit";
import { type Subject, testConnector } from "@holdfast/connector-kit/conformance";
import { describe, expect, test } from "vitest";
import { http } from "../http/connector.ts";
import {
  alwaysApplied,
  broken,
  errorAsApplied,
  errorAsNotFound,
  following,
  hanging,
  mutatingReconcile,
  neverFound,
  neverSure,
  newKeys,
  nonsense,
  otherResult,
  patient,
  refusing,
  resetAsFailed,
  retrying,
  serverErrorAsFailed,
  timeoutAsFailed,
  unasked,
  unheeding,
  visibleAtOnce,
} from "./broken.ts";
import {
  httpByBoth,
  httpByKey,
  httpByLookup,
  httpByNeither,
  keyAccount,
  orderSubject,
  webhookPush,
} from "./subjects.ts";

function named<Code>([code, subject]: readonly [Code, Subject]) {
  return [code, subject.name, subject] as const;
}

describe("a label is earned", () => {
  test.each(
    (
      [
        ["exactly once by key", httpByKey],
        ["exactly once by key", httpByBoth],
        ["at most once, verified", httpByLookup],
        ["at most once, asks you", httpByNeither],
        ["at most once, asks you", webhookPush],
      ] as const
    ).map(named),
  )("[R63, R65, R68, R75, R114] %s: %s", async (label, _, subject) => {
    const { faults, earned } = await testConnector(subject);
    expect(faults).toEqual([]);
    expect(earned).toBe(label);
  });

  test.each([
    [httpByKey.name, httpByKey, "key"],
    [httpByLookup.name, httpByLookup, "ask"],
    [httpByNeither.name, httpByNeither, "person"],
    [webhookPush.name, webhookPush, "person"],
  ] as const)(
    "[R65, S17] %s: each scenario happens, and what the host makes of it is true",
    async (_, subject, way) => {
      const { trials } = await testConnector(subject);
      const seen = trials.slice(1).map((trial) => {
        expect(trial.way).toBe(way);
        return [trial.scenario, `${trial.says}, done ${trial.changeCount}`];
      });
      expect(Object.fromEntries(seen)).toEqual(expectedBy(way));
      if (way === "person") {
        expect(trials.filter(({ requestCount }) => requestCount > 1)).toEqual([]);
      }
    },
  );
});

const sure = { key: "applied, done 1", ask: "applied, done 1", person: "unknown, done 1" };
const lost = { key: "applied, done 1", ask: "failed, done 0", person: "unknown, done 0" };

/** By key it is sent again; by asking it is found, or proven not to be there. */
function expectedBy(way: "key" | "ask" | "person") {
  return {
    "the last check says no": "unsent, done 0",
    "nobody listens": "failed, done 0",
    "the request is lost": lost[way],
    "the answer is lost": sure[way],
    "it is to be sent elsewhere": lost[way],
    "two answers are lost": sure[way],
    "the answer is cut off": sure[way],
    "a server error after it was done": sure[way],
    "done when nobody waited any more": sure[way],
    "the host gives up, and it is done later": sure[way],
    "the request arrives twice": way === "key" ? "applied, done 1" : "applied, done 2",
    "the service restarts after it was done": sure[way],
    "reads are late": sure[way],
    "reads are late, and the request is lost": lost[way],
    ...(way === "ask" && {
      "reads are errors in a 200": "applied, done 1",
      "reads are errors in a 200, and the request is lost": "failed, done 0",
    }),
  };
}

/** Posts a note beside the orders, at the same service. */
function notingReconcile(): Subject {
  const notes = { connector: "http", allowPrivateAddresses: true };
  return {
    ...httpByLookup,
    connect: (baseUrl) => {
      const post = http.connect("notes", { ...notes, baseUrl }).operations["post"];
      const note = () =>
        post?.admit({ path: "/notes", body: {} }).execute({
          key: "note",
          timeoutMs: 5_000,
          signal: new AbortController().signal,
          go: () => {},
        }) ?? Promise.reject(new Error("no post"));
      const wrong = broken(httpByLookup, "reconcile mutates", mutatingReconcile(note));
      return wrong.connect(baseUrl);
    },
  };
}

describe("a broken connector earns nothing, for its own reason", () => {
  test.each(
    (
      [
        ["applied_untrue", broken(httpByLookup, "reconcile always applied", alwaysApplied)],
        ["not_found_untrue", broken(httpByLookup, "reconcile always failed", neverFound)],
        ["timeout_as_failed", broken(httpByLookup, "timeout as failed", timeoutAsFailed)],
        ["server_error_as_failed", broken(httpByLookup, "5xx as failed", serverErrorAsFailed)],
        ["not_found_too_early", broken(httpByLookup, "believes it at once", visibleAtOnce)],
        ["error_as_proof", broken(httpByLookup, "error as not found", errorAsNotFound)],
        ["error_as_proof", broken(httpByLookup, "error as applied", errorAsApplied)],
        ["key_changes", broken(httpByKey, "a new key each time", newKeys)],
        ["result_differs", broken(httpByLookup, "another result", otherResult)],
        ["reconcile_mutates", notingReconcile()],
        ["failed_untrue", broken(httpByNeither, "reset as failed", resetAsFailed)],
        ["never_finds_out", broken(httpByLookup, "never sure", neverSure)],
        ["changed_twice", orderSubject({ name: "no keys there", account: keyAccount })],
        ["several_requests", broken(httpByKey, "retries by itself", retrying)],
        ["several_requests", broken(httpByLookup, "follows redirects", following)],
        ["sent_without_leave", broken(webhookPush, "never asks", unasked)],
        ["sent_without_leave", broken(httpByLookup, "does not heed a no", unheeding)],
        ["ignores_signal", broken(httpByNeither, "goes on for nobody", patient)],
        ["does_not_work", broken(httpByKey, "refuses everything", refusing)],
      ] as const
    ).map(named),
  )("[R63, R68, R75, R114] %s: %s", async (code, _, subject) => {
    const { faults, earned, claimed } = await testConnector(subject);
    expect([...new Set(faults.map((fault) => fault.code))]).toEqual([code]);
    expect(earned).toBeNull();
    expect(claimed).toBe(labelOf(guaranteeOf(subject)));
  });

  test("[R63] a reconcile that answers nonsense is named, and nothing is believed", async () => {
    const { faults, trials } = await testConnector(broken(httpByLookup, "nonsense", nonsense));
    const codes = new Set(faults.map(({ code }) => code));
    expect(codes).toEqual(new Set(["answers_nonsense", "never_finds_out"]));
    expect(
      trials.filter(({ says }) => says === "failed").map(({ changeCount }) => changeCount),
    ).toEqual([0]);
  });

  test("a call that never ends is given up", async () => {
    const subject = { ...broken(webhookPush, "hangs", hanging), timeoutMs: 50 };
    const { faults, trials } = await testConnector(subject);
    expect(faults.map(({ code }) => code)).toEqual(["never_settles", "does_not_work"]);
    expect(trials.length).toBe(1);
  });
});

function guaranteeOf({ connect, operation, params }: Subject) {
  const admitted = connect("http://127.0.0.1:1").operations[operation]?.admit(params);
  if (admitted === undefined) throw new Error(`no ${operation}`);
  return admitted.guarantee;
}
