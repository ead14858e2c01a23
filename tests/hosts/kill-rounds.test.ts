import { createTestDatabase, TestServer } from "@holdfast/store/testing/postgres";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { acknowledgeEarly } from "./controls.ts";
import { KillRounds, serverBlows } from "./kill-rounds.ts";

// A few rounds; `npm run hosts -- kills` does two hundred.

/** Takes 20 s on two free cores; other tests may be using them. */
const busyMachineMs = 400_000;

describe("hosts and their server, killed in turns under load", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start();
  }, busyMachineMs);
  afterAll(() => server.stop());

  test(
    "[R134] leave every acknowledged commit, none twice, and nothing by halves",
    async () => {
      const { url } = await createTestDatabase(server.url());
      const summary = await KillRounds.run(server, url, {
        rounds: 6,
        seed: 1,
        workflowCount: 20,
        periodMs: 1_500,
        leaseMs: 2_000,
        onProgress: () => {},
      });
      expect(summary.problems).toEqual([]);
      expect(summary.hostKillCount).toBeGreaterThanOrEqual(3);
      for (const blow of serverBlows) expect(summary.serverBlows[blow]).toBe(1);
      expect(summary.history.committedCount).toBeGreaterThan(0);
      expect(summary.history.outsideCount).toBeGreaterThan(0);
    },
    busyMachineMs,
  );

  test("would be caught if a commit were acknowledged too early", async () => {
    const { url } = await createTestDatabase(server.url());
    const problems = await acknowledgeEarly(server, url);
    expect(problems.join("\n")).toMatch(/the acknowledged change up to \d+ is not there/);
  });
});
