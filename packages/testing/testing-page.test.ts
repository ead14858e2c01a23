import { readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import * as vitest from "vitest";
import { describe, expect, test } from "vitest";
import * as testing from "./index.ts";
import { testErrorCodes } from "./test-error.ts";

const page = readFileSync(new URL("../../docs/testing.md", import.meta.url), "utf8");
const blocks = [...page.matchAll(/^## (.+)$|^```ts\n([\s\S]*?)^```$/gm)];

/** What the blocks import; node:test has the same `test` as far as they use it. */
const modules: Readonly<Record<string, unknown>> = {
  "@holdfast/testing": testing,
  vitest,
  "node:test": vitest,
  "node:assert/strict": await import("node:assert/strict"),
};

const imports = /^import (\w+|\{[^}]+\}) from "([^"]+)";$/gm;

/** Runs a block as a module would run: its imports become constants of the same names. */
function runBlock(code: string): void {
  const body = stripTypeScriptTypes(code).replaceAll(imports, (_, names: string, from: string) => {
    const wanted = names.startsWith("{") ? names : `{ default: ${names} }`;
    return `const ${wanted} = modules[${JSON.stringify(from)}];`;
  });
  new Function("modules", body)(modules);
}

let heading = "";
for (const [, title, code] of blocks) {
  if (title !== undefined) heading = title;
  else if (code !== undefined) describe(`docs/testing.md, ${heading}`, () => runBlock(code));
}

test("every block of docs/testing.md is run here", () => {
  expect(blocks.filter(([, title]) => title === undefined)).toHaveLength(
    (page.match(/^```/gm) ?? []).length / 2,
  );
  expect(blocks.length).toBeGreaterThan(10);
});

test("docs/testing.md explains every code of a TestError, and no other", () => {
  const explained = [...page.matchAll(/^\| `([a-z_]+)` \| /gm)].map(([, code]) => code);
  const codes = explained.filter((code) => code?.includes("_"));
  expect(codes).toEqual(testErrorCodes);
});

test("docs/testing.md names every point at which a host can be made to die", () => {
  const sentence = /Points are `before` and `after` ([^.]+)\./.exec(page)?.[1] ?? "";
  const names = [...sentence.matchAll(/`(\w+)`/g)].map(([, name]) => name);
  expect(names.flatMap((name) => [`before ${name}`, `after ${name}`]).sort()).toEqual(
    [...testing.crashPoints].sort(),
  );
});
