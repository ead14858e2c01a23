import type { CommandKind, CoreCommand } from "../command.ts";
import { decide, rules } from "../decide.ts";
import { apply } from "../journal/apply.ts";
import type { Decision } from "../journal/decision.ts";
import { View } from "../view/view.ts";
import { aliasOfRefusal, refusalAliases } from "./aliases.ts";
import { defaultCommands } from "./default-commands.ts";
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
  /**
   * All other commands, by kind, each as defaultCommands has it: `same` = accepted, and the
   * subject is as it was; else a refusal.
   */
  readonly unaffected: string;
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

/** The cells that are not there, or there twice, or nobody's; and so the commands. */
export function listGaps<O>(family: Family<O>): string[] {
  const columns = Object.keys(family.columns);
  const others = parseGrid(family.unaffected);
  return [
    ...missingOrExtra(parseGrid(family.table), { columns, rows: Object.keys(family.rows) }),
    ...missingOrExtra(others, { columns, rows: [...others.rows.keys()] }),
    ...misplacedKinds(family),
  ];
}

/** Every command of core stands in the table or among the unaffected ones, never in both. */
function misplacedKinds<O>(family: Family<O>): string[] {
  const inTable = new Set(Object.keys(family.rows).map((name) => kindOfRow(family, name)));
  const others = unaffectedKinds(family);
  const unknown = others.filter((kind) => !(kind in rules));
  const wrong = Object.keys(rules).flatMap((kind) => {
    const isInTable = inTable.has(kind);
    if (isInTable !== others.includes(kind)) return [];
    return [`command ${kind} is in ${isInTable ? "both tables" : "neither table"}`];
  });
  return [...wrong, ...unknown.map((kind) => `${kind} is no command`)];
}

function kindOfRow<O>({ columns, rows }: Family<O>, name: string): string {
  const reach = Object.values(columns)[0];
  const row = rows[name];
  if (!row || !reach) throw new Error(`there is no row ${name}`);
  return row.command(reach(row.given)).kind;
}

export function unaffectedKinds<O>({ unaffected }: Family<O>): string[] {
  return [...parseGrid(unaffected).rows.keys()];
}

/** What is wrong in one row: each cell is tried, even where an earlier one failed. */
export function checkRow<O>(family: Family<O>, name: string): string[] {
  const cells = parseGrid(family.table).rows.get(name) ?? [];
  return checkCells(family, { name, cells, attempt: tryCell });
}

/** The same for a row of `unaffected`. */
export function checkUnaffected<O>(family: Family<O>, kind: string): string[] {
  const cells = parseGrid(family.unaffected).rows.get(kind) ?? [];
  const allowed = (cell: string) => cell === same || cell in refusalAliases;
  const strange = cells.filter((cell) => !allowed(cell));
  return [
    ...strange.map((cell) => `${kind}: ${cell} is neither ${same} nor a refusal`),
    ...checkCells(family, { name: kind, cells, attempt: tryUnaffected }),
  ];
}

type CheckedRow<O> = {
  readonly name: string;
  readonly cells: readonly string[];
  readonly attempt: (family: Family<O>, name: string, column: string) => CellResult;
};

function checkCells<O>(family: Family<O>, { name, cells, attempt }: CheckedRow<O>): string[] {
  return Object.keys(family.columns).flatMap((column, index) => {
    const { outcome, problems } = attempt(family, name, column);
    const expected = cells[index] ?? "nothing";
    const wrong = outcome === expected ? [] : [`expected ${expected}, got ${outcome}`];
    return [...wrong, ...problems].map((problem) => `${name} × ${column}: ${problem}`);
  });
}

export function checkFamily<O>(family: Family<O>): string[] {
  return [
    ...listGaps(family),
    ...Object.keys(family.rows).flatMap((name) => checkRow(family, name)),
    ...unaffectedKinds(family).flatMap((kind) => checkUnaffected(family, kind)),
  ];
}

/** Every cell of both tables. */
export function tryAll<O>(family: Family<O>): CellResult[] {
  return Object.keys(family.columns).flatMap((column) => [
    ...Object.keys(family.rows).map((name) => tryCell(family, name, column)),
    ...unaffectedKinds(family).map((kind) => tryUnaffected(family, kind, column)),
  ]);
}

/** The word for a command that was accepted and left the subject as it was. */
const same = "same";

function tryUnaffected<O>(family: Family<O>, kind: string, column: string): CellResult {
  const command = defaultCommands[kind as CommandKind];
  const tried = tryCell({ ...family, rows: { [kind]: { command } } }, kind, column);
  if (tried.kind !== kind) throw new Error(`the default of ${kind} is a ${tried.kind}`);
  if (tried.outcome in refusalAliases) return tried;
  const s = family.columns[column]?.();
  const before = s && family.outcome(s, { runId: s.runId, mutationId: s.mutationId });
  return tried.outcome === before ? { ...tried, outcome: same } : tried;
}

function tryCell<O>(family: Family<O>, name: string, column: string): CellResult {
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
