import { type Change, countedForMs, type KeptOf, type KeptResult } from "@holdfast/core";
import type { Connection } from "./connection.ts";
import { requireWorkflow } from "./load.ts";

const keepResult = `
INSERT INTO kept_results (workflow, chain, call, at, result) VALUES (?, ?, ?, ?, ?)
ON CONFLICT (workflow, chain, call) DO UPDATE SET at = excluded.at, result = excluded.result`;

const forgetOld = "DELETE FROM kept_results WHERE workflow = ? AND at < ?";
const forgetChain = "DELETE FROM kept_results WHERE workflow = ? AND chain = ?";

/** Runs inside the change: whoever is no longer the owner keeps and forgets nothing. */
export function persistKept(
  connection: Connection,
  { workflow, kept = [], forgetKept = [] }: Change,
): void {
  for (const { chain, call, at, result } of kept) {
    connection.run(keepResult, workflow, chain, call, at, result);
    connection.run(forgetOld, workflow, at - countedForMs);
    connection.atBoundary?.("result kept");
  }
  for (const chain of forgetKept) connection.run(forgetChain, workflow, chain);
}

const found = "SELECT at, result FROM kept_results WHERE workflow = ? AND chain = ? AND call = ?";

export function findKept(
  connection: Connection,
  workflow: string,
  { chain, call }: KeptOf,
): KeptResult | null {
  requireWorkflow(connection, workflow);
  const row = connection.row(found, workflow, chain, call);
  if (row === undefined) return null;
  const [at, result] = row;
  return { chain, call, at: Number(at), result: result === null ? null : String(result) };
}
