import { expect, test } from "vitest";
import type { Must } from "./bench.ts";
import { missedMusts } from "./judge.ts";

const same: Must = { atLeast: 0.8, atMost: 1.2 };

test.each<[Must | undefined, number | undefined, "kept" | "missed"]>([
  [undefined, undefined, "kept"],
  [undefined, 0.01, "kept"],
  [{ atLeast: 0.4 }, 0.4, "kept"],
  [{ atLeast: 0.4 }, 12, "kept"],
  [{ atLeast: 0.4 }, 0.399, "missed"],
  [{ atMost: 2 }, 2, "kept"],
  [{ atMost: 2 }, 2.01, "missed"],
  [same, 0.79, "missed"],
  [same, 0.8, "kept"],
  [same, 1.2, "kept"],
  [same, 1.21, "missed"],
  // Nothing measured is not the same as nothing wrong.
  [{ atLeast: 0.4 }, undefined, "missed"],
  [{ atLeast: 0.4 }, Number.NaN, "missed"],
])("must %j with ratio %s is %s", (must, ratio, expected) => {
  const given = { ...(must && { must }), ...(ratio !== undefined && { ratio }) };
  const missed = missedMusts([{ metric: "commits", value: 1, unit: "", ...given }]);
  expect(missed.length === 0 ? "kept" : "missed").toBe(expected);
  if (expected === "missed") expect(missed[0]).toContain("commits");
});
