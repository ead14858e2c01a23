import { describe, expect, test } from "vitest";
import { checkImports } from "./imports.ts";
import type { SourceFile } from "./source-files.ts";

const manifests: readonly SourceFile[] = [
  manifest("package.json", "holdfast", {}, { vitest: "1" }),
  manifest("packages/core/package.json", "@holdfast/core", { cborg: "1" }),
  manifest("packages/store/package.json", "@holdfast/store", { "@holdfast/core": "1" }),
  manifest("packages/host/package.json", "@holdfast/host", {
    "@holdfast/core": "1",
    "@holdfast/store": "1",
  }),
  manifest("packages/protocol/package.json", "@holdfast/protocol", { zod: "1" }),
  manifest("apps/cli/package.json", "@holdfast/cli", {
    "@holdfast/protocol": "1",
    "@holdfast/store": "1",
    commander: "1",
  }),
  manifest("apps/server/package.json", "@holdfast/server", { "@holdfast/store": "1" }),
];

function manifest(path: string, name: string, dependencies: object, devDependencies = {}) {
  return { path, text: JSON.stringify({ name, dependencies, devDependencies }) };
}

function problems(path: string, text: string): string[] {
  const excesses = checkImports([...manifests, { path, text }]);
  return excesses.flatMap(({ findings }) => findings.map(({ problem }) => problem));
}

describe("an import is reported when", () => {
  test.each([
    ["core reads a file", "packages/core/run/a.ts", `import "node:fs";`],
    ["core outside canonical encodes", "packages/core/run/a.ts", `import "cborg";`],
    ["core outside canonical hashes", "packages/core/run/a.ts", `import "node:crypto";`],
    ["canonical reads a file", "packages/core/canonical/a.ts", `import "node:fs";`],
    ["core names a store", "packages/core/run/a.ts", `import "@holdfast/store";`],
    ["core imports a test", "packages/core/run/a.ts", `import "./b.test.ts";`],
    ["core imports test support", "packages/core/run/a.ts", `import "../testing/b.ts";`],
    ["the host names a store", "packages/host/a.ts", `import "@holdfast/store/sqlite";`],
    ["the cli names a store", "apps/cli/program.ts", `import "@holdfast/store";`],
    ["a server file besides main names a store", "apps/server/a.ts", `import "@holdfast/store";`],
    ["protocol needs Node", "packages/protocol/a.ts", `import "node:fs";`],
    ["a path crosses packages", "packages/store/a.ts", `import "../core/index.ts";`],
    ["a script's path crosses packages", "scripts/a.ts", `import "../packages/core/index.ts";`],
    ["a path leaves for the root", "packages/store/a.ts", `import "../../scripts/a.ts";`],
    ["it is not declared", "packages/store/a.ts", `import "zod";`],
    ["a test's is not declared", "packages/store/a.test.ts", `import "zod";`],
    ["a tool for tests is used in production", "packages/store/a.ts", `import "vitest";`],
    ["production uses a contract suite", "packages/host/a.ts", `import "@holdfast/core/testing";`],
    ["its package is not in the table", "packages/new/a.ts", `import "node:fs";`],
    ["its name is computed", "packages/store/a.ts", "await import(name);"],
  ])("%s", (_, path, text) => {
    expect(problems(path, text)).toHaveLength(1);
  });

  test.each([
    ["re-export", `export * from "node:fs";`],
    ["named re-export", `export { readFileSync } from "node:fs";`],
    ["type import", `import type { Stats } from "node:fs";`],
    ["import()", `const fs = () => import("node:fs");`],
    ["type query", `type Fs = import("node:fs").Stats;`],
    ["require", `const fs = require("node:fs");`],
  ])("core reaches out by %s", (_, text) => {
    expect(problems("packages/core/run/a.ts", text)).toHaveLength(1);
  });
});

describe("an import is not reported when", () => {
  test.each([
    ["core imports core", "packages/core/run/a.ts", `import { b } from "../topic/b.ts";`],
    ["canonical encodes and hashes", "packages/core/canonical/a.ts", `import "cborg";`],
    ["canonical hashes", "packages/core/canonical/a.ts", `import "node:crypto";`],
    ["a store imports core and Node", "packages/store/a.ts", `import "@holdfast/core";`],
    ["server main names a store", "apps/server/main.ts", `import "@holdfast/store/sqlite";`],
    ["the cli uses its library", "apps/cli/program.ts", `import "commander";`],
    ["a test uses the shared tools", "packages/core/run/a.test.ts", `import "vitest";`],
    ["a test reads a file", "packages/core/run/a.test.ts", `import "node:fs";`],
    ["a bench names a store", "bench/store.ts", `import "@holdfast/store/sqlite";`],
    ["it only stands in a string", "packages/core/run/a.ts", `const a = 'import "node:fs"';`],
  ])("%s", (_, path, text) => {
    expect(problems(path, text)).toEqual([]);
  });
});

test("the imports of one package by another are one excess, sized by the files that do it", () => {
  const text = `import "@holdfast/store"; import "@holdfast/store/sqlite";`;
  const files = ["apps/cli/a.ts", "apps/cli/b.ts"].map((path) => ({ path, text }));
  expect(checkImports([...manifests, ...files])).toMatchObject([
    { rule: "import", path: "apps/cli", subject: "@holdfast/store", size: 2 },
  ]);
});
