import { expect, test } from "vitest";
import { plainText } from "./plain-text.ts";

test("what a script or service says can neither steer a terminal nor break a line", () => {
  expect(plainText("a\u001b[2Jb\r\nc\u202ed\u2028e")).toBe("a [2Jb c d e");
  expect(plainText("Größe 7 – naïve 😀")).toBe("Größe 7 – naïve 😀");
});
