import { applyPostgresSchema } from "@holdfast/store/postgres";
import {
  type RequestReport,
  sharedServerUrl,
  templateDatabase,
} from "@holdfast/store/testing/postgres";
import { beforeAll, describe, expect, test } from "vitest";
import { breakages } from "./broken-host.ts";
import { seesBreakage } from "./controls.ts";
import {
  chosenPoints,
  commitPoints,
  problemsOf,
  recordRequests,
  tryAll,
  tryPoints,
} from "./cut-matrix.ts";
import { kindOf } from "./cut-point.ts";
import { type Ground, tryCut } from "./cut-trial.ts";
import { openingCuts, tryOpening } from "./opening-cuts.ts";

// The reduced matrix; `node tests/postgres/main.ts cuts` cuts every request at every place.

const quietly = () => {};
/** Takes half a minute on two free cores; other tests may be using them. */
const busyMachineMs = 300_000;
const makeSchema = (url: string) => applyPostgresSchema({ url });

let ground: Ground;
let requests: readonly RequestReport[];

beforeAll(async () => {
  const serverUrl = await sharedServerUrl();
  const { name: template } = await templateDatabase(serverUrl, makeSchema);
  ground = { serverUrl, template };
  requests = await recordRequests(ground);
});

describe("a host whose connection is cut", () => {
  test(
    "[R157] goes on with the same store, loses nothing acknowledged and repeats nothing outside",
    async () => {
      const points = chosenPoints(requests).filter((_, index) => index % 4 === 0);
      const reports = await tryPoints(ground, points, quietly);
      expect(problemsOf(reports)).toEqual([]);
      const missed = reports.filter(({ cut }) => cut === null);
      expect(missed.length).toBeLessThan(reports.length / 20);
    },
    busyMachineMs,
  );

  test("is tried at every statement that matters", () => {
    const kinds = new Set(requests.map(({ sql }) => kindOf(sql)));
    for (const kind of [
      ...["open_host_1", "create_workflow_1", "append_1", "claim_1", "heartbeat_1", "load_9"],
      ...["commit_group_1", "commit_each_1", "read_inbox_1", "peek_1", "journal", "scan"],
      ...["release_1", "close_host_1", "pg_notify", "LISTEN", "store_meta", "current_setting"],
    ]) {
      expect(kinds).toContain(kind);
    }
  });

  test.each(breakages)(
    "would be caught going on wrongly: %s",
    async (breakage) => {
      expect(await seesBreakage(ground, requests, breakage)).toBe(true);
    },
    busyMachineMs,
  );

  test("may say the very same change again, which lands once or comes too late", async () => {
    const manner = "repeats-the-same-change";
    const points = commitPoints(requests).filter((_, index) => index % 24 < 2);
    const trials = points.map((point) => () => tryCut(ground, point, manner));
    expect(problemsOf(await tryAll(trials, quietly))).toEqual([]);
  });
});

test("a store whose opening is cut comes to be whole, and once", async () => {
  const serverUrl = await sharedServerUrl();
  const undisturbed = await tryOpening(serverUrl, null);
  expect(undisturbed.problems).toEqual([]);
  const cuts = openingCuts(undisturbed.requests).filter(
    ({ place }) => place.at === "after-request",
  );
  expect(cuts.length).toBeGreaterThan(10);
  const reports = await tryAll(
    cuts.map((cut) => () => tryOpening(serverUrl, cut)),
    quietly,
  );
  expect(problemsOf(reports)).toEqual([]);
});
