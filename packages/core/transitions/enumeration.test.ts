import { describe, expect, test } from "vitest";
import { rules } from "../decide.ts";
import { refusals } from "../journal/refusal.ts";
import { refusalAliases } from "./aliases.ts";
import { allCells } from "./all-families.ts";
import { checkFamily, checkRow, checkUnaffected, type Family, listGaps } from "./family.ts";
import { phaseFamily } from "./phase-table.ts";
import { workflowFamily } from "./workflow-table.ts";

/** A copy of a family whose table has one text replaced by another. */
function tampered<O>(family: Family<O>, from: string, to: string): Family<O> {
  expect(family.table).toContain(from);
  return { ...family, table: family.table.replace(from, to) };
}

describe("the tables together", () => {
  test("try every command core knows", () => {
    const tried = new Set(allCells().map((cell) => cell.kind));
    expect(Object.keys(rules).filter((kind) => !tried.has(kind as never))).toEqual([]);
  });

  test("show every refusal they have a word for, and every word is a refusal of core", () => {
    const shown = new Set(allCells().map((cell) => cell.outcome));
    expect(Object.keys(refusalAliases).filter((alias) => !shown.has(alias))).toEqual([]);
    expect(Object.values(refusalAliases).filter((code) => !(code in refusals))).toEqual([]);
    expect(new Set(Object.values(refusalAliases)).size).toBe(Object.keys(refusalAliases).length);
  });
});

describe("negative control: the enumerator reports", () => {
  test("nothing about the tables as they are", () => {
    expect(checkFamily(phaseFamily)).toEqual([]);
    expect(checkFamily(workflowFamily)).toEqual([]);
  });

  test("a wrong outcome and a wrong refusal", () => {
    const outcome = tampered(
      workflowFamily,
      "absent    paused    ispau",
      "absent    active    ispau",
    );
    expect(checkRow(outcome, "pause_workflow")).toEqual([
      "pause_workflow × active: expected active, got paused",
    ]);
    const refusal = tampered(
      workflowFamily,
      "absent    paused    ispau",
      "absent    paused    isarc",
    );
    expect(checkRow(refusal, "pause_workflow")).toEqual([
      "pause_workflow × paused: expected isarc, got ispau",
    ]);
  });

  test("a cell that is missing, left open or too many", () => {
    const missing = tampered(workflowFamily, "pause_workflow      absent", "pause_workflow");
    expect(listGaps(missing)).toEqual(["row pause_workflow has 5 cells for 6 states"]);
    const open = tampered(workflowFamily, "absent    paused    ispau", "absent    ?         ispau");
    expect(listGaps(open)).toEqual(["cell pause_workflow × active is missing"]);
    const extra = tampered(
      workflowFamily,
      "absent    paused    ispau",
      "absent    paused ac ispau",
    );
    expect(listGaps(extra)).toEqual(["row pause_workflow has 7 cells for 6 states"]);
  });

  test("a row that is missing, there twice or nobody's, and a column that is missing", () => {
    const renamed = tampered(phaseFamily, "send         ", "sent         ");
    expect(listGaps(renamed)).toEqual(["row send is missing", "row sent is nobody's"]);
    const twice = tampered(phaseFamily, "send         ", "settle       ");
    expect(listGaps(twice)).toEqual(["row settle stands there twice", "row send is missing"]);
    const { pg: _, ...columns } = phaseFamily.columns;
    expect(listGaps({ ...phaseFamily, columns })[0]).toMatch(/^columns are pg pd .* not pd /);
  });

  test("a command that the table does not know", () => {
    const rows = {
      ...phaseFamily.rows,
      another: { command: () => ({ kind: "fail_run", runId: "r1" }) },
    };
    expect(listGaps({ ...phaseFamily, rows } as Family)).toEqual(["row another is missing"]);
  });

  test("a command of core that is in neither table, in both, or unknown to core", () => {
    const { unaffected } = phaseFamily;
    const neither = unaffected.replace(/^run_now .*$/m, "");
    expect(listGaps({ ...phaseFamily, unaffected: neither })).toEqual([
      "command run_now is in neither table",
    ]);
    const both = unaffected.replace(/^run_now/m, "commit_run");
    expect(listGaps({ ...phaseFamily, unaffected: both })).toEqual([
      "command run_now is in neither table",
      "command commit_run is in both tables",
    ]);
    const unknown = unaffected.replace(/^run_now/m, "run_soon");
    expect(listGaps({ ...phaseFamily, unaffected: unknown })).toEqual([
      "command run_now is in neither table",
      "run_soon is no command",
    ]);
    const { commit: _, ...rows } = phaseFamily.rows;
    expect(listGaps({ ...phaseFamily, rows })).toEqual([
      "row commit is nobody's",
      "command commit_run is in neither table",
    ]);
  });

  test("an unaffected cell that is missing, refused otherwise, or affected after all", () => {
    const { unaffected } = phaseFamily;
    const missing = unaffected.replace(/^(run_now .*) same$/m, "$1");
    expect(listGaps({ ...phaseFamily, unaffected: missing })).toEqual([
      "row run_now has 9 cells for 10 states",
    ]);
    const otherwise = unaffected.replace(/^(run_now .*) same$/m, "$1 closed");
    expect(checkUnaffected({ ...phaseFamily, unaffected: otherwise }, "run_now")).toEqual([
      "run_now × cm: expected closed, got same",
    ]);
    const affected = "pg\nfinish_prepare same";
    const { pg } = phaseFamily.columns;
    expect(pg).toBeDefined();
    const columns = pg ? { pg } : {};
    const family = { ...phaseFamily, columns, unaffected: affected };
    expect(checkUnaffected(family, "finish_prepare")).toEqual([
      "finish_prepare × pg: expected same, got pd",
    ]);
    const golden = { ...family, unaffected: "pg\nfinish_prepare pd" };
    expect(checkUnaffected(golden, "finish_prepare")).toEqual([
      "finish_prepare: pd is neither same nor a refusal",
    ]);
  });
});
