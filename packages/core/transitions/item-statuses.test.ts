import { expect, test } from "vitest";
import { checkFamily } from "./family.ts";
import { itemFamilies } from "./item-table.ts";

test("[L5, L6, L11, L20, L21] every command meets an item in every state", () => {
  expect(itemFamilies.flatMap((family) => checkFamily(family))).toEqual([]);
});
