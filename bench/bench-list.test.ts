import { expect, test } from "vitest";
import { benchList } from "./bench-list.ts";

test("every bench has a name of its own and says what it measures", () => {
  const names = benchList.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  for (const { name, describe } of benchList) {
    expect(name).toMatch(/^[a-z]+(-[a-z]+)*$/);
    expect(describe.length).toBeGreaterThan(10);
  }
});
