import type { CoreCommand } from "../command.ts";
import { decide } from "../decide.ts";
import { apply } from "../journal/apply.ts";
import type { Decision } from "../journal/decision.ts";
import type { JournalRecord } from "../journal/record.ts";
import type { RefusalCode } from "../journal/refusal.ts";
import { invariant } from "../ports/invariant.ts";
import type { Instant, MutationRow, RunRow } from "../view/rows.ts";
import { keyOf, type TableName, tableNames } from "../view/tables.ts";
import { View } from "../view/view.ts";

/** What the command of a cell is about; "r0" and "m0" name nothing. */
export type Subject = { readonly runId: string; readonly mutationId: string };

/** One workflow, brought somewhere by commands alone: no row is ever put in by hand. */
export class Scenario {
  readonly view = View.empty("w");
  readonly records: JournalRecord[] = [];
  now: Instant = 1_000_000;
  /** The latest run and call, unless a builder points at an older one. */
  runId = "r0";
  mutationId = "m0";

  ask(command: CoreCommand): Decision {
    return decide(this.view, command, this.now);
  }

  /** The command must be legal here. */
  run(command: CoreCommand): this {
    const decision = this.ask(command);
    const why = decision.ok ? "" : decision.refusal.code;
    invariant(decision.ok, `${command.kind} was refused on the way: ${why}`);
    return this.fold(decision.records);
  }

  /** The code of the refusal; null = the command is legal. Nothing changes either way. */
  refusalOf(command: CoreCommand): RefusalCode | null {
    const decision = this.ask(command);
    return decision.ok ? null : decision.refusal.code;
  }

  fold(records: readonly JournalRecord[]): this {
    for (const record of records) {
      apply(this.view, record);
      this.records.push(record);
      const { fact } = record;
      if (fact.kind === "run_started") this.runId = fact.runId;
      if (fact.kind === "mutation_recorded") this.mutationId = fact.call.mutationId;
    }
    return this;
  }

  later(ms: number): this {
    this.now += ms;
    return this;
  }

  runRow(runId = this.runId): RunRow {
    return this.view.load("runs", runId);
  }

  mutationRow(mutationId = this.mutationId): MutationRow {
    return this.view.load("mutations", mutationId);
  }

  openQuestions(): string[] {
    return [...this.view.rows("attentions")]
      .filter((row) => row.closedAt === null)
      .map((row) => row.kind);
  }
}

/** Every row of every table as text: equal texts are equal views. */
export function rowsText(view: View): string {
  return tableNames.map((table) => [table, ...linesOf(view, table)].join("\n")).join("\n");
}

function linesOf<T extends TableName>(view: View, table: T): string[] {
  return [...view.rows(table)].map((row) => `${keyOf(table, row)} ${JSON.stringify(row)}`).sort();
}
