/**
 * The commands of machines, which no other state is affected by, as lines of a table: what comes
 * for machines is refused where there are none, and a frame or an intent leaves the rest alone.
 */
export function machineRows(
  columnCount: number,
  {
    fail,
    recover,
    inTable = [],
  }: {
    /** The cells of `fail_intent` and `await_executor`, for a call that is no machine's. */
    readonly fail: string;
    /** Those of `recover_intent`. */
    readonly recover: string;
    /** Those that the table has. */
    readonly inTable?: readonly string[];
  },
): string {
  const all = (kind: string, cell: string) => `${kind} ${`${cell} `.repeat(columnCount)}`;
  const same = ["commit_frame", "record_intent", "refuse_intent", "withdraw_intent"];
  return [
    ...["send_to_machine", "cancel_intent", "restart_cell", "snapshot_machines"].map((kind) =>
      all(kind, "nomach"),
    ),
    all("propose_version", "nomach"),
    ...["shadow_version", "decide_version", "apply_version", "swap_version"].map((kind) =>
      all(kind, "noprop"),
    ),
    all("hold_apply", "unaskd"),
    ...[...same, "begin_turn", "fail_machines"]
      .filter((kind) => !inTable.includes(kind))
      .map((kind) => all(kind, "same")),
    `fail_intent ${fail}`,
    `await_executor ${fail}`,
    `recover_intent ${recover}`,
  ].join("\n");
}

/** For a call in every state of the ledger. */
export const ledgerRows = machineRows(8, {
  fail: "unready notmach unready unready unready unready unready unready",
  recover: "notfly notfly notmach notfly notfly notfly notfly notfly",
});
