import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { writeSampleHistory } from "@holdfast/host/testing";
import { openSqliteStore } from "@holdfast/store/sqlite";
import { expect, onTestFinished, test } from "vitest";
import { cli, runProgram } from "../testing/run-program.ts";

test("[R136] doctor and why say that a run which has ended holds an event", async () => {
  const data = mkdtempSync(join(tmpdir(), "holdfast-doctor-"));
  onTestFinished(() => rmSync(data, { recursive: true }));
  const clock = () => Date.now();
  const store = await openSqliteStore({ folder: data, clock, newIncarnation: () => "doctored" });
  await writeSampleHistory(store, "orders");
  await store.close();
  const well = await runProgram(cli, { data }, "doctor");
  expect(well.stdout).toMatch(/^ok +wedges +none$/m);
  const database = new DatabaseSync(join(data, "holdfast.db"));
  database.exec("PRAGMA foreign_keys = OFF");
  database.exec(`UPDATE events SET reserved_by =
    (SELECT run_id FROM runs WHERE workflow = 'orders' AND open = 0 LIMIT 1)
    WHERE message_id = 'o2'`);
  database.close();
  const { status, stdout } = await runProgram(cli, { data }, "doctor");
  expect(status).toBe(1);
  expect(stdout).toMatch(/^WRONG +wedges +orders: orphan_reservation orders\/o2/m);
  const why = await runProgram(cli, { data }, "why", "orders");
  expect(why.stdout).toContain("UNEXPLAINED  orders/o2: it is held by run");
});
