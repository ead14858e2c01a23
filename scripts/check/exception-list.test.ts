import { describe, expect, test } from "vitest";
import {
  applyExceptions,
  checkOnlyShrinks,
  type Exception,
  type Excess,
  parseExceptions,
} from "./exception-list.ts";

const finding = { path: "a.ts", line: 1, problem: "too long", mend: "split it" };
const place = { rule: "function-lines", path: "a.ts", subject: "f" };
const excess: Excess = { ...place, size: 70, findings: [finding] };
const entry = (size: number): Exception => ({ ...place, size, why: "one table of states" });

function problems(excesses: readonly Excess[], exceptions: readonly Exception[]): string[] {
  return applyExceptions(excesses, exceptions).map(({ problem }) => problem);
}

describe("an exception", () => {
  test("of today's size forgives", () => {
    expect(problems([excess], [entry(70)])).toEqual([]);
  });

  test("is missing, so the excess is reported", () => {
    expect(problems([excess], [])).toEqual(["too long"]);
    expect(problems([excess], [{ ...entry(70), subject: "g" }])).toHaveLength(2);
  });

  test("does not cover growth", () => {
    expect(problems([excess], [entry(69)])).toEqual(["function-lines, f grew from 69 to 70"]);
  });

  test("follows what shrank", () => {
    expect(problems([excess], [entry(71)])).toEqual(["function-lines, f shrank from 71 to 70"]);
  });

  test("goes when it is not needed", () => {
    expect(problems([], [entry(70)])).toEqual([expect.stringContaining("is not needed")]);
  });
});

describe("the list since the last commit", () => {
  test.each([
    ["a new entry", [entry(70), { ...entry(70), path: "b.ts" }], 1],
    ["a bigger entry", [entry(71)], 1],
    ["a rule that had none", [{ ...entry(1), rule: "import" }], 1],
    ["the same list", [entry(70)], 0],
    ["a smaller entry", [entry(69)], 0],
    ["a moved entry", [{ ...entry(70), path: "b.ts" }], 0],
    ["no entry", [], 0],
  ])("%s", (_, now, findingCount) => {
    expect(checkOnlyShrinks(now, [entry(70)])).toHaveLength(findingCount);
  });
});

describe("the file", () => {
  test("is read", () => {
    expect(parseExceptions(JSON.stringify([entry(70)]))).toEqual([entry(70)]);
  });

  test.each([
    ["no list", "{}"],
    ["no reason", JSON.stringify([{ ...entry(70), why: "" }])],
    ["no size", JSON.stringify([{ ...place, why: "one table of states" }])],
    ["no path", JSON.stringify([{ ...entry(70), path: 1 }])],
  ])("with %s is refused", (_, text) => {
    expect(() => parseExceptions(text)).toThrow("exceptions.json");
  });
});
