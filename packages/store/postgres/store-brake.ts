import {
  invariant,
  type StoreBrake,
  type StoreBrakeTurn,
  type TurnedStoreBrake,
} from "@holdfast/core";
import type { Database } from "./connection.ts";
import { rowsOfWorkflow } from "./load.ts";

const turn = "SELECT * FROM holdfast.turn_store_brake_1($1, $2, $3, $4, $5, $6, $7, $8, $9)";

export async function turnStoreBrake(
  database: Database,
  store: string,
  { isOn, reason, key, command }: StoreBrakeTurn,
): Promise<TurnedStoreBrake> {
  const { commandId, actor, kind, body, at } = command;
  const values = [store, isOn, reason, key, commandId, actor, kind, Buffer.from(body), at];
  const row = await database.row("turn store brake", turn, values);
  invariant(row !== undefined, "turn_store_brake_1 answers with one row");
  return { commandId: String(row[0]), changed: row[1] === true };
}

const tell = "SELECT holdfast.tell_of_store_brake_1($1, $2, $3)";

export async function tellOfStoreBrake(
  database: Database,
  store: string,
  workflow: string,
): Promise<void> {
  const values = [store, workflow, database.now()];
  await rowsOfWorkflow(database, workflow, { name: "tell of store brake", sql: tell, values });
}

const find = "SELECT actor, at, reason FROM holdfast.store_brake WHERE is_on";

export async function findStoreBrake(database: Database): Promise<StoreBrake | null> {
  const row = await database.row("find store brake", find);
  if (row === undefined) return null;
  const [setBy, setAt, reason] = row;
  return { setBy: String(setBy), setAt: Number(setAt), reason: String(reason) };
}
