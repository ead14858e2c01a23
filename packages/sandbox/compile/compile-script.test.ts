import { runInNewContext } from "node:vm";
import { hashText } from "@holdfast/core";
import * as sdk from "@holdfast/sdk";
import { describe, expect, test } from "vitest";
import { type CompiledScript, compileScript, type ScriptSource } from "./compile-script.ts";
import { originalPosition } from "./original-position.ts";
import { sdkNames } from "./sdk-names.ts";
import { sourceBytesMax, sourceFilesMax } from "./source-limits.ts";

const one = (text: string, entry = "main.ts"): ScriptSource => ({
  entry,
  files: { [entry]: text },
});

async function compiled(source: ScriptSource): Promise<CompiledScript> {
  const result = await compileScript(source);
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result.script;
}

async function codesOf(source: ScriptSource): Promise<string[]> {
  const result = await compileScript(source);
  return result.ok ? [] : result.problems.map(({ code }) => code);
}

describe("compileScript", () => {
  test("says of a file with another ending which endings there are", async () => {
    const result = await compileScript(one("export default 1;", "main.tsx"));
    const cause = '"main.tsx" is not a plain relative path that ends in .ts or .js.';
    expect(result).toMatchObject({ ok: false, problems: [{ code: "source_invalid", cause }] });
  });

  test("[R1] gives one strict script whose value is the default export", async () => {
    const { code } = await compiled({
      entry: "main.ts",
      files: {
        "main.ts": `import { twice } from "./lib/twice.ts";
          import { strict } from "./lib/strict";
          export default { answer: twice(21), strict: strict() };`,
        "lib/twice.ts": `import { factor } from "../factor.js";
          export const twice = (n: number): number => n * factor;`,
        "lib/strict.js": `export function strict() { return this === undefined; }`,
        "factor.ts": "export const factor = 2;",
      },
    });
    expect(runInNewContext(code)).toMatchObject({ answer: 42, strict: true });
    expect(code).not.toMatch(/^\s*(import|export)\b/m);
    expect(code.startsWith('"use strict";')).toBe(true);
  });

  test("[R1] takes the SDK from the global Keep, and types from nowhere", async () => {
    const text = `import { workflow, type Workflow, Schedule } from "@holdfast/sdk";
      const made: Workflow | Schedule = workflow({ name: "a" });
      export default made;`;
    const { code } = await compiled(one(text));
    const workflow = (definition: object) => ({ ...definition, marked: true });
    expect(runInNewContext(code, { Keep: { workflow } })).toMatchObject({ marked: true });
  });

  test("knows exactly the values that the SDK has", () => {
    expect([...sdkNames].sort()).toEqual(Object.keys(sdk).sort());
  });

  test("keeps the names of functions, also of two with one name", async () => {
    const { code } = await compiled({
      entry: "main.js",
      files: {
        "main.js": `import { load as other } from "./other.js";
          function load() {}
          export default [load.name, other.name];`,
        "other.js": "export function load() {}",
      },
    });
    expect([...runInNewContext(code)]).toEqual(["load", "load"]);
  });

  test("gives the same code and hash for the same source", async () => {
    const source = one(`export default { name: "grüße 🙂" };`);
    const [first, second] = [await compiled(source), await compiled(source)];
    expect(second).toEqual(first);
    expect(first.codeHash).toBe(hashText(new TextEncoder().encode(first.code)));
    expect(runInNewContext(first.code)).toMatchObject({ name: "grüße 🙂" });
  });

  test("[R132] reads nothing from disk, whatever lies there", async () => {
    const paths = ["/etc/passwd", "./package.json", "../../package.json", "file:///etc/passwd"];
    for (const path of paths) {
      const [code] = await codesOf(one(`import x from "${path}"; export default x;`));
      expect(["import_not_allowed", "import_not_found"]).toContain(code);
    }
  });
});

const borders: readonly (readonly [string, ScriptSource, string])[] = [
  ["no files", { entry: "main.ts", files: {} }, "source_invalid"],
  ["an entry that is not there", { entry: "a.ts", files: { "b.ts": "" } }, "source_invalid"],
  ["an inherited entry", { entry: "toString", files: {} }, "source_invalid"],
  ["a path upwards", one("export default 1", "../main.ts"), "source_invalid"],
  ["an absolute path", one("export default 1", "/main.ts"), "source_invalid"],
  ["a hidden file", one("export default 1", ".main.ts"), "source_invalid"],
  ["another language", one("export default 1", "main.tsx"), "source_invalid"],
  ["a NUL", one("export default '\u0000'"), "source_invalid"],
  ["half a character", one("export default '\ud800'"), "source_invalid"],
  ["too many bytes", one(`//${"é".repeat(sourceBytesMax / 2)}`), "source_too_large"],
  [
    "too many files",
    {
      entry: "f0.ts",
      files: Object.fromEntries(
        Array.from({ length: sourceFilesMax + 1 }, (_, at) => [`f${at}.ts`, "export {}"]),
      ),
    },
    "source_too_large",
  ],
  ["an empty file", one(""), "no_default_export"],
  ["a name declared twice", one("let a; let a; export default a;"), "syntax_error"],
  [
    "an export that is missing",
    {
      entry: "a.js",
      files: { "a.js": `import { x } from "./b.js"; export default x;`, "b.js": "export {}" },
    },
    "syntax_error",
  ],
  ["an export from elsewhere", one(`export * from "fs"; export default 1;`), "import_not_allowed"],
  ["a require of TypeScript", one(`import fs = require("fs"); export default fs;`), "require_used"],
  ["waiting in a loop", one("for await (const a of []) {} export default 1;"), "top_level_await"],
];

describe("compileScript refuses", () => {
  test.each(borders)("%s", async (_name, source, code) => {
    expect(await codesOf(source)).toEqual([code]);
  });

  test("a syntax error with its line and column, counted as editors count", async () => {
    const result = await compileScript(one(`const a = "🙂é";\n  /* ü */ const = 1;\n`));
    expect(result).toMatchObject({ ok: false, problems: [{ line: 2, column: 17 }] });
  });
});

describe("originalPosition", () => {
  test("leads from compiled code back to the author's file", async () => {
    const script = await compiled({
      entry: "main.ts",
      files: {
        "main.ts": `import { fail } from "./lib/fail.ts";\nexport default fail;\n`,
        "lib/fail.ts": `interface A {\n  b: 1;\n}\nexport const fail = (a: A) => {\n  throw a;\n};`,
      },
    });
    const lines = script.code.split("\n");
    const at = lines.findIndex((line) => line.includes("throw a"));
    const column = (lines[at] ?? "").indexOf("throw a") + 1;
    expect(originalPosition(script, at + 1, column)).toEqual({
      file: "lib/fail.ts",
      line: 5,
      column: 3,
    });
  });

  test("is null for what the author did not write", async () => {
    const script = await compiled(one("export default 1;"));
    expect(originalPosition(script, 1, 1)).toBeNull();
    expect(originalPosition(script, 9_999, 1)).toBeNull();
    expect(originalPosition(script, 0, Number.NaN)).toBeNull();
  });
});
