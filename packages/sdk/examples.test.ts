import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import * as sdk from "./index.ts";

const root = join(import.meta.dirname, "..", "..");
const folder = join(root, "examples");
const scripts = readdirSync(folder, { recursive: true, encoding: "utf8" })
  .filter((path) => /\.(ts|js)$/.test(path) && !path.endsWith(".test.ts"))
  .toSorted();

describe("the examples", () => {
  test("pass the compiler", () => {
    const compile = () =>
      execFileSync(join(root, "node_modules", ".bin", "tsc"), ["-p", folder, "--pretty", "false"], {
        encoding: "utf8",
      });
    expect(compile()).toBe("");
  });

  test.each(scripts)("%s exports a workflow made by the SDK, imported or as Keep", async (path) => {
    Object.assign(globalThis, { Keep: sdk });
    const script: unknown = await import(pathToFileURL(join(folder, path)).href);
    const made = (script as { default: { $kind: unknown; consumers?: object } }).default;
    expect(made.$kind).toBe("workflow");
    for (const consumer of Object.values(made.consumers ?? {})) {
      expect(consumer).toMatchObject({ $kind: "consumer", prepare: expect.any(Function) });
    }
  });

  test("there are some", () => {
    expect(scripts.length).toBeGreaterThanOrEqual(8);
  });
});
