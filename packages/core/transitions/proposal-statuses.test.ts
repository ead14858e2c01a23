import { expect, test } from "vitest";
import { checkFamily } from "./family.ts";
import { proposalFamily } from "./proposal-table.ts";

test("[M.G-1, M.G-2, M.G-4] every command meets a proposal in every status", () => {
  expect(checkFamily(proposalFamily)).toEqual([]);
});
