import { factKinds } from "@holdfast/core";
import { factGroups, factWords, sayFact } from "@holdfast/web/words/facts";
import { expect, test } from "vitest";

test("[R18] every kind of fact has its sentence on the page, and every filter finds some", () => {
  expect(Object.keys(factWords).sort()).toEqual([...factKinds].sort());
  for (const [group] of factGroups) {
    expect([group, factKinds.some((kind) => kind.startsWith(group))]).toEqual([group, true]);
  }
});

test("a fact is told with what is in it; what is not there is a dash", () => {
  const call = { connection: "shop", operation: "post", target: "shop.example" };
  expect(sayFact("mutation_recorded", { call }).text).toBe(
    "shop.post at shop.example was written down",
  );
  expect(sayFact("items_freshened", { actor: "ada", handlers: ["a", "b"] }).text).toBe(
    "ada had all items of a, b done again",
  );
  expect(sayFact("run_failed", { runId: "r1" })).toEqual({
    text: "run r1 failed: –",
    tone: "stopped",
  });
  expect(sayFact("made_up_later", {}).text).toBe("made up later");
});
