import { enableCompileCache, getCompileCacheDir } from "node:module";
import { dirname } from "node:path";
import { expect, test } from "vitest";
import { compiledBefore } from "./compiled-before.ts";

test("who runs beside the host is told where compiled sources lie, and nothing else", () => {
  enableCompileCache();
  const folder = getCompileCacheDir() ?? "";
  expect(compiledBefore()).toEqual({ NODE_COMPILE_CACHE: dirname(folder) });
  // Given as it is told, it leads to the same place.
  expect(enableCompileCache(compiledBefore()["NODE_COMPILE_CACHE"]).directory).toBe(folder);
});
