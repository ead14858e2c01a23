import type { CoreCommand } from "../command.ts";
import { openIntentRuns } from "../intent/intent-run.ts";
import { needsOf } from "../needs.ts";
import type { Need, TableRow } from "../ports/store.ts";
import { findOpenRun } from "../run/find-runs.ts";
import type { Rows } from "../view/rows.ts";
import type { TableName } from "../view/tables.ts";
import { View } from "../view/view.ts";

/**
 * What a store would load for one decision, and nothing more, out of the whole. A command that
 * needs a row it did not name stops the process; here it stops the test.
 */
export function loadedFor(whole: View, command: CoreCommand): View {
  const { workflow, head, policy } = whole;
  const load = (needs: readonly Need[]) => ({
    workflow,
    head,
    epoch: 1,
    rows: needs.flatMap((need) => rowsFor(whole, need)),
    absent: needs.flatMap((need) => absentFor(whole, need)),
    needs,
  });
  const view = View.fromLoaded(load([{ kind: "base" }]), policy);
  view.add(load(needsOf(view, command)));
  return view;
}

function rowsFor(whole: View, need: Need): TableRow[] {
  switch (need.kind) {
    case "base":
      return baseRows(whole);
    case "row": {
      const row = whole.find(need.table, ...need.key);
      return row === null ? [] : [{ table: need.table, row } as TableRow];
    }
    case "input":
      return [
        ...rowsFor(whole, { kind: "row", table: "inputs", key: [need.inputId] }),
        ...rowsFor(whole, { kind: "row", table: "deliveries", key: [need.inputId] }),
        ...some(whole, "events", (event) => event.causedBy.includes(need.inputId)),
      ];
    case "mutation_key":
      return some(whole, "mutations", (row) => row.mutationKey === need.mutationKey);
    case "item": {
      const item = whole.find("items", need.itemId);
      if (item === null) return [];
      const isOf = (row: Rows["mutations"]) => row.itemId === item.itemId;
      return [
        { table: "items", row: item },
        ...some(whole, "mutations", (row) => isOf(row) && row.attempt === item.attempt),
      ];
    }
    case "run":
    case "uses":
    case "oldest_pending":
    case "waiting_deliveries":
    case "machine_inputs":
      throw new Error(`no command needs ${need.kind}`);
  }
}

function absentFor(whole: View, need: Need) {
  if (need.kind !== "row" || whole.find(need.table, ...need.key)) return [];
  return [{ table: need.table, key: need.key }];
}

function baseRows(whole: View): TableRow[] {
  const run = whole.find("workflows") ? findOpenRun(whole) : null;
  const runId = run?.runId ?? null;
  return [
    ...some(whole, "workflows"),
    ...some(whole, "topics"),
    ...some(whole, "handlers"),
    ...some(whole, "brakes"),
    ...some(whole, "attentions", (row) => row.closedAt === null),
    ...some(whole, "runs", (row) => row.open),
    ...openIntentRuns(whole).flatMap((each) => rowsOfIntent(whole, each)),
    ...some(whole, "reservations", (row) => row.runId === runId),
    ...some(whole, "events", (row) => row.reservedBy !== null && row.reservedBy === runId),
    ...some(whole, "mutations", (row) => isOf(row, run)),
    ...some(whole, "items", (row) => row.itemId === run?.itemId),
  ];
}

function rowsOfIntent(whole: View, run: Rows["runs"]): TableRow[] {
  return [
    { table: "runs", row: run },
    ...some(whole, "mutations", (row) => row.mutationId === run.mutationId),
    ...some(whole, "items", (row) => row.itemId === run.itemId),
  ];
}

function isOf({ mutationId, runId }: Rows["mutations"], run: Rows["runs"] | null): boolean {
  if (mutationId === run?.mutationId) return true;
  return run?.kind !== "job" && runId === run?.runId;
}

function some<T extends TableName>(
  whole: View,
  table: T,
  wanted: (row: Rows[T]) => boolean = () => true,
): TableRow[] {
  return [...whole.rows(table)].filter(wanted).map((row) => ({ table, row }) as TableRow);
}
