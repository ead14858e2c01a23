import { describe, expect, test } from "vitest";
import { rules } from "../decide.ts";
import { refusals } from "../journal/refusal.ts";
import { refusalAliases } from "./aliases.ts";
import { allCells } from "./all-families.ts";
import { checkFamily, checkRow, type Family, listGaps } from "./family.ts";
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
      another: { command: () => ({ kind: "run_now", actor: "a" }) },
    };
    expect(listGaps({ ...phaseFamily, rows } as Family)).toEqual(["row another is missing"]);
  });
});
