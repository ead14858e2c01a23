import { type Rows, type Store, type TableName, tableNames } from "@holdfast/core";
import { verify, type WorkflowOwner } from "@holdfast/host";
import { openPostgresStore } from "@holdfast/store";
import { openMemoryStore } from "@holdfast/store/memory";
import {
  createSchemaDatabase,
  type TestConnection,
  withConnection,
} from "@holdfast/store/testing/postgres";
import { describe, expect, test } from "vitest";
import { withIntruder } from "../testing/intruder.ts";
import { cli, runProgram } from "../testing/run-program.ts";
import { appendPause, createWorkflow } from "../testing/small-history.ts";

const openMemory = () => openMemoryStore({ clock: () => 0, newIncarnation: () => "store-1" });
const places = tableNames.map((_, index) => index + 1);

async function verifyBesideHosts(store: Store) {
  const moving: string[] = [];
  const onMoving = (workflow: string) => void moving.push(workflow);
  return { reports: await verify(store, { full: true, onMoving }), moving };
}

/** Something that a host may do to a workflow again and again. */
async function goOn(owner: WorkflowOwner): Promise<void> {
  const { status } = (await owner.loadView()).load("workflows");
  const kind = status === "paused" ? "resume_workflow" : "pause_workflow";
  await owner.execute([{ kind, actor: "ann" }], 3);
}

describe("verify beside hosts", () => {
  test.each(places)("looks again when a host went on at scan %i", async (atScan) => {
    const store = openMemory();
    const owner = await createWorkflow(store, "orders");
    const intruded = withIntruder(
      store,
      (scan) => scan === atScan,
      () => goOn(owner),
    );
    const { reports, moving } = await verifyBesideHosts(intruded);
    expect(reports).toMatchObject([{ workflow: "orders", head: 2, problems: [] }]);
    expect(moving).toEqual([]);
  });

  test.each(places)("looks again when a command came at scan %i", async (atScan) => {
    const store = openMemory();
    await createWorkflow(store, "orders");
    const intruded = withIntruder(
      store,
      (scan) => scan === atScan,
      () => appendPause(store, "orders"),
    );
    const { reports } = await verifyBesideHosts(intruded);
    expect(reports).toMatchObject([{ workflow: "orders", problems: [] }]);
  });

  test("judges the others when one never stands still", async () => {
    const store = openMemory();
    const owner = await createWorkflow(store, "busy");
    await createWorkflow(store, "orders");
    const intruded = withIntruder(
      store,
      () => true,
      () => goOn(owner),
    );
    const { reports, moving } = await verifyBesideHosts(intruded);
    expect(moving).toEqual(["busy"]);
    expect(reports).toMatchObject([{ workflow: "orders", problems: [] }]);
  });

  test("does not take damage for movement", async () => {
    const store = openMemory();
    await createWorkflow(store, "orders");
    const { reports } = await verifyBesideHosts(withWrongRow(store));
    expect(reports[0]?.problems).toMatchObject([{ code: "TABLES_DIFFER" }]);
  });
});

function withWrongRow(store: Store): Store {
  return {
    ...store,
    scan: async function* <T extends TableName>(workflow: string, table: T) {
      for await (const row of store.scan(workflow, table)) {
        yield (table === "workflows" ? { ...row, error: "other" } : row) as Rows[T];
      }
    },
  };
}

/** Read at every look; neither read nor written by somebody who goes on. */
const table = "holdfast.skipped_firings";
const locked = `BEGIN; LOCK TABLE ${table}`;

async function isWaited(client: TestConnection, mode: string): Promise<boolean> {
  const waiting = `SELECT 1 FROM pg_locks WHERE NOT granted AND relation = '${table}'::regclass`;
  return (await client.query(`${waiting} AND mode = '${mode}'`)).rows.length > 0;
}

/** Whoever reads the table waits each time until something was done. */
async function atEveryRead(url: string, isOver: () => boolean, act: () => Promise<void>) {
  const hold = async (looks: TestConnection, one: TestConnection, other: TestConnection) => {
    let [holding, next] = [one, other];
    await holding.query(locked);
    while (!isOver()) {
      if (!(await isWaited(looks, "AccessShareLock"))) continue;
      await act();
      const held = next.query(locked);
      // Behind this reader, and so before the next one.
      await expect.poll(() => isWaited(looks, "AccessExclusiveLock")).toBe(true);
      await holding.query("COMMIT");
      await held;
      [holding, next] = [next, holding];
    }
    await holding.query("COMMIT");
  };
  await withConnection(url, (looks) =>
    withConnection(url, (one) => withConnection(url, (other) => hold(looks, one, other))),
  );
}

test("ends with 3 and names the workflow that a host does not leave alone", async () => {
  const { url, drop } = await createSchemaDatabase();
  const store = await openPostgresStore({ url, newIncarnation: () => "store-1" });
  const owner = await createWorkflow(store, "busy");
  await createWorkflow(store, "orders");
  let isEnded = false;
  const verified = runProgram(cli, { url }, "verify").finally(() => {
    isEnded = true;
  });
  await atEveryRead(
    url,
    () => isEnded,
    () => goOn(owner),
  );
  const { status, stdout, stderr } = await verified;
  expect(stdout).toMatch(/1 workflow verified, nothing differs/);
  expect(stderr).toMatch(/^STORE_CHANGED: not judged, because a host went on with them: busy\n/);
  expect(status).toBe(3);
  await store.close();
  await drop();
});
