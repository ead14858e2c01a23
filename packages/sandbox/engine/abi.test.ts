import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { expect, test } from "vitest";
import { exportLetters, loadEngine } from "./abi.ts";

test("the letters of the engine's exports are those its own glue code uses", () => {
  const path = createRequire(import.meta.url).resolve(
    "@jitl/quickjs-wasmfile-release-sync/emscripten-module",
  );
  const glue = readFileSync(path, "utf8");
  const named = Object.entries(exportLetters).filter(([name]) => name.startsWith("QTS_"));
  expect(named.length).toBeGreaterThan(15);
  for (const [name, letter] of named) {
    const found = new RegExp(`\\._${name}=\\w+\\.([\\w$]+)`).exec(glue)?.[1];
    expect(found, name).toBe(letter);
  }
});

test("the engine that is installed is the one that was tried", () => {
  expect(loadEngine()).toBeInstanceOf(WebAssembly.Module);
});
