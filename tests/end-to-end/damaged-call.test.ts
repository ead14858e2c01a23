import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type CanonicalValue, decodeCanonical, encodeCanonical } from "@holdfast/core";
import { expect, test } from "vitest";
import { Desk } from "./desk.ts";
import { places } from "./stores.ts";
import { deployOrders } from "./story.ts";

/**
 * Plays a disk that gives back other bytes than it was given, or somebody at the file: the one
 * test that writes into a table.
 */
function alterRecordedCall(folder: string, sum: number): void {
  const database = new DatabaseSync(join(folder, "holdfast.db"));
  try {
    const found = database.prepare("SELECT payload_inline FROM mutations").get();
    const call = decodeCanonical(found?.["payload_inline"] as Uint8Array) as {
      readonly body: Readonly<Record<string, CanonicalValue>>;
    };
    const altered = encodeCanonical({ ...call, body: { ...call.body, sum } });
    const { changes } = database.prepare("UPDATE mutations SET payload_inline = ?").run(altered);
    expect(changes).toBe(1);
  } finally {
    database.close();
  }
}

test("[R91] a host does not start on a call that is not the one its journal says", async () => {
  const store = await places.SQLite();
  const desk = await Desk.open(store);
  await deployOrders(desk.host, ["shop.get"], ["shop.post"]);
  await desk.publish("o-1", 82_000);
  const { attentionId } = await desk.question("approval");
  await desk.say("brake", "on", "orders");
  expect(await desk.say("approve", "orders", attentionId)).toMatch(/^0 /);
  await desk.host.stop();
  if (store.kind === "sqlite") alterRecordedCall(store.folder, 820_000);
  await expect(desk.startAgain()).rejects.toThrow(/TABLES_DIFFER .*mutations .*payload/);
  expect(desk.sums).toEqual([]);
});
