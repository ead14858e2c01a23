import { decodeCanonical, type MutationRow } from "@holdfast/core";
import { expect, test } from "vitest";
import { settledBy } from "./receipts.ts";

const outcome = { kind: "outcome", intentId: "1", mutationId: "m1", failure: null } as const;

test.each([
  ["cancelled", "cancelled"],
  // As hosts of before wrote it, of a call whose machine has not heard of it yet.
  ["canceled", "cancelled"],
  ["deadline", "deadline"],
  ["the service said no", "permanent"],
])("[M.E-13] a call that failed with %s is told as %s", (message, code) => {
  const failure = { class: "permanent", message, location: null };
  const row = { state: "failed", resolution: null, failure } as unknown as MutationRow;
  const { status, payload } = settledBy(outcome, row, new Uint8Array());
  expect(status).toBe("error");
  expect(decodeCanonical(payload)).toMatchObject({ code });
});
