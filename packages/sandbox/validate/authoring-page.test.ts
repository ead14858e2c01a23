import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { problemCodes } from "./problem-codes.ts";

test("docs/authoring.md has a heading for every problem, and for no other", () => {
  const page = readFileSync(new URL("../../../docs/authoring.md", import.meta.url), "utf8");
  const headings = [...page.matchAll(/^### ([a-z_]+)$/gm)].map(([, name]) => name);
  expect([...headings].sort()).toEqual(Object.keys(problemCodes).sort());
});
