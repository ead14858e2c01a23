import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { ScriptSource } from "../compile/script-source.ts";
import { sandboxInTests } from "../testing/script.ts";
import { codeEntry, type ProblemCode, problemCodes } from "./problem-codes.ts";
import { readScripts } from "./testing/read-scripts.ts";
import { shop } from "./testing/shop.ts";
import { type Inspect, type Known, type Problem, validate } from "./validate.ts";

const theSandbox = sandboxInTests();
const inIsolate: Inspect = (script) => theSandbox().inspect(script);

type Expected = Readonly<Record<string, readonly string[]>>;

const folder = (name: string): URL => new URL(`./${name}/`, import.meta.url);
const expectedIn = (name: string): Expected =>
  JSON.parse(readFileSync(new URL("expected.json", folder(name)), "utf8"));

const faulty = readScripts(folder("faulty"));
const valid = readScripts(folder("valid"));
const expectedOfFaulty = expectedIn("faulty");
const expectedOfValid = expectedIn("valid");

const line = ({ severity, code, file, line: at, column }: Problem): string =>
  `${severity} ${code} ${file}:${at}:${column}`;

async function problemsOf(source: ScriptSource, known?: Known): Promise<readonly Problem[]> {
  const { problems } = await validate(source, inIsolate, known);
  return problems;
}

describe("[R2, R3, R4, R5, R6, R7, R8, L13, L14] a faulty script", () => {
  test("has an expectation, and every expectation has a script", () => {
    expect([...faulty.keys()].sort()).toEqual(Object.keys(expectedOfFaulty).sort());
    expect(faulty.size).toBeGreaterThanOrEqual(40);
  });

  test.each([...faulty])("%s gives exactly the expected codes and places", async (name, source) => {
    const problems = await problemsOf(source, shop);
    expect(problems.map(line)).toEqual(expectedOfFaulty[name]);
    expect(problems.length).toBeGreaterThan(0);
    for (const { code, cause, hint, docs } of problems) {
      expect(cause).toMatch(/\S.*[.!?)'"]$/);
      expect(hint).toMatch(/\S.*[.)]$/);
      expect(docs).toBe(`docs/authoring.md#${code}`);
    }
  });

  test("exists for every code, those of the border excepted", () => {
    const shown = new Set(
      Object.values(expectedOfFaulty)
        .flat()
        .map((each) => each.split(" ")[1]),
    );
    const missing = Object.keys(problemCodes).filter((code) => !shown.has(code));
    // Shown in compile-script.test.ts, where the files are not those of one folder.
    expect(missing.sort()).toEqual(["source_invalid", "source_too_deep", "source_too_large"]);
  });
});

describe("[R1, R145] a valid script", () => {
  test("stands in every form", () => {
    expect(valid.size).toBeGreaterThanOrEqual(12);
  });

  test.each([...valid])("%s is not complained about", async (name, source) => {
    const { manifest, problems } = await validate(source, inIsolate, shop);
    expect(problems.map(line)).toEqual(expectedOfValid[name] ?? []);
    expect(manifest).not.toBeNull();
  });

  test.each([...valid])("%s passes where nothing is known", async (name, source) => {
    expect((await problemsOf(source)).map(line)).toEqual(expectedOfValid[name] ?? []);
  });
});

describe("the table of codes", () => {
  const codes = Object.keys(problemCodes) as ProblemCode[];

  test.each(codes)("says of %s what it means and how to mend it", (code) => {
    const { meaning, hint, bad, good } = codeEntry(code);
    expect(code).toMatch(/^[a-z]+(_[a-z]+)*$/);
    for (const sentence of [meaning, hint]) expect(sentence).toMatch(/^\S.*\.$/s);
    expect(bad).not.toBe(good);
    expect(bad.length * good.length).toBeGreaterThan(0);
  });
});
