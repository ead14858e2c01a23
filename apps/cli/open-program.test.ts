import { mkdirSync, mkdtempSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { findBuilt } from "./open-program.ts";

let root = "";
const built = () => findBuilt(join(root, "dist/"), `${root}/`);

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "holdfast-built-"));
  mkdirSync(join(root, "dist"));
  const sources = ["a.ts", "b.ts"].map((name) => {
    writeFileSync(join(root, name), `export const ${name[0]} = 1;`);
    const { size, mtimeMs } = statSync(join(root, name));
    return [name, size, mtimeMs];
  });
  writeFileSync(join(root, "dist/made.json"), JSON.stringify({ folder: "made", sources }));
});

test("what was built is used while its sources are as they were", () => {
  expect(built()).toBe("made");
});

test("a source that was written since, or is gone, is read as it is", () => {
  const source = join(root, "b.ts");
  utimesSync(source, new Date(), new Date(Date.now() + 1_000));
  expect(built()).toBeNull();
  rmSync(source);
  expect(built()).toBeNull();
});

test("where nothing was built the sources are read", () => {
  rmSync(join(root, "dist/made.json"));
  expect(built()).toBeNull();
});
