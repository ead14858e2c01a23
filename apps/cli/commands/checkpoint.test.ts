import { invariant, type Store, tableNames } from "@holdfast/core";
import { verify, WorkflowOwner } from "@holdfast/host";
import { openPostgresStore } from "@holdfast/store";
import { openMemoryStore } from "@holdfast/store/memory";
import { createSchemaDatabase } from "@holdfast/store/testing/postgres";
import { describe, expect, test } from "vitest";
import { withIntruder } from "../testing/intruder.ts";
import { cli, runProgram } from "../testing/run-program.ts";
import { runSql } from "../testing/run-sql.ts";
import { appendPause, createWorkflow } from "../testing/small-history.ts";
import { takeBesideHosts } from "./checkpoint.ts";

const leaseMs = 60_000;

/** As a host does that was told of a command. */
async function claimAs(store: Store, incarnation: string, workflow: string) {
  await store.openHost({ incarnation, leaseMs });
  await appendPause(store, workflow);
  const { claims } = await store.claim(incarnation, 1);
  const [claim] = claims;
  invariant(claim?.workflow === workflow, "the workflow is claimed");
  return new WorkflowOwner(store, claim);
}

async function summaryOf(store: Store, workflow: string) {
  const [summary] = await store.listWorkflows(null, 10);
  invariant(summary?.workflow === workflow, "the workflow is there");
  return summary;
}

describe("holdfast checkpoint on PostgreSQL", () => {
  test("leaves a workflow to its living owner, who is not disturbed", async () => {
    const { url, drop } = await createSchemaDatabase();
    const store = await openPostgresStore({ url, newIncarnation: () => "store-1" });
    await createWorkflow(store, "idle");
    await createWorkflow(store, "orders");
    const owner = await claimAs(store, "host-1", "orders");
    await owner.loadView();
    const { status, stdout } = await runProgram(cli, { url }, "checkpoint");
    expect(stdout).toBe(
      "idle: checkpoint at record 2\norders: left out, its owner is the host host-1\n",
    );
    expect(status).toBe(0);
    expect(await owner.foldInbox(3, 10)).toMatchObject([{ kind: "done" }]);
    await store.closeHost("host-1");
    const later = await runProgram(cli, { url }, "checkpoint", "--json");
    const checkpoints = [
      { workflow: "idle", seq: 3 },
      { workflow: "orders", seq: 4 },
    ];
    expect(JSON.parse(later.stdout)).toEqual({ ok: true, checkpoints });
    const verified = await runProgram(cli, { url }, "verify");
    expect(verified.stdout).toMatch(/orders: 0 records from the checkpoint before record 5/);
    await store.close();
    await drop();
  });

  test("leaves out what a dead host owns, so that its successor learns of the death", async () => {
    const { url, drop } = await createSchemaDatabase();
    let now = 0;
    const clock = () => now;
    const store = await openPostgresStore({ url, clock, newIncarnation: () => "store-1" });
    await createWorkflow(store, "orders");
    await claimAs(store, "host-1", "orders");
    now += 2 * leaseMs;
    const { stdout } = await runProgram(cli, { url }, "checkpoint");
    expect(stdout).toMatch(/orders: left out, its owner is the host host-1\nno checkpoint/);
    await store.openHost({ incarnation: "host-2", leaseMs });
    const { claims } = await store.claim("host-2", 1);
    expect(claims).toMatchObject([{ workflow: "orders", unclean: true }]);
    await store.close();
    await drop();
  });
});

describe("damage that holdfast verify finds", () => {
  test.each([
    {
      of: "a workflow that a host owns",
      sql: "UPDATE holdfast.workflows SET error='x', owner='h'",
    },
    { of: "a head that was set back", sql: "UPDATE holdfast.workflows SET head = 0" },
  ])("is found by checkpoint too, and ends with 1: $of", async ({ sql }) => {
    const { url, drop } = await createSchemaDatabase();
    const store = await openPostgresStore({ url, newIncarnation: () => "store-1" });
    await createWorkflow(store, "orders");
    await runSql(url, sql);
    await createWorkflow(store, "sound");
    await store.close();
    for (const command of ["verify", "checkpoint"]) {
      const { status, stdout } = await runProgram(cli, { url }, command);
      expect(stdout).toMatch(/^orders: .*\n {2}(TABLES_DIFFER|JOURNAL_CORRUPT) at record \d/);
      expect(stdout).toMatch(/^sound: /m);
      expect(status).toBe(1);
    }
    await drop();
  });
});

describe("a checkpoint beside hosts", () => {
  const scanCount = 2 * tableNames.length;
  const places = Array.from({ length: scanCount }, (_, index) => index + 1);

  test.each(places)("misses when a host claims at scan %i", async (atScan) => {
    const store = openMemoryStore({ clock: () => 0, newIncarnation: () => "store-1" });
    await createWorkflow(store, "orders");
    const intruded = withIntruder(
      store,
      (scan) => scan === atScan,
      () => claimAs(store, "host-1", "orders"),
    );
    const outcome = await takeBesideHosts(intruded, await summaryOf(store, "orders"));
    expect(outcome).toMatchObject({ workflow: "orders", why: expect.stringMatching(/host/) });
    expect((await store.load("orders", [])).head.seq).toBe(1);
  });

  test.each(places)("misses when another one is taken at scan %i", async (atScan) => {
    const store = openMemoryStore({ clock: () => 0, newIncarnation: () => "store-1" });
    await createWorkflow(store, "orders");
    const summary = await summaryOf(store, "orders");
    const intruded = withIntruder(
      store,
      (scan) => scan === atScan,
      () => takeBesideHosts(store, summary),
    );
    expect(await takeBesideHosts(intruded, summary)).toHaveProperty("why");
    const [report] = await verify(store, { full: true });
    expect(report).toMatchObject({ head: 2, problems: [] });
  });

  test.each(places)("is taken although a command came at scan %i", async (atScan) => {
    const store = openMemoryStore({ clock: () => 0, newIncarnation: () => "store-1" });
    await createWorkflow(store, "orders");
    const intruded = withIntruder(
      store,
      (scan) => scan === atScan,
      () => appendPause(store, "orders"),
    );
    const outcome = await takeBesideHosts(intruded, await summaryOf(store, "orders"));
    expect(outcome).toEqual({ workflow: "orders", seq: 2 });
  });
});
