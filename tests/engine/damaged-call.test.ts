import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { encodeCanonical, type Instant } from "@holdfast/core";
import { openSqliteStore } from "@holdfast/store/sqlite";
import { expect, onTestFinished, test } from "vitest";
import { approve, bookGrants, openRun, states } from "./granted-workflow.ts";
import { OrderShop, sandboxOfFile } from "./order-shop.ts";

const sandbox = sandboxOfFile();

/** Plays a disk that gives back other bytes than it was given: it writes past the store. */
function alterRecordedCall(folder: string, call: { readonly id: string; readonly sum: number }) {
  const database = new DatabaseSync(join(folder, "holdfast.db"));
  const sql = "UPDATE mutations SET payload_inline = ? WHERE state = 'ready'";
  const { changes } = database.prepare(sql).run(encodeCanonical(call));
  database.close();
  expect(changes).toBe(1);
}

test("[R91, S49] an approved call whose bytes have changed asks, and is not sent", async () => {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-damaged-"));
  const store = async (clock: () => Instant) => {
    const opened = await openSqliteStore({ folder, clock, newIncarnation: () => "store" });
    onTestFinished(async () => {
      await opened.close();
      rmSync(folder, { recursive: true });
    });
    return opened;
  };
  const shop = new OrderShop();
  const it = await shop.open(sandbox(), { store });
  await it.command("set_envelope", { grants: bookGrants({ say: "ask" }) });
  await it.live();
  await it.command("set_brake", { operation: "*", reason: "wait" });
  expect(await approve(it)).toBe("done");
  expect(await states(it)).toEqual(["ready"]);
  alterRecordedCall(folder, { id: "a", sum: 100 });
  await it.ask("release_brake", { operation: "*" });
  expect(shop.world.sent).toEqual([]);
  expect(await states(it)).toEqual(["ready"]);
  expect(await openRun(it)).toMatchObject({ status: "paused:approval", reason: "precondition" });
  const questions = (await it.rows("attentions")).filter(({ closedAt }) => closedAt === null);
  expect(questions.map(({ note }) => note)).toEqual([
    expect.stringContaining("the stored bytes of the call are not"),
  ]);
});
