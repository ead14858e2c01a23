import type { CommandKind, CoreCommand } from "../command.ts";
import { decide } from "../decide.ts";
import { apply } from "../journal/apply.ts";
import type { Decision } from "../journal/decision.ts";
import { View } from "../view/view.ts";
import { aliasOfRefusal, refusalAliases } from "./aliases.ts";
import { missingOrExtra, parseGrid } from "./grid.ts";
import { brokenInvariants, edgesWalked, illegalEdges, type WalkedEdge } from "./invariants.ts";
import { loadedFor } from "./partial-view.ts";
import { rowsText, type Scenario, type Subject } from "./scenario.ts";

/** One command in one of its variants, with what is special about it. */
export type Row<O> = {
  readonly command: (s: Scenario) => CoreCommand;
  /** How the state is to be reached for this row; absent = the usual way. */
  readonly given?: O;
  /** What else happens between reaching the state and the command. */
  readonly first?: (s: Scenario) => unknown;
};

/** All states of one status × all commands that meet it, with the outcome of every pair. */
export type Family<O = never> = {
  /** A way to every state, by the name of its column. */
  readonly columns: Readonly<Record<string, (given?: O) => Scenario>>;
  readonly rows: Readonly<Record<string, Row<O>>>;
  /** The hand-written outcomes. A word of refusalAliases is a refusal, any other a new state. */
  readonly table: string;
  /** What became of the subject, in the words of the table. */
  readonly outcome: (s: Scenario, subject: Subject) => string;
};

export type CellResult = {
  readonly kind: CommandKind;
  readonly outcome: string;
  readonly edges: readonly WalkedEdge[];
  /** What is wrong besides the outcome. */
  readonly problems: readonly string[];
};

/** The cells that are not there, or there twice, or nobody's. */
export function listGaps<O>({ columns, rows, table }: Family<O>): string[] {
  const grid = parseGrid(table);
  return missingOrExtra(grid, { columns: Object.keys(columns), rows: Object.keys(rows) });
}

/** What is wrong in one row: each cell is tried, even where an earlier one failed. */
export function checkRow<O>(family: Family<O>, name: string): string[] {
  const cells = parseGrid(family.table).rows.get(name) ?? [];
  return Object.keys(family.columns).flatMap((column, index) => {
    const { outcome, problems } = tryCell(family, name, column);
    const expected = cells[index] ?? "nothing";
    const wrong = outcome === expected ? [] : [`expected ${expected}, got ${outcome}`];
    return [...wrong, ...problems].map((problem) => `${name} × ${column}: ${problem}`);
  });
}

export function checkFamily<O>(family: Family<O>): string[] {
  return [
    ...listGaps(family),
    ...Object.keys(family.rows).flatMap((name) => checkRow(family, name)),
  ];
}

export function tryCell<O>(family: Family<O>, name: string, column: string): CellResult {
  const row = family.rows[name];
  const reach = family.columns[column];
  if (!row || !reach) throw new Error(`there is no cell ${name} × ${column}`);
  const s = reach(row.given);
  row.first?.(s);
  const command = row.command(s);
  const before = rowsText(s.view);
  const decision = decide(s.view, command, s.now);
  const problems = rowsText(s.view) === before ? [] : ["the decision changed the view it saw"];
  problems.push(...problemsOfAgain(s, command, decision));
  const subject = { runId: s.runId, mutationId: s.mutationId };
  if (!decision.ok) {
    const outcome = aliasOfRefusal(decision.refusal.code);
    return { kind: command.kind, outcome, edges: edgesWalked(s.records), problems };
  }
  s.fold(decision.records);
  problems.push(...problemsAfter(s, decision.after));
  const outcome = family.outcome(s, subject);
  if (outcome in refusalAliases) problems.push(`${outcome} is an outcome and a refusal`);
  return { kind: command.kind, outcome, edges: edgesWalked(s.records), problems };
}

/** The same command again, and once more on a view that holds only what the command named. */
function problemsOfAgain(s: Scenario, command: CoreCommand, decision: Decision): string[] {
  const again = sameDecision(decision, decide(s.view, command, s.now));
  const loaded = sameDecision(decision, decide(loadedFor(s.view, command), command, s.now));
  return [
    ...(again ? [] : ["the same command was decided differently the second time"]),
    ...(loaded ? [] : ["a view of what it needs leads to another decision"]),
  ];
}

function sameDecision(one: Decision, two: Decision): boolean {
  if (!one.ok || !two.ok) return JSON.stringify(one) === JSON.stringify(two);
  return JSON.stringify([one.records, one.actions]) === JSON.stringify([two.records, two.actions]);
}

/** Folding the same records from the start gives the same rows, and the rows make sense. */
function problemsAfter(s: Scenario, after: View): string[] {
  const folded = View.empty("w");
  for (const record of s.records) apply(folded, record);
  const rows = rowsText(folded);
  return [
    ...(rowsText(s.view) === rows ? [] : ["folding from the start gives other rows"]),
    ...(rowsText(after) === rows ? [] : ["the decision promised other rows than the fold gives"]),
    ...brokenInvariants(folded),
    ...illegalEdges(s.records),
  ];
}
